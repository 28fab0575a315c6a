//! The best moves of a position, by the values of a table and of those that it leads to.

use tbindex::Square;

use super::mine::Hit;
use crate::chess::error::ProbeError;
use crate::chess::game::{GamePosition, Move};
use crate::subtables::library::Library;
use crate::table::solved::Table;
use crate::table::value::{Outcome, Value};

/// A position that a query has, as people write it.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The position, with the right to capture en passant if the query asks for it.
    pub position: GamePosition,
    /// Its value.
    pub value: Value,
    /// Its best moves: winners hurry, losers delay.
    pub best: Vec<String>,
}

/// Win, draw or loss: what the fifty-move rule draws is a draw.
fn result(value: Value) -> Outcome {
    match value.outcome {
        Outcome::CursedWin | Outcome::BlessedLoss => Outcome::Draw,
        outcome => outcome,
    }
}

/// The value that each move from a position of a table gives, in their order, and whether the move captures en passant.
fn worths(
    table: &Table,
    library: &Library,
    position: &GamePosition,
) -> Result<Vec<(Value, bool)>, ProbeError> {
    let worth = |step: &Move| Ok((library.worth(step, table)?, step.en_passant));
    position.moves().iter().map(worth).collect()
}

impl Listed {
    /// A position of a table with its best moves. The library has the tables that the table leads to. If the query asks for captures
    /// en passant that alone keep the outcome, the position comes once for each pawn for which this is so, with the right to
    /// capture it.
    ///
    /// # Errors
    /// If a table is missing, or can't be read.
    pub fn all(
        hit: &Hit,
        table: &Table,
        library: &Library,
        en_passant: bool,
    ) -> Result<Vec<Listed>, ProbeError> {
        let mut all = Vec::new();
        let passed = Square::all().filter(|_| en_passant);
        for position in passed.filter_map(|passed| GamePosition::new(&hit.position, Some(passed))) {
            let worths = worths(table, library, &position)?;
            let values = worths.iter().map(|worth| worth.0);
            let Some(value) = values.max_by_key(|value| value.preference()) else {
                continue;
            };
            let mut keeping = worths.iter().filter(|w| result(w.0) == result(value));
            if result(value) != Outcome::Loss && keeping.all(|worth| worth.1) {
                all.push(Listed::new(position, value, &worths));
            }
        }
        if let (true, Some(position)) = (all.is_empty(), GamePosition::new(&hit.position, None)) {
            let worths = worths(table, library, &position)?;
            all.push(Listed::new(position, hit.value, &worths));
        }
        Ok(all)
    }

    fn new(position: GamePosition, value: Value, worths: &[(Value, bool)]) -> Listed {
        let preference = |k: usize| worths[k].0.preference();
        let most = (0..worths.len()).map(preference).max();
        let best = (0..worths.len()).filter(|&k| Some(preference(k)) == most);
        let moves = position.moves();
        Listed {
            best: best.map(|k| position.san(&moves, k)).collect(),
            position,
            value,
        }
    }
}
