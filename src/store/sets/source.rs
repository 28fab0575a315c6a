//! Ascending indices that an operation takes in, which are checked piece by piece just before they are
//! used, so that they come from memory once.

use super::super::block_check::BlockCheck;
use super::super::error::StoreError;
use super::super::storage::Storage;
use super::checked::Checked;
use crate::index::Word;

/// Ascending indices, of a part of a file or of a result. Nothing that was made of them may be handed on
/// before the source has [ended](Source::end).
pub(super) struct Source<'a, 'b, W, D> {
    words: &'b [W],
    /// The same where they lie in a file in memory.
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

    /// Indices of a part of a file, that are to be checked.
    pub(super) const fn of_file(
        words: &'b [W],
        lying: Option<&'a [W]>,
        checks: Checks<'a, 'b, W, D>,
    ) -> Self {
        Source {
            words,
            lying,
            checks: Some(checks),
        }
    }

    pub(super) const fn words(&self) -> &'b [W] {
        self.words
    }

    /// The indices where they lie in a file in memory, if they do.
    pub(super) const fn lying(&self) -> Option<&'a [W]> {
        self.lying
    }

    /// Looks at so many of the indices, if that was not done before, and checks the blocks that end
    /// there.
    pub(super) fn look_at(&mut self, count: usize) -> Result<(), StoreError> {
        match &mut self.checks {
            Some(checks) => checks.look_to(checks.part_start + count),
            None => Ok(()),
        }
    }

    /// Checks all that was not checked yet. After that everything is known to be good.
    pub(super) fn end(&mut self) -> Result<(), StoreError> {
        match &mut self.checks {
            Some(checks) => checks.look_to(checks.read.len()),
            None => Ok(()),
        }
    }
}

/// The checks of the blocks of a file that some indices are in.
pub(super) struct Checks<'a, 'b, W, D> {
    file: &'b Checked<'a, D>,
    /// What is read of the file: whole blocks, but for those that were found good before.
    read: &'b [W],
    /// The position in the file where that starts.
    start: u64,
    /// Where in it the part starts.
    part_start: usize,
    /// Where in it the next index is that was not looked at.
    next: usize,
    /// What was found out of the block that this index is in, if it is not the first one there.
    block: Option<BlockCheck<W>>,
}

impl<'a, 'b, W: Word, D: Storage> Checks<'a, 'b, W, D> {
    /// The checks of what is read from one position on, with a part that starts at another.
    pub(super) fn new(
        file: &'b Checked<'a, D>,
        read: &'b [W],
        start: u64,
        part_start: u64,
    ) -> Self {
        Checks {
            file,
            read,
            start,
            part_start: (part_start - start) as usize,
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
