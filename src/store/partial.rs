//! Files of other formats, published as index files are.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::StoreError;
use super::writer::{Overwrite, create_partial, publish};

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
    path: PathBuf,
    partial: NamedTempFile,
    overwrite: Overwrite,
}

impl PartialFile {
    /// Begins a file. It will have the name `path` once it is finished.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, if another writer is at work on it, or if the
    /// system refuses.
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<PartialFile, StoreError> {
        if overwrite == Overwrite::Refuse && std::fs::symlink_metadata(path).is_ok() {
            return Err(StoreError::Exists {
                path: path.to_owned(),
            });
        }
        Ok(PartialFile {
            path: path.to_owned(),
            partial: create_partial(path)?,
            overwrite,
        })
    }

    /// Brings the file's bytes to the disk and gives it its name.
    ///
    /// # Errors
    /// If the system refuses, or a file appeared under the name that is not to be replaced; then
    /// there is no new file.
    pub fn finish(self) -> Result<(), StoreError> {
        (self.partial.as_file().sync_all())
            .map_err(StoreError::io(&self.path, "write to the file"))?;
        publish(self.partial, &self.path, self.overwrite)
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.partial.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.partial.flush()
    }
}

impl Seek for PartialFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.partial.as_file_mut().seek(to)
    }
}
