//! Files that are written beside their target and published in one step.
//!
//! A file is written as `.NAME.partial` beside its target, synced, and renamed; then its folder is
//! synced. So at every moment the final name stands for no file, for the old one, or for the whole new
//! one. The partial file is locked while a writer is at work on it, which is how a second
//! writer is refused; a writer that was killed leaves an unlocked one, and the next writer takes it
//! over, but only if it is a regular file of the same user: a symbolic link is not followed, and a file
//! that also has another name is left alone.

use std::fs;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::error::{StoreError, StoreErrorKind};
use super::folder::{check_space, folder_of, sync_folder};
use super::listed::Listed;
use super::lock::create_partial;
use super::regular::check_is_file;

/// The treatment of an existing file of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Leave it alone, and return an error.
    Refuse,
    /// Replace it in one step, once the new one is complete. Only a regular file is ever replaced; where
    /// there is a symbolic link, that is the file it leads to.
    Replace,
}

/// A file of any content that gets its name in one step, when it is complete.
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
    /// The path that the caller gave.
    path: PathBuf,
    /// The file that is replaced: the same, or the target of a symbolic link there.
    target: PathBuf,
    partial: NamedTempFile,
    listed: Listed,
    overwrite: Overwrite,
    /// Whether a write has failed, so that something may be missing in the file.
    failed: bool,
}

impl PartialFile {
    /// Begins a file. It will have the name `path` once it is finished.
    ///
    /// ```
    /// # use tbindex::store::{Overwrite, PartialFile, StoreErrorKind};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("table");
    /// std::fs::write(&path, b"old")?;
    /// let error = PartialFile::create(&path, Overwrite::Refuse).unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::Exists);
    /// // One writer is at work on a file at a time.
    /// let _new = PartialFile::create(&path, Overwrite::Replace)?;
    /// let error = PartialFile::create(&path, Overwrite::Replace).unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::Busy);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file exists and is not to be replaced or is no regular file, if another writer is at work
    /// on it, if the file under the name of the partial file was not left by a writer of the same user, or
    /// if the system refuses.
    pub fn create(path: impl AsRef<Path>, overwrite: Overwrite) -> Result<PartialFile, StoreError> {
        let path = path.as_ref();
        let target = target_of(path, overwrite)?;
        let partial = create_partial(path, &target)?;
        Ok(PartialFile {
            listed: Listed::new(partial.path()),
            partial,
            path: path.to_owned(),
            target,
            overwrite,
            failed: false,
        })
    }

    /// The name that the file will have.
    ///
    /// ```
    /// # use tbindex::store::{Overwrite, PartialFile};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("table");
    /// let file = PartialFile::create(&path, Overwrite::Refuse)?;
    /// // There is no such file until it is finished.
    /// assert!(file.path() == path && !path.exists());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that it has while it is made, for others that write parts of it.
    ///
    /// ```
    /// # use tbindex::store::{Overwrite, PartialFile};
    /// # let folder = tempfile::tempdir()?;
    /// let file = PartialFile::create(folder.path().join("table"), Overwrite::Refuse)?;
    /// assert_eq!(file.partial_path(), folder.path().join(".table.partial"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn partial_path(&self) -> &Path {
        self.partial.path()
    }

    /// Checks that the disk has room for so many bytes more.
    pub(in super::super) fn check_space(&self, bytes: u64) -> Result<(), StoreError> {
        check_space(folder_of(&self.target), bytes, "the new file")
    }

    /// Brings the file's bytes to the disk and gives it its name. If it replaces a file, it gets the
    /// permissions of that.
    ///
    /// ```
    /// # use std::io::Write;
    /// # use tbindex::store::{Overwrite, PartialFile};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("table");
    /// std::fs::write(&path, b"old")?;
    /// let mut file = PartialFile::create(&path, Overwrite::Replace)?;
    /// file.write_all(b"new")?;
    /// assert_eq!(std::fs::read(&path)?, b"old");
    /// file.finish()?;
    /// assert_eq!(std::fs::read(&path)?, b"new");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a write has failed before, if the system refuses, or if a file that is not to be replaced has
    /// appeared under the name. Then there is no new file.
    pub fn finish(self) -> Result<(), StoreError> {
        if self.failed {
            return Err(unfinished(&self.path));
        }
        (self.partial.as_file().sync_all()).map_err(StoreError::io(&self.path, WRITE))?;
        crate::fail_point!("store::file_synced");
        // Something else may have taken the name in the meantime.
        target_of(&self.target, self.overwrite)?;
        if let Ok(replaced) = fs::metadata(&self.target) {
            // Replacing the contents must not change who may read and write the file.
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
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => StoreError::io(&self.path, "rename the finished file")(error.error),
        })?;
        crate::fail_point!("store::file_renamed");
        drop(self.listed);
        sync_folder(folder_of(&self.target)).map_err(StoreError::io(&self.path, "sync its folder"))
    }

    /// Remembers a failure. An interrupted call has written nothing, and the caller repeats it.
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.failed |= error.kind() != io::ErrorKind::Interrupted;
        }
        result
    }
}

/// The words by which errors call writing to a file.
pub(in super::super) const WRITE: &str = "write to the file";

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

fn exists(path: &Path) -> StoreError {
    let message = "the file exists already, and was not to be replaced";
    StoreError::new(StoreErrorKind::Exists, message).at(path)
}

/// The error that a file was to be finished after another one.
pub(in super::super) fn unfinished(path: &Path) -> StoreError {
    let message = "the file can't be finished: something before was not written";
    StoreError::new(StoreErrorKind::Unfinished, message).at(path)
}

/// The file that is to be made or replaced.
fn target_of(path: &Path, overwrite: Overwrite) -> Result<PathBuf, StoreError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(error) => return Err(StoreError::io(path, "create the file")(error)),
    };
    if !found.is_symlink() {
        check_is_file(path, &found)?;
    }
    if overwrite == Overwrite::Refuse {
        return Err(exists(path));
    }
    if !found.is_symlink() {
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
