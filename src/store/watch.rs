//! The progress of long operations, and the way to stop them.

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
#[doc = include_str!("example.txt")]
/// let file = IndexFile::open(&path, Backend::detect())?;
/// assert!(file.verify(2, &mut unwatched).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None.
pub const fn unwatched(_: Progress) -> Result<(), StoreError> {
    Ok(())
}

/// The function that is told the progress of a [long operation](super#long-operations), and ends it by an error.
pub type Watch<'a> = dyn FnMut(Progress) -> Result<(), StoreError> + 'a;

/// The function that is handed the result of a [long operation](super#long-operations) in slices, and ends it by an error.
pub type Take<'a, W> = dyn FnMut(&[W]) -> Result<(), StoreError> + 'a;
