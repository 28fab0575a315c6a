//! Controls that change the position without a move: a FEN, and links.

use maud::{Markup, html};
use tbindex::Color;

use super::address::{At, Brush, Look};
use super::setup::Setup;

/// Positions to begin with, and their names. The first is shown where none is asked for.
pub(super) const EXAMPLES: [(&str, &str); 7] = [
    ("Queen against rook", "8/8/2k5/1r6/8/8/8/2KQ4 w - - 0 1"),
    ("Bishop and knight", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1"),
    ("King and pawn", "8/8/8/3k4/8/8/3KP3/8 w - - 0 1"),
    ("Trébuchet", "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"),
    ("Saavedra", "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1"),
    ("En passant", "8/8/8/8/1Pp5/8/k7/3K4 b - b3 0 1"),
    ("Fifty-move rule", "8/8/2k5/1r6/8/8/8/2KQ4 b - - 40 90"),
];

pub(super) fn examples(look: Look) -> Markup {
    html! {
        nav .examples aria-label="Examples" {
            span { "Examples:" }
            ul {
                @for (name, fen) in EXAMPLES {
                    li { a href=(look.with_edit(None).link(fen)) { (name) } }
                }
            }
        }
    }
}

/// The field for a FEN with this text, and if it is of a board, the links that turn and change it.
pub(super) fn controls(text: &str, setup: Option<&Setup>, at: At<'_>, look: Look) -> Markup {
    let change = |name: &str, changed: Setup| {
        let link = changed.is_legal().then(|| look.link(&changed.text()));
        let none = link.is_none().then_some("true");
        html! {
            li { a href=[link] aria-disabled=[none] { (name) } }
        }
    };
    html! {
        section .controls aria-labelledby="position" {
            h2 #position { "Position" }
            form action="." {
                label for="fen" { "FEN" }
                input #fen name="fen" value=(text) required autocomplete="off" autocapitalize="off" spellcheck="false";
                @if look.below == Color::Black { input type="hidden" name="view" value="black"; }
                button { "Show" }
            }
            @if let Some(setup) = setup {
                @let fen = setup.text();
                ul {
                    li { a href=(look.turned().step(at)) { "Turn the board" } }
                    (change("Other side to move", setup.clone().other_side()))
                    (change("Exchange colours", setup.clone().other_colors()))
                    (change("Clear", setup.clone().cleared()))
                    @if look.edit.is_none() {
                        li { a href=(look.with_edit(Some(Brush::Nothing)).link(&fen)) { "Edit the board" } }
                    }
                }
            }
        }
    }
}
