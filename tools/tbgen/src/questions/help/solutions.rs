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
        self.search(
            position,
            victim,
            plies,
            most,
            &mut Vec::new(),
            &mut solutions,
        )?;
        Ok(solutions)
    }

    /// Adds the solutions that go on from a position after some moves.
    fn search(
        &self,
        position: &GamePosition,
        victim: Color,
        plies: u16,
        most: usize,
        before: &mut Vec<String>,
        solutions: &mut Solutions,
    ) -> Result<(), ProbeError> {
        let value = self.value(position, victim)?;
        if solutions.more || value.is_none_or(|value| value.plies > plies) {
            return Ok(());
        }
        if plies == 0 {
            match solutions.found.len() < most {
                true => solutions.found.push(before.clone()),
                false => solutions.more = true,
            }
            return Ok(());
        }
        let moves = position.moves();
        for (number, step) in moves.iter().enumerate() {
            before.push(position.san(&moves, number));
            self.search(&step.after, victim, plies - 1, most, before, solutions)?;
            before.pop();
        }
        Ok(())
    }
}
