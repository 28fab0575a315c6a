//! Sorted runs in temporary files.
//!
//! Where the system allows it, the files never have a name, so that nothing of them is left whatever becomes
//! of the process.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::super::storage::read_exact_at;
use crate::index::Word;

/// How many keys are handed out at once.
pub(super) const HANDED_OUT: usize = 1 << 16;

/// The words by which errors call writing to a run.
pub(super) const TEMPORARY: &str = "write a temporary file in this folder";
/// The words by which errors call reading from a run.
pub(super) const READING: &str = "read a temporary file in this folder";

/// Ascending keys without repeats in a temporary file.
#[derive(Debug)]
pub(super) struct SortedRun {
    file: File,
    items: u64,
}

impl SortedRun {
    /// Begins a run in a folder.
    pub(super) fn create(folder: &Path) -> io::Result<SortedRun> {
        Ok(SortedRun {
            file: tempfile::tempfile_in(folder)?,
            items: 0,
        })
    }

    /// Appends keys, which must be greater than all before.
    pub(super) fn write<W: Word>(&mut self, keys: &[W]) -> io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(keys))?;
        self.items += keys.len() as u64;
        Ok(())
    }

    pub(super) const fn items(&self) -> u64 {
        self.items
    }
}

/// A run that is being read.
pub(super) struct RunReader<W> {
    run: SortedRun,
    read: u64,
    buffer: Vec<W>,
    at: usize,
}

impl<W: Word> RunReader<W> {
    /// Begins to read a run, `buffer_items` keys at once.
    pub(super) fn new(run: SortedRun, buffer_items: usize) -> io::Result<RunReader<W>> {
        let mut reader = RunReader {
            run,
            read: 0,
            buffer: vec![W::ZERO; buffer_items],
            at: 0,
        };
        reader.buffer.clear();
        reader.fill(buffer_items)?;
        Ok(reader)
    }

    #[cold]
    fn fill(&mut self, items: usize) -> io::Result<()> {
        let items = (self.run.items - self.read).min(items as u64) as usize;
        self.buffer.resize(items, W::ZERO);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.buffer);
        read_exact_at(&self.run.file, bytes, self.read * size_of::<W>() as u64)?;
        self.read += items as u64;
        self.at = 0;
        Ok(())
    }

    /// The first key that was not taken yet, or one greater than all keys where there is none.
    #[inline(always)]
    pub(super) fn peek(&self) -> W {
        self.buffer.get(self.at).copied().unwrap_or(!W::ZERO)
    }

    /// Takes the first key.
    #[inline(always)]
    pub(super) fn advance(&mut self) -> io::Result<()> {
        self.at += 1;
        if self.at == self.buffer.len() {
            self.fill(self.buffer.capacity())?;
        }
        Ok(())
    }
}
