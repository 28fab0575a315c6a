//! The reasons why positions have no answer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// In place of a number: it failed, for the reason that the other bits number.
pub(super) const FAILED: u16 = 0x8000;

/// All reasons, one for each file that is missing or damaged, and for how many positions each was.
#[derive(Debug, Default)]
pub(super) struct Failures {
    all: Mutex<Vec<(Error, u64)>>,
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

    /// Counts failures of these numbers.
    pub(super) fn count(&self, numbers: impl Iterator<Item = u16>) {
        let mut all = self.lock();
        for number in numbers {
            all[usize::from(number & !FAILED)].1 += 1;
        }
    }

    pub(super) fn reason(&self, number: u16) -> Error {
        self.lock()[usize::from(number & !FAILED)].0.clone()
    }

    /// The reasons for which positions failed, and how many.
    pub(super) fn all(&self) -> Vec<(Error, u64)> {
        let all = self.lock();
        all.iter()
            .filter(|(_, count)| *count > 0)
            .cloned()
            .collect()
    }
}

fn is_same(one: &Error, other: &Error) -> bool {
    match (one, other) {
        (Error::Io { file: one, .. }, Error::Io { file: other, .. })
        | (Error::Damaged { file: one, .. }, Error::Damaged { file: other, .. }) => one == other,
        (
            Error::Missing { material, kind },
            Error::Missing {
                material: other,
                kind: other_kind,
            },
        ) => (material, kind) == (other, other_kind),
        (Error::Illegal(one), Error::Illegal(other)) => one == other,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
