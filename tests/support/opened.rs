//! Files that are opened in every way, and that no test changes while they are mapped.

#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "for tests alone"
)]
#![allow(unsafe_code, reason = "mapping a file is unsafe, as it may change")]

use std::path::Path;
use std::sync::Arc;

use tbindex::batch::Backend;
use tbindex::store::{IndexFile, Storage, StoreError, StoredWord};

/// How a file is opened.
pub type Open = fn(&Path) -> Result<IndexFile, StoreError>;

/// The ways in which a file is opened: mapped and read.
pub const WAYS: [Open; 2] = [map_or_error, read];

/// Reads a file.
pub fn read(path: &Path) -> Result<IndexFile, StoreError> {
    IndexFile::open(path, Backend::detect())
}

/// Opens bytes, which errors call `x.tbi`.
pub fn of_bytes(bytes: impl Storage + 'static) -> Result<IndexFile, StoreError> {
    IndexFile::from_storage("x.tbi".as_ref(), Arc::new(bytes), Backend::detect())
}

/// All indices of a mapped file.
pub fn words<W: StoredWord>(file: &IndexFile) -> &[W] {
    file.reader().unwrap().indices().unwrap()
}

/// Maps a file.
pub fn map(path: &Path) -> IndexFile {
    map_or_error(path).unwrap()
}

fn map_or_error(path: &Path) -> Result<IndexFile, StoreError> {
    // SAFETY: the file does not change.
    unsafe { IndexFile::map(path, Backend::detect()) }
}
