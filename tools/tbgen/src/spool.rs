//! A file for what is not in use, so that it takes no memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A temporary file without a name. It is gone when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    file: Mutex<File>,
}

impl Spool {
    /// A temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path) -> io::Result<Spool> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Spool {
            folder: folder.to_owned(),
            file: Mutex::new(file),
        })
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error that names the folder.
    fn named(&self, action: &str, error: &io::Error) -> io::Error {
        let folder = self.folder.display();
        let what = format!("can't {action} a temporary file in {folder}: {error}");
        io::Error::new(error.kind(), what)
    }

    /// Writes bytes at the end, and returns where they are.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<Range<u64>> {
        let mut file = self.file();
        let begin = file.seek(SeekFrom::End(0));
        let written = begin.and_then(|begin| {
            file.write_all(bytes)?;
            Ok(begin..begin + bytes.len() as u64)
        });
        written.map_err(|error| self.named("write to", &error))
    }

    /// Reads bytes that were written.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let mut file = self.file();
        let read = file.seek(SeekFrom::Start(range.start));
        let read = read.and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|error| self.named("read", &error))?;
        Ok(bytes)
    }
}
