//! The board as SVG.

use maud::{Markup, html};
use tbindex::Rank;
use tbindex::{Color, Piece, PieceType, Position, Square};

use super::address::{Brush, Look};
use super::pieces::drawing;
use super::setup::Setup;

/// The side of a square. Left of the board and below it is room for coordinates.
const SIDE: usize = 45;
const EDGE: usize = 18;

/// Where a square's upper left corner is.
fn corner(square: Square, below: Color) -> (usize, usize) {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    match below {
        Color::White => (SIDE * file, SIDE * (7 - rank)),
        Color::Black => (SIDE * (7 - file), SIDE * rank),
    }
}

pub(super) fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A piece in words, such as `white rook`.
pub(super) fn piece_name(piece: Piece) -> String {
    let color = color_name(piece.color).to_lowercase();
    format!("{color} {}", piece.kind)
}

/// All pieces in words.
fn description(position: &Position) -> String {
    let of = |color: Color| {
        let own = (position.occupied()).filter(|(piece, _)| piece.color == color);
        let own = own.map(|(piece, square)| format!("{} {square}", piece.kind));
        let own: Vec<String> = own.collect();
        format!("{}: {}.", color_name(color), own.join(", "))
    };
    format!("Board. {}", Color::ALL.map(of).join(" "))
}

/// Whether a brush may be used on a square.
fn fits(brush: Brush, square: Square) -> bool {
    let last = matches!(square.rank(), Rank::First | Rank::Eighth);
    !matches!(brush, Brush::Put(piece) if piece.kind == PieceType::Pawn && last)
}

/// The board with the squares of the last move marked, if there was one. While a click puts pieces, its squares are links.
pub(super) fn board(setup: &Setup, look: Look, last: &[Square]) -> Markup {
    let position = &setup.fen.position;
    let link = look.link(&setup.text());
    let dark = Square::all()
        .filter(|square| (square.file() as u8 + square.rank() as u8).is_multiple_of(2));
    let dark = dark.map(|square| {
        let (x, y) = corner(square, Color::White);
        format!("M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z")
    });
    let dark: String = dark.collect();
    let brush = look.edit.filter(|&brush| brush != Brush::Nothing);
    let squares = brush.map(|brush| Square::all().filter(move |&square| fits(brush, square)));
    let size = 8 * SIDE;
    html! {
        svg #board .board viewBox={ "-" (EDGE) " 0 " (size + EDGE) " " (size + EDGE) }
            role=(if squares.is_some() { "group" } else { "img" }) aria-label=(description(position))
            data-below=(color_name(look.below)) data-link=[look.edit.map(|_| &link)] {
            rect .light width=(size) height=(size) {}
            path .dark d=(dark) {}
            @for &square in last {
                @let (x, y) = corner(square, look.below);
                rect .last x=(x) y=(y) width=(SIDE) height=(SIDE) {}
            }
            g .coordinates aria-hidden="true" {
                @for k in 0..8u8 {
                    @let (x, y) = corner(Square::new(9 * k), look.below);
                    text x=(x + SIDE / 2) y=(size + EDGE - 4) { (char::from(b'a' + k)) }
                    text x={ "-" (EDGE / 2) } y=(y + SIDE / 2 + 5) { (k + 1) }
                }
            }
            @for (piece, square) in position.occupied() {
                @let (x, y) = corner(square, look.below);
                g transform={ "translate(" (x) " " (y) ")" } data-square=(square) data-name=(piece_name(piece)) {
                    (drawing(piece))
                }
            }
            @for square in squares.into_iter().flatten() {
                @let (x, y) = corner(square, look.below);
                a href={ (link) "&to=" (square) } aria-label=(square) {
                    rect .place x=(x) y=(y) width=(SIDE) height=(SIDE) {}
                }
            }
        }
    }
}

/// The pieces that a click on a square may put there.
pub(super) fn palette(setup: &Setup, look: Look) -> Markup {
    let fen = setup.text();
    let choice = |brush: Brush, name: &str, shown: Markup| {
        let link = look.with_edit(Some(brush)).link(&fen);
        let current = (look.edit == Some(brush)).then_some("true");
        html! {
            a href=(link) title=(name) aria-label=(name) aria-current=[current]
                data-piece[matches!(brush, Brush::Put(_))] { (shown) }
        }
    };
    let [white, black] = Color::ALL.map(|color| html! {
        @for piece in PieceType::ALL.map(|kind| Piece::new(color, kind)) {
            @let shown = html! { svg viewBox={ "0 0 " (SIDE) " " (SIDE) } aria-hidden="true" { (drawing(piece)) } };
            (choice(Brush::Put(piece), &format!("Put a {}", piece_name(piece)), shown))
        }
    });
    html! {
        nav .palette aria-label="Pieces to put on the board" {
            (white)
            (choice(Brush::Remove, "Remove pieces", html! { "Remove" }))
            (black)
            a href=(look.with_edit(None).link(&fen)) { "Done" }
        }
    }
}
