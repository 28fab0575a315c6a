//! The progress of long operations, and the way to stop them.

use std::cell::Cell;

use super::error::StoreError;

/// The progress of a long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The phase of the work.
    pub phase: Phase,
    /// The work that is done, in the unit of the phase.
    pub done: u64,
    /// All the work of the phase, where that is known.
    pub total: Option<u64>,
}

/// A phase of a long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Indices are read. The unit is an index, of all files together.
    Reading,
    /// Indices that were read are sorted. There is no unit, and 0 is done.
    Sorting,
    /// The result is handed out. The unit is an index.
    Writing,
    /// A file is checked. The unit is a byte.
    Checking,
    /// Placements are enumerated. The unit is a chunk of an [`Enumeration`](crate::Enumeration).
    Enumerating,
}

impl Phase {
    /// The progress that so much of this phase is done, of `total` if that is known.
    pub(super) const fn progress(self, done: u64, total: Option<u64>) -> Progress {
        Progress {
            phase: self,
            done,
            total,
        }
    }
}

/// The watch that ignores the progress and never ends the work.
///
/// # Errors
/// None.
pub const fn unwatched(_: Progress) -> Result<(), StoreError> {
    Ok(())
}

/// The watch function of an operation within this module.
pub(super) type Watch<'a> = dyn FnMut(Progress) -> Result<(), Ended> + 'a;

/// The function of an operation within this module that takes the result in slices.
pub(super) type Take<'a, W> = dyn FnMut(&[W]) -> Result<(), Ended> + 'a;

/// The reason why an operation ended early. An error of the caller's own type is put aside meanwhile, so that the operation
/// is compiled here, once, and not with the caller for his type.
#[derive(Debug)]
pub(super) enum Ended {
    /// The operation failed.
    Failed(StoreError),
    /// A function of the caller returned an error, which is put aside.
    ByCaller,
}

impl From<StoreError> for Ended {
    fn from(error: StoreError) -> Ended {
        Ended::Failed(error)
    }
}

/// The place where an error of the caller's own type is put.
pub(super) struct Aside<E>(Cell<Option<E>>);

impl<E> Aside<E> {
    /// Puts the error of a function of the caller aside.
    pub(super) fn put(&self, result: Result<(), E>) -> Result<(), Ended> {
        result.map_err(|error| {
            self.0.set(Some(error));
            Ended::ByCaller
        })
    }
}

/// Calls an operation that puts errors of the caller aside, and returns its result with the caller's errors.
pub(super) fn with_errors_of_caller<T, E: From<StoreError>>(
    operation: impl FnOnce(&Aside<E>) -> Result<T, Ended>,
) -> Result<T, E> {
    let aside = Aside(Cell::new(None));
    operation(&aside).map_err(|ended| match ended {
        Ended::Failed(error) => error.into(),
        Ended::ByCaller => aside.0.take().expect("the error was put aside"),
    })
}
