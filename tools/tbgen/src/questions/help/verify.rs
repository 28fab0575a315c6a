//! Checks tables of helpmates by the moves of another move generator.

use super::tables::{HelpTables, HelpValue};
use crate::chess::board::Board;
use crate::chess::error::ProbeError;
use crate::probe::verify::{Check, VerifyError, for_each_position};
use crate::table::solved::Table;

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
        for_each_position(table, check.into(), |slot, position| {
            let Some(board) = Board::new(position, None) else {
                return match table.knows_illegal(slot)? {
                    true => Err(VerifyError::IllegalValue(position.to_string())),
                    false => Ok(false),
                };
            };
            let found = table.value_at(slot).map_err(ProbeError::from)?;
            let expected = self.value_by_moves(&board, victim)?;
            if HelpValue::of(found) == expected {
                return Ok(true);
            }
            let text = |value: Option<HelpValue>| match value {
                Some(HelpValue { plies, unique }) => {
                    let solutions = if unique { "one solution" } else { "several" };
                    format!("helpmate in {plies} plies with {solutions}")
                }
                None => "no helpmate".to_owned(),
            };
            Err(VerifyError::Helpmate {
                position: position.to_string(),
                found: text(HelpValue::of(found)),
                expected: text(expected),
            })
        })
    }
}
