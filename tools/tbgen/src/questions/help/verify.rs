//! Checks tables of helpmates by the moves of another move generator.

use tbindex::Position;

use super::tables::{HelpTables, HelpValue};
use crate::chess::game::GamePosition;
use crate::probe::verify::{Check, VerifyError, verify};
use crate::table::solved::Table;
use crate::table::value::Value;

impl HelpTables {
    /// Checks that every value of a table of helpmates is the one that the position's legal moves imply by these tables, and that
    /// no illegal position has a value. Returns the number of legal positions that were checked.
    ///
    /// # Errors
    /// If a value is wrong (the error has one such position), or if a table is missing.
    ///
    /// # Panics
    /// If the table is not one of helpmates.
    pub fn verify<'a>(
        &self,
        table: &Table,
        check: impl Into<Check<'a>>,
    ) -> Result<u64, VerifyError> {
        let victim = table.metric().victim().expect("a table of helpmates");
        let text = |value: &Value| match HelpValue::of(*value) {
            Some(HelpValue { plies, unique }) => {
                let solutions = if unique { "one solution" } else { "several" };
                format!("helpmate in {plies} plies with {solutions}")
            }
            None => "no helpmate".to_owned(),
        };
        let (fen, board) = (Position::to_string, |position: &_| {
            GamePosition::new(position, None)
        });
        verify(table, check.into(), fen, text, board, |board| {
            let expected = self.value_by_moves(board, victim)?;
            let value = |HelpValue { plies, unique }| Value::help(plies, unique);
            Ok(expected.map_or(Value::DRAW, value))
        })
    }
}
