//! The reasons why positions have no answer.

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// In place of a number: it failed, for the reason that the other bits number.
pub(super) const FAILED: u16 = 0x8000;
/// In the number of a reason: it is none that [is missing](Failure::is_missing). So of two, damage is the greater.
const DAMAGED: u16 = 0x4000;

/// The number of the reason why a position has no answer; the prober that gave it has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(pub(super) u16);

impl Failure {
    /// Whether there is no answer though nothing is damaged: a table is missing, or could be solved in more memory. Else one is
    /// damaged, or the position is not legal.
    #[must_use]
    pub const fn is_missing(self) -> bool {
        self.0 & DAMAGED == 0
    }

    fn index(self) -> usize {
        usize::from(self.0 & !(FAILED | DAMAGED))
    }
}

/// An error as the reason why many positions have no answer.
pub trait Reason: Clone {
    /// As [`Failure::is_missing`] has it.
    fn is_missing(&self) -> bool;

    /// A text that errors have which are one reason. So is all damage to a file.
    fn what(&self) -> String;
}

impl Reason for Error {
    fn is_missing(&self) -> bool {
        matches!(self, Error::Missing { .. })
    }

    fn what(&self) -> String {
        match self {
            Error::Damaged { file, .. } => file.to_string(),
            other => other.to_string(),
        }
    }
}

/// Numbers errors of Syzygy files as the reasons why positions have no answer.
pub trait Report: Debug + Sync {
    /// The number of an error.
    fn failed(&self, error: Error) -> Failure;
}

impl Report for Failures<Error> {
    fn failed(&self, error: Error) -> Failure {
        self.number(error)
    }
}

/// Reasons, each of them once, and for how many positions it was.
#[derive(Debug)]
pub struct Failures<E> {
    all: Mutex<Vec<(String, E, u64)>>,
}

impl<E> Default for Failures<E> {
    fn default() -> Failures<E> {
        Failures {
            all: Mutex::default(),
        }
    }
}

impl<E: Reason> Failures<E> {
    fn lock(&self) -> MutexGuard<'_, Vec<(String, E, u64)>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a reason. Of a damaged file, the first place that was found stands for all.
    pub fn number(&self, reason: E) -> Failure {
        let what = reason.what();
        let damaged = if reason.is_missing() { 0 } else { DAMAGED };
        let mut all = self.lock();
        let found = all.iter().position(|(other, ..)| *other == what);
        let number = found.unwrap_or_else(|| {
            // The last one stands for all that there are no numbers for.
            if all.len() == usize::from(DAMAGED) {
                return all.len() - 1;
            }
            all.push((what, reason, 0));
            all.len() - 1
        });
        Failure(FAILED | damaged | number as u16)
    }

    /// Counts failures.
    pub fn count(&self, failures: impl Iterator<Item = Failure>) {
        let mut all = self.lock();
        failures.for_each(|failure| all[failure.index()].2 += 1);
    }

    /// The reason of a number.
    ///
    /// # Panics
    /// If it is a number of others.
    pub fn reason(&self, failure: Failure) -> E {
        self.lock()[failure.index()].1.clone()
    }

    /// The reasons that were counted, and how often.
    pub fn counted(&self) -> Vec<(E, u64)> {
        let all = self.lock();
        let counted = all.iter().filter(|(.., count)| *count > 0);
        let counted = counted.map(|(_, reason, count)| (reason.clone(), *count));
        counted.collect()
    }
}
