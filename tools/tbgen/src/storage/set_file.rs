//! A dense set in a file, of which some slices are in memory at a time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tbindex::bitbase::{Domain, Row};

use crate::table::file_at::{read_at, write_at};

/// A file with all slices of a set, one after the other. It has no name, and is gone when it is dropped, or when the
/// process ends in any way.
#[derive(Debug)]
pub(crate) struct SetFile {
    folder: PathBuf,
    file: File,
    slice_bytes: u64,
    read: AtomicU64,
    written: AtomicU64,
}

/// The reason why a slice can't be kept in a file.
#[derive(Debug, thiserror::Error)]
#[error("can't {action} the sets of positions in {}: {error}", folder.display())]
pub struct SetFileError {
    /// The folder of the file.
    pub folder: PathBuf,
    /// The action that failed.
    pub action: &'static str,
    /// The system's error.
    pub error: io::Error,
}

fn named(folder: &Path, action: &'static str) -> impl FnOnce(io::Error) -> SetFileError {
    move |error| SetFileError {
        folder: folder.to_owned(),
        action,
        error,
    }
}

impl SetFile {
    /// A file in a folder for the slices of a domain.
    pub(crate) fn new(folder: &Path, domain: &Domain) -> Result<SetFile, SetFileError> {
        Ok(SetFile {
            folder: folder.to_owned(),
            file: tempfile::tempfile_in(folder).map_err(named(folder, "make a file for"))?,
            slice_bytes: size_of::<Row>() as u64 * domain.rows() as u64,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    /// Reads a slice that was written.
    pub(crate) fn read(&self, slice: usize, rows: &mut [Row]) -> Result<(), SetFileError> {
        let at = slice as u64 * self.slice_bytes;
        read_at(&self.file, bytemuck::cast_slice_mut(rows), at)
            .map_err(named(&self.folder, "read"))?;
        self.read.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Writes a slice.
    pub(crate) fn write(&self, slice: usize, rows: &[Row]) -> Result<(), SetFileError> {
        let at = slice as u64 * self.slice_bytes;
        write_at(&self.file, bytemuck::cast_slice(rows), at)
            .map_err(named(&self.folder, "write"))?;
        self.written.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes that were read and written so far.
    pub(crate) fn traffic(&self) -> [u64; 2] {
        [&self.read, &self.written].map(|bytes| bytes.load(Ordering::Relaxed))
    }
}
