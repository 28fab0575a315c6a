//! The partial file of a target: created or taken over, and locked.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::super::error::{StoreError, StoreErrorKind};
use super::super::folders::folder_of;
use super::super::regular::{kind_of, open_without_following};

/// Creates and locks the partial file of a target, or takes over one whose writer is gone. In errors the
/// target has the name `path`.
pub(super) fn create_partial(path: &Path, target: &Path) -> Result<NamedTempFile, StoreError> {
    let create = StoreError::io(path, "create the file");
    let Some(name) = target.file_name() else {
        return Err(create(io::ErrorKind::InvalidInput.into()));
    };
    let mut prefix = OsString::from(".");
    prefix.push(name);
    let mut refused = None;
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".partial")
        .rand_bytes(0)
        .make_in(folder_of(target), |partial| {
            lock_partial(path, partial).map_err(|error| match error.into_kind() {
                StoreErrorKind::Io { error, .. } => error,
                // `make_in` only lets errors of the system through.
                other => {
                    refused = Some(other.at(path));
                    io::ErrorKind::PermissionDenied.into()
                }
            })
        });
    partial.map_err(|error| refused.unwrap_or_else(|| create(error)))
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
                return Err(StoreErrorKind::Busy {
                    partial: partial.to_owned(),
                }
                .at(path));
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        // Between opening and locking, the writer that had it may have published or removed it: then
        // the lock is on a file that has another name by now, or none, and must not be touched.
        let locked = file
            .try_clone()
            .and_then(same_file::Handle::from_file)
            .map_err(&io)?;
        let named = match fs::symlink_metadata(partial) {
            Ok(found) if !found.is_file() => continue,
            Ok(_) => same_file::Handle::from_path(partial),
            Err(error) => Err(error),
        };
        match named {
            Ok(named) if named == locked => {
                if !is_new {
                    check_left(&file, path, partial)?;
                }
                file.set_len(0).map_err(&io)?;
                return Ok(file);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(error)),
        }
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
        true => open_without_following(options, partial).map(Ok),
        false => Ok(Err(foreign(path, partial, kind_of(&found)))),
    });
    match opened {
        Ok(file) => file.map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path, "create the file")(error)),
    }
}

/// Checks that an existing partial file is what a writer of this user left, and nothing else.
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

fn foreign(path: &Path, partial: &Path, found: &'static str) -> StoreError {
    StoreErrorKind::ForeignPartial {
        partial: partial.to_owned(),
        found,
    }
    .at(path)
}
