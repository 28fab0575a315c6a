//! The folders that files are written to.

use std::fs::File;
use std::io;
use std::path::Path;

use super::super::error::{StoreError, StoreErrorKind};

/// The folder that a file of this path lies in, or would lie in: `.` if it is a name alone.
pub(in super::super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Checks that a folder has room for so many bytes more, before long work; `what` names their use.
///
/// ```
/// # use tbindex::store::{StoreErrorKind, check_space};
/// # let folder = tempfile::tempdir()?;
/// check_space(folder.path(), 1 << 10, "the table")?;
/// let error = check_space(folder.path(), u64::MAX, "the table").unwrap_err();
/// assert!(matches!(error.kind, StoreErrorKind::TooLittleSpace { needed: u64::MAX, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the folder lacks the room ([`TooLittleSpace`](StoreErrorKind::TooLittleSpace)), or the system does not say how much
/// there is.
pub fn check_space(folder: &Path, bytes: u64, what: &str) -> Result<(), StoreError> {
    #[cfg(any(unix, windows))]
    let found = fs4::available_space(folder);
    #[cfg(not(any(unix, windows)))]
    let found: io::Result<u64> = Err(io::ErrorKind::Unsupported.into());
    let found = found.map_err(StoreError::io(folder, "find the free space of this folder"))?;
    if found >= bytes {
        return Ok(());
    }
    let kind = StoreErrorKind::TooLittleSpace {
        found,
        needed: bytes,
    };
    let message = format!(
        "{what} may take {} MiB, and {} MiB are free: expected a folder with more space",
        bytes.div_ceil(1 << 20),
        found >> 20
    );
    Err(StoreError::new(kind, message).at(folder))
}

/// Makes a rename last through a power cut. On Unix alone: elsewhere folders can't be opened as files.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
