//! The files of an operation, whose blocks are checked before they are used: each once, by the thread
//! that comes to it first.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::error::StoreError;
use super::super::format::HEADER_BYTES;
use super::super::reader::{BlockBuffer, IndexFile};
use super::super::storage::Storage;
use super::super::writer::check_order;
use crate::index::Word;

/// A sorted and distinct file, and which of its blocks were found good.
pub(super) struct Checked<'a, D> {
    file: &'a IndexFile<D>,
    good: Vec<AtomicBool>,
}

/// The part of a file that lies in a range, as positions.
#[derive(Clone, Copy)]
pub(super) struct Part {
    start: u64,
    end: u64,
}

impl Part {
    pub(super) const fn len(self) -> u64 {
        self.end - self.start
    }
}

/// Room for a part of a file; to be kept from part to part.
pub(super) struct PartBuffer<W> {
    bytes: Vec<u64>,
    block: BlockBuffer<W>,
    words: Vec<W>,
}

impl<W> PartBuffer<W> {
    pub(super) const fn new() -> PartBuffer<W> {
        PartBuffer {
            bytes: Vec::new(),
            block: BlockBuffer::new(),
            words: Vec::new(),
        }
    }
}

impl<'a, D: Storage> Checked<'a, D> {
    /// The file, with its block table checked: ranges are cut by what that says.
    pub(super) fn new(file: &'a IndexFile<D>) -> Result<Checked<'a, D>, StoreError> {
        file.check_table()?;
        // The table is in the file, so that there are no more blocks than it has bytes for.
        let blocks = file.header().block_count;
        Ok(Checked {
            file,
            good: (0..blocks).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    pub(super) const fn count(&self) -> u64 {
        self.file.header().count
    }

    /// Appends the first index of each block, with how many the block has.
    pub(super) fn firsts_into(&self, firsts: &mut Vec<(u64, u64)>) -> Result<(), StoreError> {
        for number in 0..self.file.header().block_count {
            let block = self.file.block(number)?;
            firsts.push((block.first, u64::from(block.items)));
        }
        Ok(())
    }

    /// Checks a block, unless it was checked before.
    fn check<W: Word>(&self, number: u64, buffer: &mut BlockBuffer<W>) -> Result<(), StoreError> {
        let good = &self.good[number as usize];
        if good.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.read_unchecked(number, buffer)?;
        Ok(())
    }

    /// The indices of a block that was not checked before; remembers that it is good.
    fn read_unchecked<'b, W: Word>(
        &'b self,
        number: u64,
        buffer: &'b mut BlockBuffer<W>,
    ) -> Result<&'b [W], StoreError> {
        let header = self.file.header();
        let (_, words) = self.file.read_ordered_block(number, buffer, &mut |_| {})?;
        if number + 1 < header.block_count {
            // The next one begins as its entry says, or is not used.
            let next = W::truncate(self.file.block(number + 1)?.first.into());
            let before = header.items_before(number + 1);
            let (path, contents) = (self.file.name(), header.contents());
            check_order(path, &contents, before, words.last().copied(), &[next])?;
        }
        self.good[number as usize].store(true, Ordering::Relaxed);
        Ok(words)
    }

    /// The part of the file from one index to before another.
    pub(super) fn part<W: Word>(
        &self,
        start: Option<u64>,
        end: Option<u64>,
    ) -> Result<Part, StoreError> {
        let start = start.map_or(Ok(0), |index| self.rank::<W>(index))?;
        let end = end.map_or(Ok(self.count()), |index| self.rank::<W>(index))?;
        // They ascend in a file whose blocks do, and the blocks' firsts are looked at in any.
        Ok(Part {
            start,
            end: end.max(start),
        })
    }

    fn rank<W: Word>(&self, index: u64) -> Result<u64, StoreError> {
        self.check_for::<W>(index)?;
        self.file.rank(index)
    }

    /// Whether the file holds an index.
    pub(super) fn contains<W: Word>(&self, index: u64) -> Result<bool, StoreError> {
        self.check_for::<W>(index)?;
        self.file.contains(index)
    }

    /// Checks the block that an index would be in.
    fn check_for<W: Word>(&self, index: u64) -> Result<(), StoreError> {
        match self.file.first_block_from(index)?.checked_sub(1) {
            Some(number) => self.check(number, &mut BlockBuffer::<W>::new()),
            None => Ok(()),
        }
    }

    /// The indices of a part of the file, from where they lie if they are plain words in memory.
    pub(super) fn read<'b, W: Word>(
        &'b self,
        part: Part,
        buffer: &'b mut PartBuffer<W>,
    ) -> Result<&'b [W], StoreError> {
        let header = self.file.header();
        let block_items = u64::from(header.block_items);
        let blocks = part.start / block_items..part.end.div_ceil(block_items);
        if !header.compact {
            for number in blocks {
                self.check(number, &mut buffer.block)?;
            }
            let word_bytes = size_of::<W>() as u64;
            let offset = HEADER_BYTES as u64 + part.start * word_bytes;
            let length = (part.len() * word_bytes) as usize;
            let bytes = self.file.bytes_at(offset, length, &mut buffer.bytes)?;
            return self.file.cast(bytes);
        }
        buffer.words.clear();
        for number in blocks {
            let block = match self.good[number as usize].load(Ordering::Relaxed) {
                true => self.file.read_block(number, &mut buffer.block)?,
                false => self.read_unchecked(number, &mut buffer.block)?,
            };
            let before = header.items_before(number);
            let start = part.start.saturating_sub(before).min(block.len() as u64);
            let end = (part.end - before).min(block.len() as u64);
            buffer
                .words
                .extend_from_slice(&block[start as usize..end as usize]);
        }
        Ok(&buffer.words)
    }
}
