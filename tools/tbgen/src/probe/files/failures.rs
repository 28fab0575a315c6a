//! The reasons why positions have no answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use syzygy_tables::batch;

use crate::chess::piece_set::Endgame;
use crate::probe::answer::TablesError;
use crate::table::value::Metric;

/// The number of the reason why a position has no answer; [`BatchProber::reason`](crate::BatchProber::reason) has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(u16);

/// In the number of a reason: nothing is damaged.
const MISSING: u16 = 0x8000;

impl Failure {
    /// Whether there is no answer though nothing is damaged: a table is missing, or takes too much memory to solve. Else one is
    /// damaged, or the position is not legal.
    #[must_use]
    pub const fn is_missing(self) -> bool {
        self.0 & MISSING != 0
    }
}

/// What failed. It is one reason, however many positions it keeps from their answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::probe) enum Cause {
    /// An own table, which is missing or damaged.
    Own(Endgame, Metric),
    Syzygy(batch::Failure),
    /// What positions with these pieces need can't be solved, and whether it takes too much memory alone.
    Solve(Endgame, bool),
    /// A table is damaged that moves of positions with these pieces lead to.
    Moves(Endgame),
    Illegal(&'static str),
}

/// All reasons, and for how many positions each was.
#[derive(Debug, Default)]
pub(in crate::probe) struct Failures {
    all: Mutex<Vec<(Cause, TablesError, u64)>>,
}

impl Failures {
    fn lock(&self) -> MutexGuard<'_, Vec<(Cause, TablesError, u64)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a reason. Of a damaged file, the first place that was found stands for all.
    pub(in crate::probe) fn number(
        &self,
        cause: Cause,
        error: impl FnOnce() -> TablesError,
    ) -> Failure {
        let mut all = self.lock();
        let found = all.iter().position(|(other, ..)| *other == cause);
        let number = found.unwrap_or_else(|| {
            all.push((cause, error(), 0));
            all.len() - 1
        });
        let missing = all[number].1.is_missing();
        Failure(number as u16 | if missing { MISSING } else { 0 })
    }

    /// Counts failures.
    pub(in crate::probe) fn count(&self, failures: impl Iterator<Item = Failure>) {
        let mut all = self.lock();
        for failure in failures {
            all[usize::from(failure.0 & !MISSING)].2 += 1;
        }
    }

    pub(in crate::probe) fn reason(&self, failure: Failure) -> TablesError {
        self.lock()[usize::from(failure.0 & !MISSING)].1.clone()
    }

    /// The reasons for which positions failed, and how many.
    pub(in crate::probe) fn all(&self) -> Vec<(TablesError, u64)> {
        let all = self.lock();
        let counted = all.iter().filter(|(.., count)| *count > 0);
        counted
            .map(|(_, error, count)| (error.clone(), *count))
            .collect()
    }
}
