//! Drawings of the pieces, each in a square of 45 units.

use maud::{Markup, html};
use tbindex::{Color, Piece, PieceType};

/// The foot that all pieces stand on.
const FOOT: &str = "M10 39v-3l3-3.5h19l3 3.5v3z";

/// The outline above the foot, and lines inside of it.
const fn outline(kind: PieceType) -> (&'static str, &'static str) {
    match kind {
        PieceType::King => (
            "M21 3.5h3v3h3v3h-3V13h-3V9.5h-3v-3h3z\
             M13.5 32.5L9.5 23c-1.6-4.6 2-8.6 6.4-8 3 .4 5.3 2.3 6.6 5 1.3-2.7 3.6-4.6 6.6-5 4.4-.6 8 3.4 6.4 8l-4 9.5z",
            "M22.5 20v12.5",
        ),
        PieceType::Queen => (
            "M13.5 32.5L8 14l7 7.5L16.5 9l6 11.5L28.5 9 30 21.5 37 14l-5.5 18.5z\
             M8 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM16.5 5a2 2 0 1 1 0 4 2 2 0 0 1 0-4z\
             M28.5 5a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM37 10a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
            "M13 27.5h19",
        ),
        PieceType::Rook => (
            "M15 17.5h15l1.5 15h-18zM11 7.5h5.5v3.5h3.5V7.5h5v3.5h3.5V7.5H34V14l-4 3.5H15L11 14z",
            "M15 17.5h15",
        ),
        PieceType::Bishop => (
            "M22.5 8.5c6 4.5 9 9.5 9 14 0 3.5-2 5.5-4 6.5l1.5 3.5h-13l1.5-3.5c-2-1-4-3-4-6.5 0-4.5 3-9.5 9-14z\
             M22.5 3.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
            "M22.5 15.5v8M18.5 19.5h8M17.5 29h10",
        ),
        PieceType::Knight => (
            "M13.5 32.5c0-6 5-8.5 6.5-13-2 2-4 2.5-5.5 2.5l-1.5 2-4-2 .5-4 6.5-8L15.5 5l5 3.5C29 9 33 16.5 33 25v7.5z",
            "M17.5 12.5v1.5M26 13c2.5 3 3.5 7 3.5 12",
        ),
        PieceType::Pawn => (
            "M18.5 20h8c.5 5 2 9.5 5 12.5h-18c3-3 4.5-7.5 5-12.5z\
             M22.5 8.5a6 6 0 1 1 0 12 6 6 0 0 1 0-12z",
            "",
        ),
    }
}

pub(super) fn drawing(piece: Piece) -> Markup {
    let (shape, lines) = outline(piece.kind);
    let class = match piece.color {
        Color::White => "white",
        Color::Black => "black",
    };
    html! {
        g class=(class) {
            path d={ (FOOT) (shape) } {}
            path .lines d=(lines) {}
        }
    }
}
