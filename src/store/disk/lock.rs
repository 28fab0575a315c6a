//! The partial file of a target: created or taken over, and locked.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::super::error::{StoreError, StoreErrorKind};
use super::folder::folder_of;
use super::regular::{kind_of, open_at_once};

/// Creates and locks the partial file of a target, or takes over one whose writer is gone. In errors the
/// target has the name `path`.
pub(super) fn create_partial(path: &Path, target: &Path) -> Result<NamedTempFile, StoreError> {
    let create = StoreError::io(path, "create the file");
    let Some(name) = target.file_name() else {
        return Err(create(io::ErrorKind::InvalidInput.into()));
    };
    let prefix = prefix_for(name);
    let mut refused = None;
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(SUFFIX)
        .rand_bytes(0)
        .make_in(folder_of(target), |partial| {
            lock_partial(path, partial).map_err(|error| {
                // `make_in` only lets errors of the system through.
                refused = Some(error);
                io::ErrorKind::PermissionDenied.into()
            })
        });
    partial.map_err(|error| refused.unwrap_or_else(|| create(error)))
}

const SUFFIX: &str = ".partial";

/// The most bytes of a file's name that every system takes.
const MOST_NAME_BYTES: usize = 255;

/// The beginning of a partial file's name: `.NAME`. Of a name that would become too long, the end is replaced by
/// a checksum of all of it, so that each target still has a partial file of its own.
fn prefix_for(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    let room = MOST_NAME_BYTES - prefix.len() - SUFFIX.len();
    if name.len() <= room {
        prefix.push(name);
        return prefix;
    }
    let bytes = name.as_encoded_bytes();
    // Two checksums, as one has only 32 bits.
    let mut reversed = bytes.to_vec();
    reversed.reverse();
    let sum = format!(
        "-{:08x}{:08x}",
        crc32fast::hash(bytes),
        crc32fast::hash(&reversed)
    );
    let kept = String::from_utf8_lossy(&bytes[..(room - sum.len()) / 3]);
    prefix.push(&*kept);
    prefix.push(sum);
    prefix
}

/// Opens and locks the partial file of a target, which is created if need be, and empties it.
fn lock_partial(path: &Path, partial: &Path) -> Result<File, StoreError> {
    let io = StoreError::io(path, "create the file");
    loop {
        let mut options = File::options();
        options.read(true).write(true);
        // A new file is our own. An existing one is examined before it is touched.
        let (file, is_new) = match options.clone().create_new(true).open(partial) {
            Ok(file) => (file, true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                match open_left(&mut options, path, partial)? {
                    Some(file) => (file, false),
                    None => continue,
                }
            }
            Err(error) => return Err(io(error)),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!(
                    "another process is writing this file, or this one is already (it holds {})",
                    partial.display()
                );
                return Err(StoreError::new(StoreErrorKind::Busy, message).at(path));
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        // Between opening and locking, the writer that had it may have published or removed it: then
        // the lock is on a file that has another name by now, or none, and must not be touched.
        match has_name(&file, partial) {
            Ok(true) if is_new => return Ok(file),
            Ok(true) => {
                check_left(&file, path, partial)?;
                file.set_len(0).map_err(&io)?;
                return Ok(file);
            }
            Ok(false) => {}
            Err(error) => {
                if is_new {
                    // It is empty and locked, so nobody misses it.
                    let _ = fs::remove_file(partial);
                }
                return Err(io(error));
            }
        }
    }
}

/// Whether an open file has this name, and is no symbolic link.
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    let named = match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Ok(false),
        Ok(_) => same_file::Handle::from_path(path),
        Err(error) => Err(error),
    };
    match named {
        Ok(named) => Ok(named == file.try_clone().and_then(same_file::Handle::from_file)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a partial file that another writer left, unless it is gone by now.
fn open_left(
    options: &mut OpenOptions,
    path: &Path,
    partial: &Path,
) -> Result<Option<File>, StoreError> {
    // Asked before it is opened, because opening some things has effects.
    let opened = fs::symlink_metadata(partial).and_then(|found| match found.is_file() {
        true => open_at_once(options, partial, false).map(Ok),
        false => Ok(Err(foreign(path, partial, kind_of(&found)))),
    });
    match opened {
        Ok(file) => file.map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, "create the file")(error)),
    }
}

/// Checks that an existing partial file was left by a writer of this user.
fn check_left(file: &File, path: &Path, partial: &Path) -> Result<(), StoreError> {
    let found = file
        .metadata()
        .map_err(StoreError::io(path, "create the file"))?;
    if !found.is_file() {
        return Err(foreign(path, partial, kind_of(&found)));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(foreign(path, partial, "another user's file"));
        } else if found.nlink() > 1 {
            return Err(foreign(path, partial, "a file that has other names, too"));
        }
    }
    Ok(())
}

fn foreign(path: &Path, partial: &Path, found: &str) -> StoreError {
    let message = format!(
        "can't be written by way of {}, which is {found}: expected nothing, or what a writer of yours left",
        partial.display()
    );
    StoreError::new(StoreErrorKind::ForeignPartial, message).at(path)
}
