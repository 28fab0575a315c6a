//! The best moves of a position, by the values of a table and of those that it leads to.

use tbindex::{PieceType, Square};

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

/// The value that a move gives, and whether the move captures en passant.
struct Worth {
    value: Value,
    en_passant: bool,
}

/// Win, draw or loss: what the fifty-move rule draws is a draw.
fn result(value: Value) -> Outcome {
    match value.outcome {
        Outcome::CursedWin | Outcome::BlessedLoss => Outcome::Draw,
        outcome => outcome,
    }
}

impl Table {
    /// A position with its best moves. The library has the tables that the table leads to. If the query asks for captures en
    /// passant that alone keep the outcome, the position comes once for each pawn for which this is so, with the right to
    /// capture it.
    ///
    /// # Errors
    /// If a table is missing, or can't be read.
    pub fn list(
        &self,
        library: &Library,
        hit: &Hit,
        en_passant: bool,
    ) -> Result<Vec<Listed>, ProbeError> {
        let mut all = Vec::new();
        let passed = Square::all().filter(|_| en_passant);
        for position in passed.filter_map(|passed| GamePosition::new(&hit.position, Some(passed))) {
            let worths = self.worths(library, &position)?;
            let values = worths.iter().map(|worth| worth.value);
            let Some(value) = values.max_by_key(|value| value.preference()) else {
                continue;
            };
            let mut keeping = worths.iter().filter(|w| result(w.value) == result(value));
            if result(value) != Outcome::Loss && keeping.all(|worth| worth.en_passant) {
                all.push(Listed::new(position, value, &worths));
            }
        }
        if let (true, Some(position)) = (all.is_empty(), GamePosition::new(&hit.position, None)) {
            let worths = self.worths(library, &position)?;
            all.push(Listed::new(position, hit.value, &worths));
        }
        Ok(all)
    }

    /// The worth of each move, in their order.
    fn worths(&self, library: &Library, position: &GamePosition) -> Result<Vec<Worth>, ProbeError> {
        let before = position.position();
        let worth = |step: &Move| {
            let onto_nothing = before.board[step.to.index()].is_none();
            Ok(Worth {
                value: library.worth(step, self)?,
                en_passant: step.piece == PieceType::Pawn && step.capture && onto_nothing,
            })
        };
        position.moves().iter().map(worth).collect()
    }
}

impl Listed {
    fn new(position: GamePosition, value: Value, worths: &[Worth]) -> Listed {
        let preference = |k: usize| worths[k].value.preference();
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
