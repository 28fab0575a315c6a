//! The best line, and the links that step through it.

use maud::{Markup, html};
use tbgen::GamePosition;
use tbindex::Color;

use super::address::{At, Look};
use crate::answers::{Mainline, NoLine};

/// Links to the first position, back, on and to the last.
pub(super) fn steps(line: &Mainline, at: At<'_>, look: Look) -> Markup {
    let (ply, last) = (at.ply, line.mainline.len());
    // Its own name at the end keeps the keyboard on a link that is followed again and again.
    let step = |name: &str, signs: [&str; 2], to: Option<usize>, rel: Option<&str>| {
        let [before, after] = signs;
        let link = to.map(|ply| format!("{}#{name}", look.step(At { ply, ..at })));
        html! {
            a #(name) href=[link] rel=[rel] aria-disabled=[to.is_none().then_some("true")] {
                span aria-hidden="true" { (before) } (name) span aria-hidden="true" { (after) }
            }
        }
    };
    html! {
        nav .steps aria-label="Best line" {
            (step("first", ["« ", ""], (ply > 0).then_some(0), None))
            (step("back", ["‹ ", ""], ply.checked_sub(1), Some("prev")))
            (step("on", ["", " ›"], (ply < last).then_some(ply + 1), Some("next")))
            (step("last", ["", " »"], (ply < last).then_some(last), None))
        }
    }
}

/// All moves of the line, each with a link to the position after it, and how it ends.
pub(super) fn line(
    line: &Result<Mainline, NoLine>,
    root: &GamePosition,
    at: At<'_>,
    look: Look,
) -> Markup {
    let black = usize::from(root.position().side == Color::Black);
    html! {
        section aria-labelledby="line" {
            h2 #line { "Best line" }
            @match line {
                Err(NoLine::Unknown) => p { "There is none, as a table is missing." },
                Err(NoLine::Rounded) => p { "There is none, as the tables have no exact distances that tell the way." },
                Ok(line) if line.mainline.is_empty() => {
                    p {
                        @if !root.can_move() || root.is_insufficient() { "There is none: the game is over." }
                        @else { "There is none to follow: every drawn move is as good as another." }
                    }
                },
                Ok(line) => {
                    ol .line {
                        @for (k, step) in line.mainline.iter().enumerate() {
                            @let number = (k + black) / 2 + 1;
                            li {
                                @if (k + black) % 2 == 0 { (number) ". " } @else if k == 0 { (number) "… " }
                                a href=(look.step(At { ply: k + 1, ..at })) aria-current=[(at.ply == k + 1).then_some("step")] {
                                    (step.san)
                                }
                            }
                        }
                    }
                    p {
                        "Both sides play their best move; after "
                        (line.mainline.len()) " plies "
                        @if line.winner.is_some() { "it is checkmate." } @else { "a player may claim a draw by the fifty-move rule." }
                    }
                },
            }
        }
    }
}
