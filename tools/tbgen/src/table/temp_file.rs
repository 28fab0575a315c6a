//! Reads and writes at places of a file, whichever threads do so; and a file for what is not in use, so that it takes no memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::table::shape::Shape;

/// A temporary file without a name. It is gone when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct TempFile {
    pub(crate) folder: PathBuf,
    file: File,
    /// Where the next bytes go.
    end: AtomicU64,
}

/// An error that names the folder.
fn named(action: &str, folder: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| {
        let what = format!(
            "can't {action} a temporary file in {}: {error}",
            folder.display()
        );
        io::Error::new(error.kind(), what)
    }
}

impl TempFile {
    /// A temporary file in a folder for the table of a shape, if it is large and there is a folder.
    pub(crate) fn of(shape: &Shape, folder: Option<&Path>) -> io::Result<Option<Arc<TempFile>>> {
        let folder = folder.filter(|_| shape.is_worth_packing());
        Ok(folder.map(TempFile::new).transpose()?.map(Arc::new))
    }

    /// A temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses. The error names the folder.
    pub fn new(folder: &Path) -> io::Result<TempFile> {
        let file = tempfile::tempfile_in(folder).map_err(named("make", folder))?;
        Ok(TempFile {
            folder: folder.to_owned(),
            file,
            end: AtomicU64::new(0),
        })
    }

    pub(crate) fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        read_at(&self.file, bytes, at).map_err(named("read", &self.folder))
    }

    pub(crate) fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        write_at(&self.file, bytes, at).map_err(named("write to", &self.folder))
    }

    /// Writes bytes behind all others, and returns where they are.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<Range<u64>> {
        let length = bytes.len() as u64;
        let begin = self.end.fetch_add(length, Ordering::Relaxed);
        self.write_at(bytes, begin)?;
        Ok(begin..begin + length)
    }
}

#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(not(unix))]
pub(crate) fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read, Seek};
    let _one = SEEKING.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

#[cfg(not(unix))]
pub(crate) fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    use std::io::{Seek, Write};
    let _one = SEEKING.lock();
    file.seek(io::SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Held while a file is read or written at a place.
#[cfg(not(unix))]
static SEEKING: std::sync::Mutex<()> = std::sync::Mutex::new(());
