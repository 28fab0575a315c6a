//! The memory that long operations state before they begin.

use std::fmt::Display;

use super::error::{StoreError, StoreErrorKind};

/// The memory of the process before anything is done: the program, its stacks, the buffers of readers
/// and of the writer. Measured, and rounded up.
pub(super) const BASE: u64 = 12 << 20;
/// The memory that each thread takes in addition.
pub(super) const PER_THREAD: u64 = 1 << 20;

/// The error that an operation was given less memory than it needs.
pub(super) fn too_little(found: u64, needed: u128, operation: impl Display) -> StoreError {
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    let message =
        format!("{found} bytes of memory are too little: expected at least {needed} ({operation})");
    StoreError::new(StoreErrorKind::TooLittleMemory { found, needed }, message)
}
