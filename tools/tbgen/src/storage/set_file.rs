//! A dense set in a file, of which some slices are in memory at a time.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use tbindex::bitbase::{Domain, Row};

use crate::table::temp_file::TempFile;

/// A file with all slices of a set, one after the other.
#[derive(Debug)]
pub(crate) struct SetFile {
    file: TempFile,
    slice_bytes: u64,
    read: AtomicU64,
    written: AtomicU64,
}

impl SetFile {
    /// A file in a folder for the slices of a domain.
    pub(crate) fn new(folder: &Path, domain: &Domain) -> io::Result<SetFile> {
        Ok(SetFile {
            file: TempFile::new(folder)?,
            slice_bytes: size_of::<Row>() as u64 * domain.rows() as u64,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    /// Reads a slice that was written.
    pub(crate) fn read(&self, slice: usize, rows: &mut [Row]) -> io::Result<()> {
        let at = slice as u64 * self.slice_bytes;
        self.file.read_at(bytemuck::cast_slice_mut(rows), at)?;
        self.read.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Writes a slice.
    pub(crate) fn write(&self, slice: usize, rows: &[Row]) -> io::Result<()> {
        let at = slice as u64 * self.slice_bytes;
        self.file.write_at(bytemuck::cast_slice(rows), at)?;
        self.written.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes that were read and written so far.
    pub(crate) fn traffic(&self) -> [u64; 2] {
        [&self.read, &self.written].map(|bytes| bytes.load(Ordering::Relaxed))
    }
}
