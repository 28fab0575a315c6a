//! Searching a sorted file for indices.

use super::StoredWord;
use super::blocks::BlockBuffer;
use super::error::StoreError;
use super::file::{IndexFile, IndexReader, with_reader};

impl IndexFile {
    /// Searches a sorted file for an index, as [`slice::binary_search`] does: `Ok` has the first position of the index,
    /// and `Err`, if the file does not hold it, how many indices of the file are smaller.
    ///
    /// Words in memory are searched where they lie. In other files a binary search of the block table finds the
    /// block; a compressed block is searched without being decoded. Checksums are not checked:
    /// [`check_searched`](IndexFile::check_searched) does that for one search, [`verify`](IndexFile::verify) for all.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// // K on a1, k on h8 and R on b1, or on h1, from where it attacks k.
    /// assert_eq!(file.search(0o070_071)?, Ok(8702));
    /// assert_eq!(file.search(0o070_077)?, Err(8708));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file does not say that it is sorted, or can't be read.
    pub fn search(&self, index: u64) -> Result<Result<u64, u64>, StoreError> {
        self.check_sorted()?;
        with_reader!(self, file => file.search(index))
    }

    /// Checks the parts of the file that a search for this index reads: the block table, once for all searches,
    /// and the block where the index is or would be.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let index = 0o070_071;
    /// file.check_searched(index)?;
    /// assert!(file.search(index)?.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`search`](IndexFile::search), and if the file is damaged or not in order there.
    pub fn check_searched(&self, index: u64) -> Result<(), StoreError> {
        self.check_sorted()?;
        with_reader!(self, file => file.check_searched(index))
    }

    /// Checks that the file says its indices are sorted.
    fn check_sorted(&self) -> Result<(), StoreError> {
        match self.header().contents.sorted {
            true => Ok(()),
            false => Err(self.not_said("sorted", "a search")),
        }
    }

    /// The error that the file lacks a claim that an operation needs.
    pub(super) fn not_said(&self, claim: &str, operation: &str) -> StoreError {
        let message = format!(
            "the file does not say that its indices are {claim}: {operation} needs that (reduce the file first)"
        );
        StoreError::unsuitable(self.name(), message)
    }
}

impl<W: StoredWord> IndexReader<W> {
    #[inline(always)]
    fn search(&self, index: u64) -> Result<Result<u64, u64>, StoreError> {
        match self.words_in_memory() {
            Some(words) => {
                let rank = words.partition_point(|x| x.to_u64() < index);
                let is_there = words.get(rank).is_some_and(|x| x.to_u64() == index);
                Ok(answer(rank as u64, is_there))
            }
            None => self.search_before(self.first_block_from(index)?, index),
        }
    }

    fn check_searched(&self, index: u64) -> Result<(), StoreError> {
        self.check_table_once()?;
        let Some(number) = self.first_block_from(index)?.checked_sub(1) else {
            return Ok(());
        };
        let mut buffer = BlockBuffer::default();
        self.read_ordered_block(number, &mut buffer, &mut |_| {})?;
        Ok(())
    }

    /// Searches the block before the first one that begins at or beyond the index.
    fn search_before(&self, next: u64, index: u64) -> Result<Result<u64, u64>, StoreError> {
        let header = &self.header;
        if let Some(number) = next.checked_sub(1) {
            let (rank, is_there) = self.search_block(number, index)?;
            if rank < header.items_in(number) as usize {
                return Ok(answer(header.items_before(number) + rank as u64, is_there));
            }
        }
        let is_there = next < header.block_count && self.block(next)?.first == index;
        Ok(answer(header.items_before(next), is_there))
    }

    /// The number of the first block that begins at or beyond the index, or the number of blocks if there is
    /// none. The index is first found in the block before, or at the very beginning of this one.
    fn first_block_from(&self, index: u64) -> Result<u64, StoreError> {
        let is_before = |number| Ok(self.block(number)?.first < index);
        partition_point(self.header.block_count, is_before)
    }

    /// The number of indices of a block that are smaller, and whether the index is in it.
    fn search_block(&self, number: u64, index: u64) -> Result<(usize, bool), StoreError> {
        let block = self.block(number)?;
        let mut buffer = Vec::new();
        if self.header.compact {
            let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer)?;
            return Ok(self.compact_block(number, &block, bytes)?.rank(index));
        }
        let mut word = |at: u64| {
            let offset = block.offset + at * size_of::<W>() as u64;
            let bytes = self.bytes_at(offset, size_of::<W>(), &mut buffer)?;
            Ok::<u64, StoreError>(bytemuck::pod_read_unaligned::<W>(bytes).to_u64())
        };
        let items = block.items.into();
        let rank = partition_point(items, |at| Ok(word(at)? < index))?;
        Ok((rank as usize, rank < items && word(rank)? == index))
    }
}

/// The first number below `end` that is not before what is searched for, or `end`.
#[inline(always)]
fn partition_point(
    end: u64,
    mut is_before: impl FnMut(u64) -> Result<bool, StoreError>,
) -> Result<u64, StoreError> {
    let (mut low, mut high) = (0, end);
    while low < high {
        let middle = low + (high - low) / 2;
        match is_before(middle)? {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Ok(low)
}

/// The answer to a search: how many indices are smaller, and whether the index is there.
fn answer(rank: u64, is_there: bool) -> Result<u64, u64> {
    match is_there {
        true => Ok(rank),
        false => Err(rank),
    }
}
