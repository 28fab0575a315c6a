//! The reasons why positions have no answer.

use std::mem::discriminant;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// In place of a number: it failed, for the reason that the other bits number.
pub(super) const FAILED: u16 = 0x8000;

/// The number of the reason why a position has no answer; [`BatchProber::reason`](super::BatchProber::reason) has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(pub(super) u16);

/// All reasons, one for each file that is missing or damaged, and for how many positions each was.
#[derive(Debug, Default)]
pub(super) struct Failures {
    all: Mutex<Vec<(Error, u64)>>,
}

impl Failure {
    fn index(self) -> usize {
        usize::from(self.0 & !FAILED)
    }
}

impl Failures {
    fn lock(&self) -> MutexGuard<'_, Vec<(Error, u64)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a reason, with [`FAILED`]. Of a damaged file, the first place that was found stands for all.
    pub(super) fn number(&self, error: Error) -> u16 {
        let mut all = self.lock();
        let found = all.iter().position(|(other, _)| is_same(other, &error));
        let number = found.unwrap_or_else(|| {
            all.push((error, 0));
            all.len() - 1
        });
        FAILED | number as u16
    }

    /// A number, or that of the reason why there is none.
    #[inline]
    pub(super) fn or_number(&self, found: Result<u16, Error>) -> u16 {
        found.unwrap_or_else(|error| self.number(error))
    }

    /// Counts the failures among answers.
    pub(super) fn count<A>(&self, answers: &[Result<A, Failure>]) {
        let mut all = self.lock();
        for failure in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            all[failure.index()].1 += 1;
        }
    }

    pub(super) fn reason(&self, failure: Failure) -> Error {
        self.lock()[failure.index()].0.clone()
    }

    /// The reasons for which positions failed, and how many.
    pub(super) fn all(&self) -> Vec<(Error, u64)> {
        let all = self.lock();
        let counted = all.iter().filter(|(_, count)| *count > 0);
        counted.cloned().collect()
    }
}

fn is_same(one: &Error, other: &Error) -> bool {
    match (one, other) {
        (Error::Damaged { file: one, .. }, Error::Damaged { file: other, .. }) => one == other,
        _ => discriminant(one) == discriminant(other) && one.to_string() == other.to_string(),
    }
}
