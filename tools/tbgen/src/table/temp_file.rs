//! A file for what is not in use, so that it takes no memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::table::file_at::{read_at, write_at};

/// A temporary file without a name. It is gone when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct TempFile {
    pub(crate) folder: PathBuf,
    file: File,
    /// Where the next bytes go.
    end: AtomicU64,
}

/// An error that names the folder.
fn named(folder: &Path, action: &str, error: &io::Error) -> io::Error {
    let folder = folder.display();
    let what = format!("can't {action} a temporary file in {folder}: {error}");
    io::Error::new(error.kind(), what)
}

impl TempFile {
    /// A temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path) -> io::Result<TempFile> {
        let file = tempfile::tempfile_in(folder);
        let file = file.map_err(|error| named(folder, "make", &error))?;
        Ok(TempFile {
            folder: folder.to_owned(),
            file,
            end: AtomicU64::new(0),
        })
    }

    /// Writes bytes behind all others, and returns where they are.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<Range<u64>> {
        let length = bytes.len() as u64;
        let begin = self.end.fetch_add(length, Ordering::Relaxed);
        write_at(&self.file, bytes, begin)
            .map_err(|error| named(&self.folder, "write to", &error))?;
        Ok(begin..begin + length)
    }

    /// Reads bytes that were written.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        read_at(&self.file, &mut bytes, range.start)
            .map_err(|error| named(&self.folder, "read", &error))?;
        Ok(bytes)
    }
}
