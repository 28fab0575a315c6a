//! The tables' answers, in words.

use tbindex::Color;

use super::board::color_name;
use crate::answers::{Category, Info};

/// A number of things: `1 ply`, `2 plies`.
fn count(number: u32, one: &str, many: &str) -> String {
    let name = if number == 1 { one } else { many };
    format!("{number} {name}")
}

/// The moves of the winner until mate, which is so many plies away.
pub(super) fn moves_to_mate(dtm: i32) -> u32 {
    dtm.unsigned_abs().div_ceil(2)
}

/// How far it is, after a colon; nothing if no distance is known.
fn way(info: &Info) -> String {
    let mate = info.dtm.map(|dtm| {
        let moves = count(moves_to_mate(dtm), "move", "moves");
        format!(
            "mate in {moves} (DTM {})",
            count(dtm.unsigned_abs(), "ply", "plies")
        )
    });
    let zeroing = info.dtz.filter(|dtz| info.dtm != Some(*dtz)).map(|dtz| {
        let dtz = dtz.unsigned_abs();
        let plies = match info.precise_dtz {
            Some(_) => count(dtz, "ply", "plies"),
            None => format!("{dtz} or {} plies", dtz + 1),
        };
        let end = if mate.is_some() {
            "capture or pawn move"
        } else {
            "capture, pawn move or mate"
        };
        format!("next {end} in {plies} (DTZ {dtz})")
    });
    let ways: Vec<String> = mate.into_iter().chain(zeroing).collect();
    match ways.is_empty() {
        true => String::new(),
        false => format!(": {}", ways.join(", ")),
    }
}

/// The knowledge about a position in which a side is to move, in a sentence or two.
pub(super) fn verdict(info: &Info, side: Color) -> String {
    let [mover, other] = [side, !side].map(color_name);
    let way = way(info);
    let open = |winner, loser| {
        let why = match info.dtz {
            Some(_) => "The distance in the table is rounded",
            None => "No table has the distance to the next capture or pawn move",
        };
        format!(
            "{winner} wins, or the fifty-move rule saves {loser}{way}. {why}, so it is open whether the counter reaches 100."
        )
    };
    let ruled =
        |winner| format!("Draw by the fifty-move rule. Without that rule {winner} would win{way}.");
    match info.category {
        _ if info.checkmate => format!("{mover} is checkmated: {other} has won."),
        _ if info.stalemate => format!("{mover} is stalemated: a draw."),
        _ if info.insufficient_material => "Draw: no side has the pieces to mate.".to_owned(),
        Category::Win => format!("{mover} wins{way}."),
        Category::Loss => format!("{other} wins{way}."),
        Category::CursedWin => ruled(mover),
        Category::BlessedLoss => ruled(other),
        Category::SyzygyWin | Category::MaybeWin => open(mover, other),
        Category::SyzygyLoss | Category::MaybeLoss => open(other, mover),
        Category::Draw => "Draw: no side can force mate.".to_owned(),
        Category::Unknown => {
            "Unknown: this server has no table of the position, and can’t solve one in its memory and time."
                .to_owned()
        }
    }
}
