//! The solutions of a help-problem.

use tbindex::Color;

use crate::chess::game::GamePosition;
use crate::probe::answer::TablesError;
use crate::probe::prober::Prober;
use crate::probe::tables::Tables;
use crate::table::value::{Metric, Value};

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

impl Tables {
    /// The sequences of exactly so many plies from a position to a checkmate of `victim`, but no more than `most` of them.
    ///
    /// # Errors
    /// As of [`value`](Tables::value).
    pub fn solutions(
        &self,
        position: &GamePosition,
        victim: Color,
        plies: u16,
        most: usize,
    ) -> Result<Solutions, TablesError> {
        let metric = Metric::help(victim);
        // It refuses what no table of helpmates has.
        self.value(metric, position)?;
        let solutions = |prober: &Prober<'_>| {
            let mut has = |position: &GamePosition, plies| {
                let (value, _) = prober.value(metric, position)?;
                Ok(value != Value::DRAW && value.plies <= plies)
            };
            list(&mut Vec::new(), position, plies, most, &mut has)
        };
        self.ask(position, metric.of_smaller(), true, solutions, |_| true)
    }

    /// Which sides can still checkmate the other by some sequence of moves, white first. If neither can, the position is
    /// dead.
    ///
    /// # Errors
    /// As of [`value`](Tables::value).
    pub fn can_mate(&self, position: &GamePosition) -> Result<[bool; 2], TablesError> {
        let of = |metric| Ok::<_, TablesError>(self.value(metric, position)?.0 != Value::DRAW);
        Ok([of(Metric::HelpBlack)?, of(Metric::HelpWhite)?])
    }
}

/// The sequences of so many plies after some moves, which are a part of each, but no more than `most` of them, along which `has`
/// finds one of the plies that are left.
pub(super) fn list(
    before: &mut Vec<String>,
    position: &GamePosition,
    plies: u16,
    most: usize,
    has: &mut dyn FnMut(&GamePosition, u16) -> Result<bool, TablesError>,
) -> Result<Solutions, TablesError> {
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
