//! The solutions of a help-problem.

use tbindex::Color;

use super::tables::HelpTables;
use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;

/// Sequences of moves to a checkmate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solutions {
    /// The moves of each in standard algebraic notation, in the order of the moves.
    pub found: Vec<Vec<String>>,
    /// Whether there are more, which are not among these.
    pub more: bool,
}

impl HelpTables {
    /// The sequences of exactly so many plies from a position to a checkmate of `victim`, but no more than `most` of them.
    ///
    /// # Errors
    /// If a table is not there.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn solutions(
        &self,
        position: &GamePosition,
        victim: Color,
        plies: u16,
        most: usize,
    ) -> Result<Solutions, ProbeError> {
        let mut solutions = Solutions::default();
        let value = self.value(position, victim)?;
        if value.is_none_or(|value| value.plies > plies) {
            return Ok(solutions);
        }
        if plies == 0 {
            let found = vec![Vec::new(); most.min(1)];
            let more = most == 0;
            return Ok(Solutions { found, more });
        }
        let moves = position.moves();
        for (number, step) in moves.iter().enumerate() {
            let left = most - solutions.found.len();
            let after = self.solutions(&step.after, victim, plies - 1, left)?;
            for mut line in after.found {
                line.insert(0, position.san(&moves, number));
                solutions.found.push(line);
            }
            if after.more {
                solutions.more = true;
                break;
            }
        }
        Ok(solutions)
    }
}
