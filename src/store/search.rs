//! Searching a sorted file for an index.

use std::cmp::Ordering;

use super::error::{StoreError, StoreErrorKind};
use super::reader::{BlockBuffer, IndexFile};
use super::storage::Storage;
use super::words::with_word;
use crate::index::Word;

impl<D: Storage> IndexFile<D> {
    /// Whether the file holds this index.
    ///
    /// It is found by a binary search of the block table and one within a block; a compact block is searched
    /// without being decoded. Checksums are not checked: [`check_searched`](IndexFile::check_searched) does
    /// that for one search, [`verify`](IndexFile::verify) for all.
    ///
    /// # Errors
    /// If the file does not say that it is sorted, or can't be read.
    pub fn contains(&self, index: u64) -> Result<bool, StoreError> {
        Ok(self.search(index, "a search")?.1)
    }

    /// How many indices of the file are smaller than this one. If the file holds it and is distinct,
    /// this is its position.
    ///
    /// # Errors
    /// As for [`contains`](IndexFile::contains).
    pub fn rank(&self, index: u64) -> Result<u64, StoreError> {
        Ok(self.search(index, "a rank")?.0)
    }

    /// The first position of this index, if the file holds it.
    ///
    /// # Errors
    /// As for [`contains`](IndexFile::contains).
    pub fn position(&self, index: u64) -> Result<Option<u64>, StoreError> {
        let (rank, found) = self.search(index, "a search")?;
        Ok(found.then_some(rank))
    }

    /// Checks what a search for this index reads: the block table, once for all searches, and the block where
    /// the index is or would be.
    ///
    /// # Errors
    /// As for [`contains`](IndexFile::contains), and if the file is damaged or not in order there.
    pub fn check_searched(&self, index: u64) -> Result<(), StoreError> {
        self.check_sorted("a search")?;
        self.check_table_once()?;
        let Some(number) = self.first_block_from(index)?.checked_sub(1) else {
            return Ok(());
        };
        with_word!(self.header().word_bits, W => {
            let mut buffer = BlockBuffer::<W>::new();
            self.read_ordered_block(number, &mut buffer, &mut |_| {}).map(|_| ())
        })
    }

    /// How many indices are smaller, and whether the index is there.
    fn search(&self, index: u64, operation: &'static str) -> Result<(u64, bool), StoreError> {
        self.check_sorted(operation)?;
        let low = self.first_block_from(index)?;
        if let Some(number) = low.checked_sub(1) {
            let (rank, found) = self.search_block(number, index)?;
            if found || rank < self.header().items_in(number) as usize {
                return Ok((self.header().items_before(number) + rank as u64, found));
            }
        }
        let here = low < self.header().block_count && self.block(low)?.first == index;
        Ok((self.header().items_before(low), here))
    }

    /// The number of the first block that begins at or beyond the index, or the number of blocks if there is
    /// none. The index is first found in the block before, or at the very beginning of this one.
    pub(super) fn first_block_from(&self, index: u64) -> Result<u64, StoreError> {
        let (mut low, mut high) = (0, self.header().block_count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.block(middle)?.first < index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// How many indices of a block are smaller, and whether the index is in it.
    fn search_block(&self, number: u64, index: u64) -> Result<(usize, bool), StoreError> {
        if self.header().compact {
            let block = self.block(number)?;
            let mut buffer = Vec::new();
            let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer)?;
            return Ok(self.compact_block(number, &block, bytes)?.rank(index));
        }
        with_word!(self.header().word_bits, W => self.search_plain_block::<W>(number, index))
    }

    fn search_plain_block<W: Word>(
        &self,
        number: u64,
        index: u64,
    ) -> Result<(usize, bool), StoreError> {
        let block = self.block(number)?;
        let mut buffer = Vec::new();
        let mut word = |at: usize| {
            let offset = block.offset + (at * size_of::<W>()) as u64;
            let bytes = self.bytes_at(offset, size_of::<W>(), &mut buffer)?;
            Ok::<u64, StoreError>(bytemuck::pod_read_unaligned::<W>(bytes).to_u64())
        };
        let (mut low, mut high) = (0, block.items as usize);
        while low < high {
            let middle = low + (high - low) / 2;
            match word(middle)?.cmp(&index) {
                Ordering::Less => low = middle + 1,
                _ => high = middle,
            }
        }
        let found = low < block.items as usize && word(low)? == index;
        Ok((low, found))
    }

    /// Checks that the file says its indices are sorted.
    pub(super) fn check_sorted(&self, operation: &'static str) -> Result<(), StoreError> {
        if self.header().sorted {
            return Ok(());
        }
        Err(StoreErrorKind::NotSorted {
            operation,
            expected: "sorted",
        }
        .at(self.name()))
    }
}
