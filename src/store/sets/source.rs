//! The ascending indices that an operation takes in. They are checked piece by piece just before they are
//! used, so that they come from memory only once.

use super::super::block_check::BlockCheck;
use super::super::error::StoreError;
use super::super::format::HEADER_BYTES;
use super::super::storage::Storage;
use super::checked::{Checked, Extent, ExtentBuffer};
use crate::index::Word;

/// Ascending indices, of an extent of a file or of a result. Nothing that was made of them may be handed on
/// before the source has [ended](Source::end).
pub(super) struct Source<'a, 'b, W, D> {
    words: &'b [W],
    /// The same indices where they lie, if the file is in memory.
    lying: Option<&'a [W]>,
    checks: Option<Checks<'a, 'b, W, D>>,
}

impl<'a, 'b, W: Word, D: Storage> Source<'a, 'b, W, D> {
    /// Indices that are known to be good.
    pub(super) const fn of_slice(words: &'b [W]) -> Self {
        Source {
            words,
            lying: None,
            checks: None,
        }
    }

    /// The indices of an extent of a file, where they lie if they are plain words in memory. They are still to
    /// be checked.
    pub(super) fn of_extent(
        file: &'b Checked<'a, D>,
        extent: Extent,
        buffer: &'b mut ExtentBuffer<W>,
    ) -> Result<Self, StoreError> {
        if file.compact() {
            return file.decoded(extent, buffer).map(Source::of_slice);
        }
        // Blocks that are to be checked are read as a whole.
        let begins = |block: u64| file.file().header().items_before(block);
        let (mut start, mut end) = (extent.start, extent.end);
        if extent.first_block < extent.end_block {
            if !file.is_good(extent.first_block) {
                start = begins(extent.first_block);
            }
            if !file.is_good(extent.end_block - 1) {
                end = begins(extent.end_block);
            }
        }
        let word_bytes = size_of::<W>() as u64;
        let offset = HEADER_BYTES as u64 + start * word_bytes;
        let length = ((end - start) * word_bytes) as usize;
        let bytes = file.file().bytes_at(offset, length, &mut buffer.bytes)?;
        let read = file.file().cast::<W>(bytes)?;
        let lying = file.file().words_in_memory::<W>();
        Ok(Source {
            words: &read[(extent.start - start) as usize..][..extent.len() as usize],
            lying: lying.map(|words| &words[extent.start as usize..extent.end as usize]),
            checks: Some(Checks::new(file, read, start, extent.start)),
        })
    }

    pub(super) const fn words(&self) -> &'b [W] {
        self.words
    }

    /// The indices where they lie, if the file is in memory.
    pub(super) const fn lying(&self) -> Option<&'a [W]> {
        self.lying
    }

    /// Sees the first `count` of the indices, as far as they were not seen before, and concludes the checks of
    /// the blocks that end there.
    pub(super) fn look_at(&mut self, count: usize) -> Result<(), StoreError> {
        match &mut self.checks {
            Some(checks) => checks.look_to(checks.extent_start + count),
            None => Ok(()),
        }
    }

    /// Checks everything that was not checked yet. After that all indices are known to be good.
    pub(super) fn end(&mut self) -> Result<(), StoreError> {
        match &mut self.checks {
            Some(checks) => checks.look_to(checks.read.len()),
            None => Ok(()),
        }
    }
}

/// The checks of the blocks that some indices of a file lie in.
struct Checks<'a, 'b, W, D> {
    file: &'b Checked<'a, D>,
    /// What was read of the file: whole blocks, except for those that were found good before.
    read: &'b [W],
    /// The position in the file where that starts.
    start: u64,
    /// Where in it the extent starts.
    extent_start: usize,
    /// Where in it the next index is that was not seen yet.
    next: usize,
    /// What is known about the block of this index, unless it is the first one there.
    block: Option<BlockCheck<W>>,
}

impl<'a, 'b, W: Word, D: Storage> Checks<'a, 'b, W, D> {
    /// The checks of what was read from position `start` on, with an extent that starts at `extent_start`.
    fn new(file: &'b Checked<'a, D>, read: &'b [W], start: u64, extent_start: u64) -> Self {
        Checks {
            file,
            read,
            start,
            extent_start: (extent_start - start) as usize,
            next: 0,
            block: None,
        }
    }

    fn look_to(&mut self, end: usize) -> Result<(), StoreError> {
        let items = self.file.block_items();
        while self.next < end {
            let number = (self.start + self.next as u64) / items;
            // Where the block starts and ends, as far as it is read.
            let block_start = (number * items).saturating_sub(self.start) as usize;
            let block_end =
                ((number + 1) * items - self.start).min(self.read.len() as u64) as usize;
            if self.block.is_none() && self.file.is_good(number) {
                self.next = block_end;
                continue;
            }
            let to = end
                .min(block_end)
                .min(self.next + BlockCheck::<W>::at_once());
            let block = &self.read[block_start..block_end];
            let check = self.block.get_or_insert_with(BlockCheck::new);
            check.see_words(block, self.next - block_start..to - block_start, true);
            check.see_bytes(bytemuck::cast_slice(&self.read[self.next..to]));
            self.next = to;
            if to == block_end {
                self.file.conclude(number, block, check)?;
                self.block = None;
            }
        }
        Ok(())
    }
}
