//! The legal moves, in groups.

use maud::{Markup, html};

use super::address::Look;
use super::verdict::moves_to_mate;
use crate::answers::{Category, Move, Reply};

/// The outcome of a move for the side that makes it. The category is of the position after it, for the other side.
fn brings(step: &Move) -> &'static str {
    match step.info.category {
        Category::Loss => "Winning",
        Category::BlessedLoss => "Draw by the fifty-move rule, a win without it",
        Category::SyzygyLoss | Category::MaybeLoss => "Win or draw by the fifty-move rule",
        Category::Draw => "Drawn",
        Category::Unknown => "Unknown",
        Category::SyzygyWin | Category::MaybeWin => "Loss or draw by the fifty-move rule",
        Category::CursedWin => "Draw by the fifty-move rule, a loss without it",
        Category::Win => "Losing",
    }
}

/// The moves, the best first, each with a link to the position after it and what is known of that.
pub(super) fn moves(reply: &Reply, look: Look) -> Markup {
    let known = |distance: Option<i32>| distance.filter(|&plies| plies != 0);
    html! {
        section .moves aria-labelledby="moves" {
            h2 #moves { "Moves" }
            table {
                thead {
                    tr {
                        th scope="col" { "Move" }
                        th scope="col" { "Mate in moves (DTM)" }
                        th scope="col" { "DTZ" }
                    }
                }
                @for group in reply.moves.chunk_by(|a, b| brings(a) == brings(b)) {
                    tbody {
                        tr { th colspan="3" scope="rowgroup" { (brings(&group[0])) } }
                        @for step in group {
                            tr {
                                td { a href=(look.link(&step.after.fen())) data-uci=(step.uci) { (step.san) } }
                                @if step.info.checkmate {
                                    td { "checkmate" }
                                    td { "–" }
                                } @else {
                                    td {
                                        @match known(step.info.dtm) {
                                            Some(dtm) => { (moves_to_mate(dtm)) " (" (dtm.abs()) ")" },
                                            None => "–",
                                        }
                                    }
                                    td {
                                        @match known(step.info.dtz) {
                                            Some(dtz) => {
                                                (dtz.abs())
                                                @if step.info.precise_dtz.is_none() { " or " (dtz.abs() + 1) }
                                            },
                                            None => "–",
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
