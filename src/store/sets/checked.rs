//! The files of an operation, whose blocks are checked when they are used. Each block is checked once, by
//! the thread that comes to it first, unless two threads come to it at the same time.

use std::sync::atomic::{AtomicBool, Ordering};

use super::super::block_check::BlockCheck;
use super::super::checks::check_order;
use super::super::error::StoreError;
use super::super::reader::{BlockBuffer, IndexFile};
use super::super::storage::Storage;
use crate::index::Word;

/// A sorted and distinct file, and which of its blocks were found good.
pub(super) struct Checked<'a, D> {
    file: &'a IndexFile<D>,
    good: Vec<AtomicBool>,
}

/// Where in a file a range of indices lies.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// The positions of its first index, and of the one after its last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// The blocks that it lies in, and those that were read to find that out.
    pub(super) first_block: u64,
    pub(super) end_block: u64,
}

impl Extent {
    pub(super) const fn len(self) -> u64 {
        self.end - self.start
    }
}

/// Room for the indices of an extent, to be used again from extent to extent of the same file.
pub(super) struct ExtentBuffer<W> {
    pub(super) bytes: Vec<u64>,
    block: BlockBuffer<W>,
    /// The compact block that is decoded in `block`.
    decoded: Option<u64>,
    /// The indices of some compact blocks.
    words: Vec<W>,
    /// The numbers of these blocks: the first, and the one after the last.
    first_block: u64,
    end_block: u64,
}

impl<W> ExtentBuffer<W> {
    pub(super) const fn new() -> ExtentBuffer<W> {
        ExtentBuffer {
            bytes: Vec::new(),
            block: BlockBuffer::new(),
            decoded: None,
            words: Vec::new(),
            first_block: 0,
            end_block: 0,
        }
    }
}

impl<'a, D: Storage> Checked<'a, D> {
    /// The file. Its block table, by which ranges are cut, is checked at once.
    pub(super) fn new(file: &'a IndexFile<D>) -> Result<Checked<'a, D>, StoreError> {
        file.check_table()?;
        // The table lies in the file, so there are no more blocks than the file has bytes for.
        let blocks = file.header().block_count;
        Ok(Checked {
            file,
            good: (0..blocks).map(|_| AtomicBool::new(false)).collect(),
        })
    }

    pub(super) const fn file(&self) -> &'a IndexFile<D> {
        self.file
    }

    pub(super) const fn count(&self) -> u64 {
        self.file.header().count
    }

    /// How many indices a block of the file has.
    pub(super) fn block_items(&self) -> u64 {
        self.file.header().block_items.into()
    }

    pub(super) const fn compact(&self) -> bool {
        self.file.header().compact
    }

    /// Appends the first index of each block, with the number of its indices. They ascend.
    pub(super) fn firsts_into<W: Word>(
        &self,
        firsts: &mut Vec<(u64, u64)>,
    ) -> Result<(), StoreError> {
        let mut last = None;
        for number in 0..self.file.header().block_count {
            let block = self.file.block(number)?;
            if last.is_some_and(|last| last >= block.first) {
                // At least one of the two blocks is damaged; checking them says which.
                let mut buffer = BlockBuffer::<W>::new();
                self.read_unchecked(number - 1, &mut buffer)?;
                self.read_unchecked(number, &mut buffer)?;
            }
            last = Some(block.first);
            firsts.push((block.first, u64::from(block.items)));
        }
        Ok(())
    }

    /// Whether a block was found good.
    pub(super) fn is_good(&self, number: u64) -> bool {
        self.good[number as usize].load(Ordering::Relaxed)
    }

    /// Concludes the check of a block, all of which was seen, and remembers that it is good.
    pub(super) fn conclude<W: Word>(
        &self,
        number: u64,
        words: &[W],
        check: &BlockCheck<W>,
    ) -> Result<(), StoreError> {
        self.file.check_seen_in_order(number, words, check)?;
        self.check_next(number, words)
    }

    /// Checks that the next block, if there is one, begins beyond this one, and remembers that this one is good.
    fn check_next<W: Word>(&self, number: u64, words: &[W]) -> Result<(), StoreError> {
        let header = self.file.header();
        if number + 1 < header.block_count {
            let next = W::truncate(self.file.block(number + 1)?.first.into());
            let before = header.items_before(number + 1);
            let (path, contents) = (self.file.name(), header.contents());
            check_order(path, &contents, before, words.last().copied(), &[next])?;
        }
        self.good[number as usize].store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The indices of a block that was not checked before. Remembers that it is good.
    fn read_unchecked<'b, W: Word>(
        &'b self,
        number: u64,
        buffer: &'b mut BlockBuffer<W>,
    ) -> Result<&'b [W], StoreError> {
        let (_, words) = self.file.read_ordered_block(number, buffer, &mut |_| {})?;
        self.check_next(number, words)?;
        Ok(words)
    }

    /// Checks a block, unless it was checked before.
    fn check<W: Word>(&self, number: u64, buffer: &mut ExtentBuffer<W>) -> Result<(), StoreError> {
        match self.is_good(number) {
            true => Ok(()),
            false if self.compact() => self.decode(number, buffer),
            false => self.read_unchecked(number, &mut buffer.block).map(|_| ()),
        }
    }

    /// Decodes a compact block, and checks it unless it was checked before.
    fn decode<W: Word>(&self, number: u64, buffer: &mut ExtentBuffer<W>) -> Result<(), StoreError> {
        if buffer.decoded != Some(number) {
            buffer.decoded = None;
            match self.is_good(number) {
                true => self.file.read_block(number, &mut buffer.block)?,
                false => self.read_unchecked(number, &mut buffer.block)?,
            };
            buffer.decoded = Some(number);
        }
        Ok(())
    }

    /// The extent of the indices from one to before another. It is certain only once the source that is made
    /// of it has ended.
    pub(super) fn extent<W: Word>(
        &self,
        start: Option<u64>,
        end: Option<u64>,
        buffer: &mut ExtentBuffer<W>,
    ) -> Result<Extent, StoreError> {
        let (start, first) = match start {
            Some(index) => self.rank(index, buffer)?,
            None => (0, None),
        };
        let (end, last) = match end {
            Some(index) => self.rank(index, buffer)?,
            None => (self.count(), None),
        };
        // In an undamaged file it is not smaller.
        let end = end.max(start);
        let first_block = start / self.block_items();
        let end_block = end.div_ceil(self.block_items()).max(first_block);
        Ok(Extent {
            start,
            end,
            first_block: first.map_or(first_block, |block| block.min(first_block)),
            end_block: last.map_or(end_block, |block| end_block.max(block + 1)),
        })
    }

    /// How many indices are smaller than this one, and the block that was searched for that. If that is a
    /// compact one, it was checked before.
    fn rank<W: Word>(
        &self,
        index: u64,
        buffer: &mut ExtentBuffer<W>,
    ) -> Result<(u64, Option<u64>), StoreError> {
        let next = self.file.first_block_from(index)?;
        let header = self.file.header();
        if next < header.block_count && self.file.block(next)?.first == index {
            return Ok((header.items_before(next), None));
        }
        let Some(number) = next.checked_sub(1) else {
            return Ok((0, None));
        };
        if self.compact() {
            self.check(number, buffer)?;
        }
        Ok((self.file.rank(index)?, Some(number)))
    }

    /// Whether the file holds an index. The block where it is or would be is checked.
    pub(super) fn contains<W: Word>(
        &self,
        index: u64,
        buffer: &mut ExtentBuffer<W>,
    ) -> Result<bool, StoreError> {
        let next = self.file.first_block_from(index)?;
        if let Some(number) = next.checked_sub(1) {
            self.check(number, buffer)?;
        }
        if next < self.file.header().block_count && self.file.block(next)?.first == index {
            self.check(next, buffer)?;
        }
        self.file.contains(index)
    }

    /// The indices of an extent of a compact file.
    pub(super) fn decoded<'b, W: Word>(
        &self,
        extent: Extent,
        buffer: &'b mut ExtentBuffer<W>,
    ) -> Result<&'b [W], StoreError> {
        let items = self.block_items();
        let first = extent.start / items;
        let end = extent.end.div_ceil(items).max(first);
        // Those that are decoded already are moved to the front.
        let there = buffer.first_block..buffer.end_block;
        let mut next = first;
        if there.contains(&first) {
            next = there.end.min(end);
            let from = ((first - there.start) * items) as usize;
            let to = (((next - there.start) * items) as usize).min(buffer.words.len());
            buffer.words.copy_within(from..to, 0);
            buffer.words.truncate(to - from);
        } else {
            buffer.words.clear();
        }
        (buffer.first_block, buffer.end_block) = (first, next);
        while next < end {
            self.decode(next, buffer)?;
            buffer.words.extend_from_slice(buffer.block.decoded());
            next += 1;
            buffer.end_block = next;
        }
        let start = (extent.start - first * items) as usize;
        Ok(&buffer.words[start..][..extent.len() as usize])
    }
}
