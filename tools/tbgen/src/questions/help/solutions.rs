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
    /// How many there are, with those that are not among these, if they were counted.
    pub count: Option<u64>,
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
        let mut has = |position: &GamePosition, plies| {
            let value = self.value(position, victim)?;
            Ok(value.is_some_and(|value| value.plies <= plies))
        };
        list(&mut Vec::new(), position, plies, most, &mut has)
    }
}

/// The sequences of so many plies after some moves, which are a part of each, but no more than `most` of them, along which `has`
/// finds one of the plies that are left.
pub(super) fn list(
    before: &mut Vec<String>,
    position: &GamePosition,
    plies: u16,
    most: usize,
    has: &mut dyn FnMut(&GamePosition, u16) -> Result<bool, ProbeError>,
) -> Result<Solutions, ProbeError> {
    let mut solutions = Solutions::default();
    if !has(position, plies)? {
        return Ok(solutions);
    }
    if plies == 0 {
        solutions.found = vec![before.clone(); most.min(1)];
        solutions.more = most == 0;
        return Ok(solutions);
    }
    let moves = position.moves();
    for (number, step) in moves.iter().enumerate() {
        let left = most - solutions.found.len();
        before.push(position.san(&moves, number));
        let after = list(before, &step.after, plies - 1, left, has)?;
        before.pop();
        solutions.found.extend(after.found);
        if after.more {
            solutions.more = true;
            break;
        }
    }
    Ok(solutions)
}
