//! The memory that an operation on sets will take, calculated before anything is allocated.

use std::iter::successors;

use super::super::error::StoreError;
use super::super::file::IndexFile;
use super::super::format::{COMPACT_BLOCK_ITEMS, PLAIN_BLOCK_BYTES};
use super::super::memory::{BASE, PER_THREAD, too_little};
use super::super::ordered_jobs::result_count;
use super::SetOperation;

/// The memory and the threads that an operation on sets will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetPlan {
    /// The number of threads that will work. They are fewer than allowed where the memory does not hold an interval for
    /// each, or where there are fewer intervals.
    pub threads: usize,
    /// The most bytes that the whole process will have resident, but for what the caller holds, such as mapped files.
    pub memory: u64,
    /// The number of indices of all files together that an interval is to have.
    pub(super) interval: u64,
}

/// The fewest and the most indices of all files together that an interval is to have where the memory allows it. Within
/// these bounds there are four blocks of each file, because a block of two intervals is read for each.
const INTERVAL_ITEMS: [u64; 2] = [1 << 19, 1 << 22];
/// The bytes that a block of a file, and of the result, takes in lists of all blocks while those grow.
const PER_BLOCK: u64 = 96;

impl SetOperation {
    /// The needs of this operation on these files, of which the whole process may have `memory` bytes resident.
    ///
    #[doc = include_str!("../example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let plan = SetOperation::Union.plan(&[file.clone(), file], 100 << 20, 2)?;
    /// assert!(plan.memory <= 100 << 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the memory is too little: the error says how much the files need.
    pub fn plan(
        self,
        files: &[IndexFile],
        memory: u64,
        threads: usize,
    ) -> Result<SetPlan, StoreError> {
        let needs = Needs::new(files);
        let threads = usize::try_from(needs.blocks).map_or(threads, |most| threads.min(most + 1));
        // An interval of fewer indices would read most blocks for several intervals.
        let threads = (2..=threads)
            .rev()
            .find(|&threads| needs.bytes(threads, needs.block_items) <= memory.into())
            .unwrap_or(1);
        let [least, most] = INTERVAL_ITEMS;
        let wanted = (4 * needs.block_items).clamp(least, most);
        let smaller = successors(Some(wanted), |interval| Some(interval / 2));
        let found = smaller
            .take_while(|&interval| interval > 0)
            .find_map(|interval| {
                let bytes = u64::try_from(needs.bytes(threads, interval)).ok()?;
                (bytes <= memory).then_some((interval, bytes))
            });
        let Some((interval, bytes)) = found else {
            let operation = format!("{self} of {} files", files.len());
            return Err(too_little(memory, needs.bytes(1, 1), operation));
        };
        Ok(SetPlan {
            threads,
            memory: bytes,
            interval,
        })
    }
}

/// The facts about files by which the memory is calculated.
struct Needs {
    word_bytes: u64,
    /// The number of indices that a block of each file has at most, of all files together.
    block_items: u64,
    items: u64,
    blocks: u64,
    /// Whether indices are read into memory, as they do not lie there.
    are_read: bool,
    /// Whether there are results before the last.
    has_steps: bool,
}

impl Needs {
    fn new(files: &[IndexFile]) -> Needs {
        let headers = || files.iter().map(IndexFile::header);
        let block_items = || headers().map(|header| header.count.min(header.block_items.into()));
        Needs {
            word_bytes: headers()
                .map(|header| u64::from(header.word.bits() / 8))
                .max()
                .unwrap_or(0),
            block_items: block_items().sum(),
            items: headers().map(|header| header.count).sum(),
            blocks: headers().map(|header| header.block_count).sum(),
            are_read: files.iter().any(|file| !file.lies_in_memory()),
            has_steps: files.len() > 2,
        }
    }

    /// The most bytes that threads take for intervals of so many indices.
    fn bytes(&self, threads: usize, interval: u64) -> u128 {
        // In an interval there are one block more of each file, as blocks may begin together, and parts of the blocks that
        // begin before it.
        let items = (interval + 2 * self.block_items).min(self.items);
        let words = items * self.word_bytes;
        let read = if self.are_read {
            PLAIN_BLOCK_BYTES as u64 + words
        } else {
            0
        };
        let steps = if self.has_steps { words } else { 0 };
        let blocks = self.blocks + self.items / COMPACT_BLOCK_ITEMS as u64;
        u128::from(BASE + blocks * PER_BLOCK)
            + threads as u128 * u128::from(PER_THREAD + read + steps)
            + result_count(threads) as u128 * u128::from(words)
    }
}
