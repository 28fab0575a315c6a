//! A file for what is not in use, so that it takes no memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A temporary file without a name. It is gone when it is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct Spool(Mutex<File>);

impl Spool {
    /// A temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path) -> io::Result<Spool> {
        Ok(Spool(Mutex::new(tempfile::tempfile_in(folder)?)))
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes bytes at the end, and returns where they are.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<Range<u64>> {
        let mut file = self.file();
        let begin = file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        Ok(begin..begin + bytes.len() as u64)
    }

    /// Reads bytes that were written.
    pub(crate) fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let mut file = self.file();
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
