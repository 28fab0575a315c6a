//! What a reduction will take, found out before anything is allocated.

use std::path::Path;

use super::super::error::StoreError;
use super::super::in_order;
use super::super::partial::check_space;
use super::bitmap::{self, KeySet};
use super::keys::Keys;
use super::runs::{Merge, Run};
use super::sizes::Sizes;
use super::{HANDED_OUT, READING, Reduction, TEMPORARY};
use crate::batch::BatchWord;

/// How a set is reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By a bitmap where it fits the memory and is not much larger than the indices, else by sorting.
    #[default]
    Auto,
    /// A bit for every canonical index there can be.
    Bitmap,
    /// Radix sort, with temporary files if need be.
    Sort,
}

impl Method {
    /// `auto`, `bitmap` or `sort`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Bitmap => "bitmap",
            Method::Sort => "sort",
        }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a method: expected auto, bitmap or sort")]
pub struct MethodError(String);

impl std::str::FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Method, MethodError> {
        [Method::Auto, Method::Bitmap, Method::Sort]
            .into_iter()
            .find(|method| method.name() == text)
            .ok_or_else(|| MethodError(text.to_owned()))
    }
}

/// What a reduction will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The method, decided.
    pub method: Method,
    /// How many threads will work: fewer than allowed where the memory does not hold so many bitmaps, or
    /// so many threads' share of what is sorted.
    pub threads: usize,
    /// The bytes that will be resident at most, all of the process.
    pub memory: u64,
    /// The bytes that temporary files will take at most, where the number of indices is known.
    pub temp_bytes: u64,
    /// How indices are sorted, unless by a bitmap.
    pub(super) sizes: Option<Sizes>,
    /// What the merge may take.
    room: u64,
}

/// What the process takes before anything is reduced: the program, its stacks, the buffers of readers
/// and of the writer. Measured, and rounded up.
const BASE: u64 = 12 << 20;
/// What each thread takes beside.
const PER_THREAD: u64 = 1 << 20;
/// Threads that sort are only as many as have so much memory each: with less they would only be in each
/// other's way, with thousands of runs of a few indices.
const LEAST_OF_THREAD: u64 = 4 << 20;
/// With less than this for each run, a merge would read in too small pieces.
const LEAST_MERGE_BYTES: u64 = 128 << 10;
const MOST_MERGE_BYTES: u64 = 4 << 20;
/// A bitmap is worth its while up to so many bytes whatever is read, and beyond if there are enough
/// indices to fill it.
const SMALL_BITMAP: u128 = 64 << 20;

impl Reduction {
    /// The least memory that a reduction can be told to work in.
    pub const LEAST_MEMORY: u64 = 24 << 20;
}

impl Plan {
    pub(super) fn new<W: BatchWord>(
        reduction: &Reduction,
        keys: &Keys<W>,
        expected: Option<u64>,
    ) -> Result<Plan, StoreError> {
        let threads = reduction.threads.max(1);
        let too_little = |needed: u128| StoreError::TooLittleMemory {
            method: reduction.method,
            found: reduction.memory,
            needed: u64::try_from(needed).unwrap_or(u64::MAX),
        };
        if reduction.memory < Reduction::LEAST_MEMORY {
            return Err(too_little(Reduction::LEAST_MEMORY.into()));
        }
        let with_bitmaps = |threads: usize| -> u128 {
            let emitting = threads * KeySet::<W>::RUN_ITEMS * in_order::bytes_of_result_word::<W>();
            u128::from(BASE)
                + threads as u128 * (bitmap::bytes(keys.bits()) + u128::from(PER_THREAD))
                + bitmap::bytes_of_buffers::<W>(threads)
                + emitting as u128
        };
        let fits = |threads: &usize| with_bitmaps(*threads) <= u128::from(reduction.memory);
        let bitmap = (1..=threads).rev().find(fits);
        let worth_it = {
            let bytes = bitmap::bytes(keys.bits());
            let indices = u128::from(expected.unwrap_or(0)) * size_of::<W>() as u128;
            bytes <= SMALL_BITMAP.max(4 * indices)
        };
        match (reduction.method, bitmap) {
            (Method::Bitmap, None) => return Err(too_little(with_bitmaps(1))),
            (Method::Sort, _) | (Method::Auto, None) => {}
            (Method::Auto, Some(_)) if !worth_it => {}
            (_, Some(threads)) => {
                return Ok(Plan {
                    method: Method::Bitmap,
                    threads,
                    memory: with_bitmaps(threads) as u64,
                    temp_bytes: 0,
                    sizes: None,
                    room: 0,
                });
            }
        }
        Ok(Plan::by_sorting::<W>(
            reduction,
            keys.bits(),
            expected,
            threads,
        ))
    }

    fn by_sorting<W: BatchWord>(
        reduction: &Reduction,
        key_bits: u32,
        expected: Option<u64>,
        threads: usize,
    ) -> Plan {
        let buffers = 4 * (HANDED_OUT * size_of::<W>()) as u64;
        let most = (reduction.memory - BASE) / LEAST_OF_THREAD;
        let threads = threads
            .min(usize::try_from(most).unwrap_or(usize::MAX))
            .max(1);
        let base = (BASE + buffers + threads as u64 * PER_THREAD).min(reduction.memory / 4 * 3);
        let room = reduction.memory - base;
        let sizes = Sizes::new::<W>(key_bits, room, threads, expected);
        let once = expected.unwrap_or(0) * size_of::<W>() as u64;
        let mut plan = Plan {
            method: Method::Sort,
            threads,
            memory: base + sizes.bytes,
            temp_bytes: 0,
            sizes: Some(sizes),
            room,
        };
        let runs = expected.unwrap_or(0).div_ceil(sizes.capacity() as u64);
        if runs > 1 {
            // Too many runs are first merged to fewer, which for a while are there beside them.
            let levels = if runs > plan.most_runs() { 2 } else { 1 };
            plan.temp_bytes = levels * once;
            plan.memory = reduction.memory;
        }
        plan
    }

    /// Checks that the temporary files will find the space they need.
    pub(super) fn check_space(&self, temp: &Path) -> Result<(), StoreError> {
        if self.temp_bytes == 0 {
            return Ok(());
        }
        check_space(temp, self.temp_bytes, "temporary files")
    }

    /// The most runs that can be merged at once.
    fn most_runs(&self) -> u64 {
        (self.room / LEAST_MERGE_BYTES).max(2)
    }

    /// The keys that a merge of so many runs reads at once from each.
    pub(super) fn merge_buffer_items(&self, runs: usize, item_bytes: usize) -> usize {
        let each = self.room / (runs as u64 + 1);
        (each.min(MOST_MERGE_BYTES) as usize / item_bytes).max(1)
    }

    /// Merges runs until there are few enough for the last merge; with how many bytes were written.
    pub(super) fn merge_to_few<W: BatchWord>(
        &self,
        runs: Vec<Run>,
        temp: &Path,
        mut go_on: impl FnMut() -> Result<(), StoreError>,
    ) -> Result<(Vec<Run>, u64), StoreError> {
        let most = self.most_runs() as usize;
        let mut runs = std::collections::VecDeque::from(runs);
        let mut bytes = 0;
        let mut keys: Vec<W> = Vec::with_capacity(HANDED_OUT);
        while runs.len() > most {
            // The oldest first: those are the shortest, once some were merged.
            let some: Vec<Run> = runs
                .drain(..most.min(runs.len() - most + 1).max(2))
                .collect();
            let buffer = self.merge_buffer_items(some.len(), size_of::<W>());
            let mut merge = Merge::<W>::new(some, buffer).map_err(StoreError::io(temp, READING))?;
            let mut merged = Run::create(temp).map_err(StoreError::io(temp, TEMPORARY))?;
            loop {
                go_on()?;
                keys.clear();
                let more = merge
                    .next_into(&mut keys, HANDED_OUT)
                    .map_err(StoreError::io(temp, READING))?;
                merged
                    .write(&keys)
                    .map_err(StoreError::io(temp, TEMPORARY))?;
                if !more {
                    break;
                }
            }
            bytes += merged.items() * size_of::<W>() as u64;
            runs.push_back(merged);
        }
        Ok((runs.into(), bytes))
    }
}
