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

/// The number of words that are read at once.
const READ_AT_ONCE: usize = 1 << 13;

/// The temporary file. It has one spill after the other, each with all piles in their order. A spill begins with the
/// number of words before each pile and of all, so the memory for these does not grow with the file.
pub(super) struct Spills {
    file: Option<File>,
    /// The number of spills.
    pub(super) len: usize,
    /// The number of words that each pile has in all spills.
    counts: Vec<u64>,
    /// The number of bytes that the file has.
    pub(super) bytes: u64,
}

/// The number of bytes that stand before the words of a spill of so many piles.
pub(super) const fn bytes_of_bounds(piles: usize) -> u64 {
    8 * (piles as u64 + 1)
}

impl Spills {
    /// No spills of so many piles.
    pub(super) fn new(piles: usize) -> Spills {
        Spills {
            file: None,
            len: 0,
            counts: vec![0; piles],
            bytes: 0,
        }
    }

    /// Appends a spill to the file, which is in this folder. `watch` is called after each pile.
    pub(super) fn add<'a, R: Word, I: Iterator<Item = &'a [R]>>(
        &mut self,
        temp: &Path,
        slices: impl Fn(usize) -> I,
        watch: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let io = StoreError::io(temp, "write a temporary file in this folder");
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile_in(temp).map_err(&io)?,
        };
        let mut out = BufWriter::with_capacity(1 << 18, self.file.insert(file));
        let mut words = 0u64;
        for (pile, count) in self.counts.iter_mut().enumerate() {
            out.write_all(&words.to_ne_bytes()).map_err(&io)?;
            let more: usize = slices(pile).map(<[R]>::len).sum();
            words += more as u64;
            *count += more as u64;
        }
        out.write_all(&words.to_ne_bytes()).map_err(&io)?;
        for pile in 0..self.counts.len() {
            for words in slices(pile) {
                out.write_all(bytemuck::cast_slice(words)).map_err(&io)?;
            }
            watch()?;
        }
        out.flush().map_err(&io)?;
        self.len += 1;
        self.bytes += bytes_of_bounds(self.counts.len()) + words * size_of::<R>() as u64;
        crate::fail_point!("store::run_written");
        Ok(())
    }

    /// The number of words that a pile has.
    pub(super) fn count(&self, pile: usize) -> usize {
        self.counts[pile] as usize
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
        let number_at = |offset: u64| -> io::Result<u64> {
            let mut bytes = [0; 8];
            read_exact_at(file, &mut bytes, offset)?;
            Ok(u64::from_ne_bytes(bytes))
        };
        let word_bytes = size_of::<R>() as u64;
        let mut words = vec![R::ZERO; READ_AT_ONCE.min(self.count(pile))];
        let mut spill = 0;
        for _ in 0..self.len {
            let bound = |pile: usize| number_at(spill + 8 * pile as u64);
            let (mut start, end) = (bound(pile)?, bound(pile + 1)?);
            let begin = spill + bytes_of_bounds(self.counts.len());
            while start < end {
                let count = words.len().min((end - start) as usize);
                let words = &mut words[..count];
                read_exact_at(
                    file,
                    bytemuck::cast_slice_mut(words),
                    begin + start * word_bytes,
                )?;
                take(words);
                start += count as u64;
            }
            spill = begin + bound(self.counts.len())? * word_bytes;
        }
        Ok(())
    }
}
