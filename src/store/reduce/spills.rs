//! Piles that the memory did not hold, in a temporary file.
//!
//! Where the system allows it, the file never has a name, so that nothing of it is left whatever becomes of the
//! process.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::super::error::StoreError;
use super::super::storage::read_exact_at;
use crate::index::Word;

/// How many words are read at once.
const READ_AT_ONCE: usize = 1 << 13;

/// The temporary file. It has one spill after the other, each with all piles in their order.
pub(super) struct Spills {
    file: Option<File>,
    piles: usize,
    /// How many words of the file end before each pile of each spill, and how many there are.
    bounds: Vec<u64>,
}

impl Spills {
    /// No spills of so many piles.
    pub(super) fn new(piles: usize) -> Spills {
        Spills {
            file: None,
            piles,
            bounds: vec![0],
        }
    }

    /// How many spills there are.
    pub(super) fn len(&self) -> usize {
        (self.bounds.len() - 1) / self.piles
    }

    /// How many words they have together.
    pub(super) fn words(&self) -> u64 {
        self.bounds.last().copied().unwrap_or_default()
    }

    /// Appends a spill to the file, which is in this folder. `watch` is called after each pile.
    pub(super) fn add<'a, R: Word, I: Iterator<Item = &'a [R]>, E: From<StoreError>>(
        &mut self,
        temp: &Path,
        slices: impl Fn(usize) -> I,
        watch: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let io = StoreError::io(temp, "write a temporary file in this folder");
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(temp).map_err(&io)?,
        };
        let mut out = BufWriter::with_capacity(1 << 18, self.file.insert(file));
        let mut end = self.bounds.last().copied().unwrap_or_default();
        for pile in 0..self.piles {
            for words in slices(pile) {
                out.write_all(bytemuck::cast_slice(words)).map_err(&io)?;
                end += words.len() as u64;
            }
            self.bounds.push(end);
            watch()?;
        }
        out.flush().map_err(&io)?;
        crate::fail_point!("store::run_written");
        Ok(())
    }

    /// Where the words of a pile begin and end in the file, in each spill.
    fn extents(&self, pile: usize) -> impl Iterator<Item = (u64, u64)> {
        let extents = self.bounds.windows(2).skip(pile).step_by(self.piles);
        extents.map(|ends| (ends[0], ends[1]))
    }

    /// How many words a pile has.
    pub(super) fn count(&self, pile: usize) -> usize {
        let counts = self.extents(pile).map(|(start, end)| end - start);
        counts.sum::<u64>() as usize
    }

    /// Reads the words of a pile in slices.
    pub(super) fn for_each<R: Word>(
        &self,
        pile: usize,
        take: &mut dyn FnMut(&[R]),
    ) -> io::Result<()> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut words = vec![R::ZERO; READ_AT_ONCE.min(self.count(pile))];
        for (mut start, end) in self.extents(pile) {
            while start < end {
                let count = words.len().min((end - start) as usize);
                let words = &mut words[..count];
                let offset = start * size_of::<R>() as u64;
                read_exact_at(file, bytemuck::cast_slice_mut(words), offset)?;
                take(words);
                start += count as u64;
            }
        }
        Ok(())
    }
}
