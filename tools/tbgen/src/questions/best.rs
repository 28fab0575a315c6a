//! The best moves of a position, by the values of a table and of those that it leads to.

use tbindex::{Material, Position};

use crate::chess::board::Board;
use crate::chess::error::ProbeError;
use crate::chess::game::{AnyBoard, GamePosition};
use crate::subtables::library::Library;
use crate::table::shape::table_of;
use crate::table::solved::Table;
use crate::table::value::Value;

impl Table {
    /// The best moves of a legal position of the table's material, as people write them: winners hurry, losers delay. The
    /// library has the tables that the table leads to.
    ///
    /// # Errors
    /// If a table is missing, or can't be read.
    pub fn best_moves(
        &self,
        library: &Library,
        position: &Position,
    ) -> Result<Vec<String>, ProbeError> {
        let Some(board) = Board::new(position, None) else {
            return Ok(Vec::new());
        };
        let position = GamePosition::from(board);
        let moves = position.moves();
        let value = |after: &Position| -> Result<Value, ProbeError> {
            let material: Material = after.material()?;
            match table_of(&material).0 == self.material() {
                true => self.value(after),
                false => library.value(after),
            }
        };
        let mut worths = Vec::new();
        for step in &moves {
            if let AnyBoard::Chess(board) = step.after.board() {
                let after = board.value(self.metric(), value)?;
                worths.push(self.metric().after_move(after, step.zeroing).preference());
            }
        }
        let best = worths.iter().max();
        let best = (0..moves.len()).filter(|&k| Some(&worths[k]) == best);
        Ok(best.map(|k| position.san(&moves, k)).collect())
    }
}
