//! Files in the making: written beside their target, published in one step.
//!
//! A file is written as `.NAME.partial` beside its target, synced, and renamed; then its folder is
//! synced. So there is at every moment either no file under the final name, or the old one, or the
//! whole new one. The partial file is locked while a writer is at work on it, which is how a second
//! writer is refused; a writer that was killed leaves an unlocked one, and the next writer takes it
//! over, if it is a plain file of its own user and nothing else: not through a symbolic link, and not
//! one that is also there under another name.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::StoreError;

/// What to do about a file that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Leave it, and report an error.
    Refuse,
    /// Replace it in one step, once the new one is complete. Only a regular file is ever replaced; of a
    /// symbolic link, the file that it leads to.
    Replace,
}

/// A file of any content in the making: it gets its name when it is complete, in one step.
///
/// It is written beside its target as `.NAME.partial`, under a lock, and removed if it is dropped
/// before [`finish`](PartialFile::finish).
///
/// ```
/// use std::io::Write;
/// use tbindex::store::{Overwrite, PartialFile};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("table");
/// let mut file = PartialFile::create(&path, Overwrite::Refuse)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PartialFile {
    /// What the caller calls it.
    path: PathBuf,
    /// What is replaced: the same, but where that is a symbolic link.
    target: PathBuf,
    partial: NamedTempFile,
    overwrite: Overwrite,
    /// Whether a write has failed, so that nobody knows what is in the file.
    failed: bool,
}

impl PartialFile {
    /// Begins a file. It will have the name `path` once it is finished.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced or is no regular file, if another writer is at work
    /// on it, if what lies under the name of the partial file was not left by a writer of the same user,
    /// or if the system refuses.
    pub fn create(path: impl AsRef<Path>, overwrite: Overwrite) -> Result<PartialFile, StoreError> {
        let path = path.as_ref();
        let target = target_of(path, overwrite)?;
        Ok(PartialFile {
            partial: create_partial(path, &target)?,
            path: path.to_owned(),
            target,
            overwrite,
            failed: false,
        })
    }

    /// The name that the file will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the disk has room for so many bytes more.
    ///
    /// # Errors
    /// If it has not, or does not say.
    pub fn check_space(&self, bytes: u64) -> Result<(), StoreError> {
        check_space(folder_of(&self.target), bytes, "the new file")
    }

    /// Brings the file's bytes to the disk and gives it its name, and the permissions of the file that it
    /// replaces, if it does.
    ///
    /// # Errors
    /// If a write has failed before, if the system refuses, or if a file appeared under the name that is
    /// not to be replaced; then there is no new file.
    pub fn finish(self) -> Result<(), StoreError> {
        if self.failed {
            return Err(StoreError::Unfinished { path: self.path });
        }
        (self.partial.as_file().sync_all()).map_err(StoreError::io(&self.path, WRITE))?;
        // What took the name in the meantime may be no file that can be replaced.
        target_of(&self.target, self.overwrite)?;
        if let Ok(replaced) = fs::metadata(&self.target) {
            // Who may read and write the file is not what is to change.
            let permissions = self
                .partial
                .as_file()
                .set_permissions(replaced.permissions());
            permissions.map_err(StoreError::io(
                &self.path,
                "give the new file the permissions of the old",
            ))?;
        }
        let published = match self.overwrite {
            Overwrite::Replace => self.partial.persist(&self.target),
            Overwrite::Refuse => self.partial.persist_noclobber(&self.target),
        };
        published.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists {
                path: self.path.clone(),
            },
            _ => StoreError::io(&self.path, "rename the finished file")(error.error),
        })?;
        sync_folder(folder_of(&self.target)).map_err(StoreError::io(&self.path, "sync its folder"))
    }

    /// Remembers a failure. An interrupted call has written nothing and is made again.
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.failed |= error.kind() != io::ErrorKind::Interrupted;
        }
        result
    }
}

/// What writing to a file is called in errors.
pub(super) const WRITE: &str = "write to the file";

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.partial.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.partial.flush();
        self.note(flushed)
    }
}

impl Seek for PartialFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.partial.as_file_mut().seek(to)
    }
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file that is to be made or replaced.
fn target_of(path: &Path, overwrite: Overwrite) -> Result<PathBuf, StoreError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(error) => return Err(StoreError::io(path, "create the file")(error)),
    };
    if overwrite == Overwrite::Refuse {
        return Err(StoreError::Exists {
            path: path.to_owned(),
        });
    }
    if !found.is_symlink() {
        check_is_file(path, &found)?;
        return Ok(path.to_owned());
    }
    let follow = || -> io::Result<(fs::Metadata, PathBuf)> {
        Ok((fs::metadata(path)?, fs::canonicalize(path)?))
    };
    let (found, target) =
        follow().map_err(StoreError::io(path, "find what the symbolic link leads to"))?;
    check_is_file(path, &found)?;
    Ok(target)
}

/// Checks that what was found under a name is a regular file.
pub(super) fn check_is_file(path: &Path, found: &fs::Metadata) -> Result<(), StoreError> {
    if found.is_file() {
        return Ok(());
    }
    Err(StoreError::NotAFile {
        path: path.to_owned(),
        found: kind_of(found),
    })
}

/// What something in a folder is, in words.
fn kind_of(found: &fs::Metadata) -> &'static str {
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

/// Checks that a folder has room for so many bytes more, which `what` may take: to be asked before
/// long work, not after it.
///
/// # Errors
/// If it has not ([`StoreError::TooLittleSpace`]), or the system does not say.
pub fn check_space(folder: &Path, bytes: u64, what: &'static str) -> Result<(), StoreError> {
    let found = fs4::available_space(folder)
        .map_err(StoreError::io(folder, "find the free space of this folder"))?;
    if found >= bytes {
        return Ok(());
    }
    Err(StoreError::TooLittleSpace {
        path: folder.to_owned(),
        what,
        found,
        needed: bytes,
    })
}

/// Creates and locks the partial file of a target, or takes over one whose writer is gone; errors call
/// the target `path`.
fn create_partial(path: &Path, target: &Path) -> Result<NamedTempFile, StoreError> {
    let create = |error| StoreError::io(path, "create the file")(error);
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
            lock_partial(path, partial).map_err(|error| match error {
                StoreError::Io { error, .. } => error,
                // It is carried past the signature of make_in.
                other => {
                    refused = Some(other);
                    io::ErrorKind::PermissionDenied.into()
                }
            })
        });
    partial.map_err(|error| refused.unwrap_or_else(|| create(error)))
}

/// Opens and locks the partial file of a target, made if need be, and empties it.
fn lock_partial(path: &Path, partial: &Path) -> Result<File, StoreError> {
    let io = |error| StoreError::io(path, "create the file")(error);
    loop {
        let mut options = File::options();
        options.read(true).write(true);
        // A new one is our own; of an existing one that is found out before it is touched.
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
                return Err(StoreError::Busy {
                    path: path.to_owned(),
                    partial: partial.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        // Between opening and locking, the writer that had it may have published or removed it: then
        // the lock is on a file that has another name by now, or none, and must not be touched.
        let locked = file
            .try_clone()
            .and_then(same_file::Handle::from_file)
            .map_err(io)?;
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
                file.set_len(0).map_err(io)?;
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
    // Asked before it is opened, because opening some things does something to them.
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
    StoreError::ForeignPartial {
        path: path.to_owned(),
        partial: partial.to_owned(),
        found,
    }
}

/// Opens a file, but not what a symbolic link leads to.
fn open_without_following(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits() as i32,
    );
    options.open(path)
}

/// Opens a file, and does not wait for the other end should it be a pipe.
pub(super) fn open_at_once(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    options.open(path)
}

/// Makes a rename last through a power cut. Elsewhere than on Unix folders can't be opened as files.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_not_finished_after_a_write_that_failed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let mut file = PartialFile::create(&path, Overwrite::Refuse).unwrap();
        file.write_all(b"before").unwrap();
        // A file that takes no bytes, for a while.
        let (open, name) = file.partial.into_parts();
        file.partial = NamedTempFile::from_parts(File::open(&name).unwrap(), name);
        file.write_all(b"missing").unwrap_err();
        let (_, name) = file.partial.into_parts();
        file.partial = NamedTempFile::from_parts(open, name);
        file.write_all(b"after").unwrap();
        assert!(matches!(file.finish(), Err(StoreError::Unfinished { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
