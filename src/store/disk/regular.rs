//! Regular files: how they are told from folders, pipes and devices, and how they are opened.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::super::error::{StoreError, StoreErrorKind};

/// Checks that a name is that of a regular file.
pub(in super::super) fn check_is_file(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    if found.is_file() {
        return Ok(());
    }
    let message = format!("it is {}: expected a regular file", kind_of(found));
    Err(StoreError::new(StoreErrorKind::NotAFile, message).at(path))
}

/// Whether a regular file has a name, or is what the symbolic link of this name leads to.
///
/// ```
/// # use tbindex::store::is_file;
/// # let folder = tempfile::tempdir()?;
/// assert!(!is_file(&folder.path().join("missing.tbi"))?);
/// let error = is_file(folder.path()).unwrap_err();
/// assert_eq!(error.to_string(), "it is a folder: expected a regular file");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the name is that of something else, such as a folder, a pipe or a link that leads nowhere, or if the system refuses.
pub fn is_file(path: &Path) -> io::Result<bool> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            link => link?,
        },
        found => found?,
    };
    if found.is_file() {
        return Ok(true);
    }
    let nowhere = if found.is_symlink() {
        " that leads nowhere"
    } else {
        ""
    };
    let message = format!(
        "it is {}{nowhere}: expected a regular file",
        kind_of(&found)
    );
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// The words by which errors call something in a folder.
pub(super) fn kind_of(found: &fs::Metadata) -> &'static str {
    let kind = found.file_type();
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        } else if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    match (kind.is_dir(), kind.is_symlink(), kind.is_file()) {
        (true, ..) => "a folder",
        (_, true, _) => "a symbolic link",
        (.., true) => "a regular file",
        _ => "nothing that holds bytes",
    }
}

/// Opens a file, without waiting for the other end if it turns out to be a pipe. A symbolic link is followed if that
/// is asked for.
pub(in super::super) fn open_at_once(
    options: &mut OpenOptions,
    path: &Path,
    follow: bool,
) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let mut flags = OFlags::NONBLOCK;
        flags.set(OFlags::NOFOLLOW, !follow);
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits() as i32);
    }
    #[cfg(not(unix))]
    let _ = follow;
    options.open(path)
}
