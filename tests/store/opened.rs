//! Files that are mapped, which no test changes meanwhile.

#![allow(unsafe_code, reason = "mapping a file is unsafe, as it may change")]

use std::path::Path;

use tbindex::store::{Access, AnyStorage, IndexFile, StoreError};

/// Maps or reads a file.
pub(crate) fn open_by(
    path: impl AsRef<Path>,
    access: Access,
) -> Result<IndexFile<AnyStorage>, StoreError> {
    // SAFETY: the file does not change.
    let storage = unsafe { AnyStorage::open(&path, access) }?;
    IndexFile::from_storage(path.as_ref(), storage)
}

/// Maps a file.
pub(crate) fn map(path: &Path) -> IndexFile<impl AsRef<[u8]> + Sync + use<>> {
    // SAFETY: the file does not change.
    unsafe { IndexFile::map(path) }.unwrap()
}
