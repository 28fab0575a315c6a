//! The memory and disk that a reduction will take, calculated before anything is allocated.

use std::path::Path;

use super::super::disk::check_space;
use super::super::error::StoreError;
use super::super::format::PLAIN_BLOCK_BYTES;
use super::super::memory::{BASE, PER_THREAD, too_little};
use super::super::method::Method;
use super::bitmap::{self, KeySet};
use super::keys::Keys;
use super::reduction::Reduction;
use super::sizes::{Sizes, bytes_of_result_word};
use super::spills::bytes_of_bounds;
use crate::batch::BatchWord;
use crate::index::Equivalence;

/// The memory, the threads and the disk space that a reduction will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReductionPlan {
    /// The method that was chosen.
    pub method: Method,
    /// The number of threads that will work. They are fewer than allowed where the memory does not hold a bitmap, or a
    /// part of the words that are sorted, for each.
    pub threads: usize,
    /// The most bytes that the whole process will have resident, but for what the caller holds.
    pub memory: u64,
    /// The most bytes that temporary files will take, as far as the number of indices is known.
    pub temp_bytes: u64,
    /// The division of the memory, if indices are sorted.
    pub(super) sizes: Option<Sizes>,
}

/// No more threads sort than have so much memory each. With less they would get in each other's way, and
/// make thousands of runs of a few indices.
const LEAST_OF_THREAD: u64 = 4 << 20;
/// A bitmap of up to so many bytes is worthwhile whatever is read, a larger one if there are enough indices
/// to fill it.
const SMALL_BITMAP: u128 = 64 << 20;

impl Reduction {
    /// The needs of a reduction of so many indices.
    ///
    /// ```
    /// # use tbindex::store::{Method, Reduction};
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u64>::try_new("KRPvKRP".parse()?, Numbering::Natural)?;
    /// let reduction = Reduction { memory: 1 << 30, ..Reduction::default() };
    /// // Four billion indices exceed the memory, and 32 bits of each go to temporary files.
    /// let plan = reduction.plan(&same, Some(4_000_000_000))?;
    /// assert_eq!((plan.method, plan.memory), (Method::Sort, 1 << 30));
    /// assert_eq!(plan.temp_bytes >> 30, 14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the memory is too little for the method.
    pub fn plan<W: BatchWord>(
        &self,
        same: &Equivalence<W>,
        expected: Option<u64>,
    ) -> Result<ReductionPlan, StoreError> {
        ReductionPlan::new::<W>(self, &Keys::new(same.clone(), self.backend), expected)
    }
}

impl ReductionPlan {
    pub(super) fn new<W: BatchWord>(
        reduction: &Reduction,
        keys: &Keys<W>,
        expected: Option<u64>,
    ) -> Result<ReductionPlan, StoreError> {
        let threads = reduction.threads.max(1);
        let too_little = |needed| {
            let method = format_args!("method {}", reduction.method);
            too_little(reduction.memory, needed, method)
        };
        if reduction.memory < Reduction::LEAST_MEMORY {
            return Err(too_little(Reduction::LEAST_MEMORY.into()));
        }
        let with_bitmaps = |threads: usize| -> u128 {
            let emitting = KeySet::RUN_ITEMS * bytes_of_result_word::<W>();
            let each = bitmap::bytes(keys.bits) + u128::from(PER_THREAD) + emitting as u128;
            let gathered = bitmap::gathered(threads) * size_of::<W>();
            u128::from(BASE) + threads as u128 * each + gathered as u128
        };
        // From the second on, each thread takes as much as the one before.
        let bitmap = match u128::from(reduction.memory).checked_sub(with_bitmaps(2)) {
            Some(rest) if threads > 1 => {
                let more = rest / (with_bitmaps(3) - with_bitmaps(2));
                Some(threads.min(usize::try_from(2 + more).unwrap_or(usize::MAX)))
            }
            _ => (with_bitmaps(1) <= reduction.memory.into()).then_some(1),
        };
        let worth_it = {
            let bytes = bitmap::bytes(keys.bits);
            let indices = u128::from(expected.unwrap_or(0)) * size_of::<W>() as u128;
            bytes <= SMALL_BITMAP.max(4 * indices)
        };
        match (reduction.method, bitmap) {
            (Method::Bitmap, None) => return Err(too_little(with_bitmaps(1))),
            (Method::Sort, _) | (Method::Auto, None) => {}
            (Method::Auto, Some(_)) if !worth_it => {}
            (_, Some(threads)) => {
                return Ok(ReductionPlan {
                    method: Method::Bitmap,
                    threads,
                    memory: with_bitmaps(threads) as u64,
                    temp_bytes: 0,
                    sizes: None,
                });
            }
        }
        Ok(ReductionPlan::by_sorting::<W>(
            reduction, keys.bits, expected, threads,
        ))
    }

    fn by_sorting<W: BatchWord>(
        reduction: &Reduction,
        key_bits: u32,
        expected: Option<u64>,
        threads: usize,
    ) -> ReductionPlan {
        let most = (reduction.memory - BASE) / LEAST_OF_THREAD;
        let threads = threads
            .min(usize::try_from(most).unwrap_or(usize::MAX))
            .max(1);
        // Each thread reads blocks; the base has the memory of one for that.
        let blocks = (threads as u64 - 1) * PLAIN_BLOCK_BYTES as u64;
        let base = BASE + threads as u64 * PER_THREAD + blocks;
        let base = base.min(reduction.memory / 4 * 3);
        let sizes = Sizes::new::<W>(key_bits, reduction.memory - base, threads, expected);
        let expected = expected.unwrap_or(0);
        let (memory, temp_bytes) = if expected <= sizes.capacity() as u64 {
            (base + sizes.bytes, 0)
        } else {
            let spills = expected.div_ceil(sizes.capacity() as u64).saturating_add(1);
            let bounds = spills.saturating_mul(bytes_of_bounds(sizes.piles));
            let words = expected.saturating_mul(sizes.word_bytes as u64);
            (reduction.memory, words.saturating_add(bounds))
        };
        ReductionPlan {
            method: Method::Sort,
            threads,
            memory,
            temp_bytes,
            sizes: Some(sizes),
        }
    }

    /// Checks that the temporary files will find the space they need.
    pub(super) fn check_space(&self, temp: &Path) -> Result<(), StoreError> {
        if self.temp_bytes == 0 {
            return Ok(());
        }
        check_space(temp, self.temp_bytes, "temporary files")
    }
}
