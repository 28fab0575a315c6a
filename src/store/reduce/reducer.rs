//! A reduction that is under way.

use std::cell::Cell;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::super::StoredWord;
use super::super::blocks::BlockBuffer;
use super::super::error::StoreError;
use super::super::file::IndexReader;
use super::super::method::Method;
use super::super::ordered_jobs::run_in_order;
use super::super::watch::{Phase, Take, Watch, unwatched};
use super::bitmap::{KeyBitmap, KeySet};
use super::collectors::{Collectors, TakeIn};
use super::keys::{Incoming, Keys};
use super::plan::ReductionPlan;
use super::reduction::Reduction;
use super::sort::Sorter;
use crate::batch::BatchWord;
use crate::index::{Equivalence, Numbering};

/// The report of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The number of indices that were taken in.
    pub read: u64,
    /// The number of different canonical indices among them.
    pub count: u64,
    /// The method that was used.
    pub method: Method,
    /// How often the memory was full, so that its contents went to a temporary file.
    pub runs: u64,
    /// The number of bytes that went into the temporary file.
    pub temp_bytes: u64,
}

/// A reduction that takes in slices of indices and hands out slices of the reduced set.
///
/// ```
/// use tbindex::store::{Reduction, unwatched};
/// use tbindex::{Equivalence, Numbering};
/// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
/// let indices: Vec<u32> = (0..1 << 18).collect();
/// let mut reducer = Reduction::default().reducer(same, None)?;
/// for some in indices.chunks(1000) {
///     reducer.push(Numbering::Natural, some)?;
/// }
/// let mut reduced = Vec::new();
/// let summary = reducer.finish(&mut |some| Ok(reduced.extend_from_slice(some)), &mut unwatched)?;
/// assert_eq!(summary.count, 32_896);
/// assert_eq!(reduced.len(), 32_896);
/// assert!(reduced.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reducer<W> {
    keys: Keys<W>,
    temp: PathBuf,
    plan: ReductionPlan,
    /// The most indices that will come, where that is known.
    expected: Option<u64>,
    state: State<W>,
    summary: Summary,
}

enum State<W> {
    Bitmap(Collectors<W, KeyBitmap<W>>),
    /// Sorts 32 bits of each key.
    SortNarrow(Sorter<W, u32>),
    Sort(Sorter<W, W>),
}

impl<W: BatchWord> State<W> {
    fn new(plan: &ReductionPlan, keys: &Keys<W>) -> io::Result<State<W>> {
        Ok(match plan.sizes {
            None => State::Bitmap(KeyBitmap::of_threads(keys.bits, plan.threads)),
            Some(sizes) if sizes.narrow => State::SortNarrow(Sorter::new(&sizes)?),
            Some(sizes) => State::Sort(Sorter::new(&sizes)?),
        })
    }

    /// See [`Collectors::room`].
    fn room(&self) -> usize {
        match self {
            State::Bitmap(bitmaps) => bitmaps.room(),
            State::SortNarrow(sorter) => sorter.dealt.room(),
            State::Sort(sorter) => sorter.dealt.room(),
        }
    }

    /// See [`Collectors::push`].
    fn push(&mut self, keys: &Keys<W>, incoming: Incoming<'_, W>) -> Result<usize, StoreError> {
        match self {
            State::Bitmap(bitmaps) => bitmaps.push(keys, incoming),
            State::SortNarrow(sorter) => sorter.dealt.push(keys, incoming),
            State::Sort(sorter) => sorter.dealt.push(keys, incoming),
        }
    }

    /// See [`Collectors::together`].
    fn together(
        &mut self,
        keys: &Keys<W>,
        work: &mut dyn FnMut(&TakeIn<'_, W>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match self {
            State::Bitmap(bitmaps) => bitmaps.together(keys, work),
            State::SortNarrow(sorter) => sorter.dealt.together(keys, work),
            State::Sort(sorter) => sorter.dealt.together(keys, work),
        }
    }
}

impl<W> std::fmt::Debug for Reducer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reducer")
            .field("plan", &self.plan)
            .field("summary", &self.summary)
            .finish_non_exhaustive()
    }
}

impl Reduction {
    /// Begins a reduction.
    ///
    /// `expected` is the greatest number of indices that will come, where that is known.
    ///
    /// ```
    /// # use tbindex::store::{Method, Reduction};
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u64>::try_new("KRPvKRP".parse()?, Numbering::Natural)?;
    /// let reduction = Reduction { method: Method::Bitmap, ..Reduction::default() };
    /// // The bitmap of six pieces does not fit a gibibyte.
    /// let error = reduction.reducer(same, None).unwrap_err();
    /// assert!(error.message.starts_with("1073741824 bytes of memory are too little"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the memory is too little for the method, or the folder for temporary files lacks the space
    /// that is expected to be needed.
    pub fn reducer<W: StoredWord>(
        &self,
        same: Equivalence<W>,
        expected: Option<u64>,
    ) -> Result<Reducer<W>, StoreError> {
        W::reducer(self, same, expected)
    }

    pub(in super::super) fn begin<W: StoredWord>(
        &self,
        same: Equivalence<W>,
        expected: Option<u64>,
    ) -> Result<Reducer<W>, StoreError> {
        let keys = Keys::new(same, self.backend);
        let plan = ReductionPlan::new::<W>(self, &keys, expected)?;
        let temp = self.temp.clone().unwrap_or_else(std::env::temp_dir);
        plan.check_space(&temp)?;
        let state =
            State::new(&plan, &keys).map_err(StoreError::io(&temp, "get the memory to sort"))?;
        Ok(Reducer {
            keys,
            temp,
            expected,
            state,
            summary: Summary {
                read: 0,
                count: 0,
                method: plan.method,
                runs: 0,
                temp_bytes: 0,
            },
            plan,
        })
    }
}

impl<W: StoredWord> Reducer<W> {
    /// Takes in indices of this numbering.
    ///
    /// ```
    /// # use tbindex::store::{Reduction, StoreErrorKind};
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Alternate)?;
    /// let mut reducer = Reduction::default().reducer(same, None)?;
    /// // The set is reduced under the alternate numbering, but natural indices are taken, too.
    /// reducer.push(Numbering::Natural, &[0o123_456, 0o123_321])?;
    /// let error = reducer.push(Numbering::Natural, &[0o1_000_000]).unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::OutOfRange { index: 0o1_000_000 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If an index has bits above its digits (its position is counted from the first index of all), or if
    /// a temporary file can't be written. Then some of the indices may have been taken in.
    pub fn push(&mut self, numbering: Numbering, indices: &[W]) -> Result<(), StoreError> {
        W::push(self, numbering, indices)
    }

    pub(in super::super) fn push_words(
        &mut self,
        numbering: Numbering,
        indices: &[W],
    ) -> Result<(), StoreError> {
        let incoming = Incoming {
            indices,
            numbering,
            before: self.summary.read,
            in_range: false,
        };
        self.take_in(incoming, &mut unwatched)
    }

    /// Takes in indices, up to the first that is out of range. `watch` is told when the memory is full, so that they are
    /// sorted into a file.
    fn take_in(
        &mut self,
        mut incoming: Incoming<'_, W>,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        while !incoming.indices.is_empty() {
            let taken = self.state.push(&self.keys, incoming)?;
            self.summary.read += taken as u64;
            incoming = incoming.split_at(taken).1;
            if taken == 0 {
                let mut sorting = || watch(Phase::Sorting.progress(0, None));
                match &mut self.state {
                    State::Bitmap(_) => unreachable!("a bitmap has room for all indices"),
                    State::SortNarrow(sorter) => {
                        sorter.spill(&self.keys, &self.temp, &mut sorting)?;
                    }
                    State::Sort(sorter) => sorter.spill(&self.keys, &self.temp, &mut sorting)?,
                }
            }
        }
        Ok(())
    }

    /// Takes in a file. `watch` is told how many indices were taken in so far, and when indices are sorted. After an error
    /// the reducer can only be dropped.
    pub(super) fn push_file(
        &mut self,
        file: &IndexReader<W>,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let header = &file.header;
        let (before, expected) = (self.summary.read, self.expected);
        let reading =
            |blocks| Phase::Reading.progress(before + header.items_before(blocks), expected);
        let mut next = 0;
        while next < header.block_count {
            let first = next;
            let fitting = (self.state.room() / header.block_items as usize) as u64;
            next = header.block_count.min(first + fitting);
            let numbers = AtomicUsize::new(0);
            self.state.together(&self.keys, &mut |take| {
                run_in_order(
                    self.plan.threads,
                    next - first,
                    || (BlockBuffer::default(), numbers.fetch_add(1, Relaxed)),
                    |(buffer, thread), job, (): &mut ()| {
                        let number = first + job;
                        let indices = file.read_checked_block(number, buffer)?;
                        take(*thread, Incoming::of_block(header, before, number, indices))
                    },
                    |_, ()| Ok(()),
                    |done| watch(reading(first + done)),
                )
            })?;
            self.summary.read = before + header.items_before(next);
            if next < header.block_count {
                // Part of the next block fits. The rest does when what is there was sorted into a file.
                let mut buffer = BlockBuffer::default();
                let indices = file.read_checked_block(next, &mut buffer)?;
                self.take_in(Incoming::of_block(header, before, next, indices), watch)?;
                next += 1;
                watch(reading(next))?;
            }
        }
        Ok(())
    }

    /// Ends the reduction: hands the reduced set to `take` in ascending slices, and returns the summary.
    ///
    /// `watch` is told of [`Phase::Sorting`] and [`Phase::Writing`]; see
    /// [the module](crate::store#long-operations).
    ///
    /// ```
    /// # use tbindex::store::{Reduction, unwatched};
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let mut reducer = Reduction::default().reducer(same, None)?;
    /// reducer.push(Numbering::Natural, &[0o123_456, 0o125_125, 0o123_321])?;
    /// let mut reduced = Vec::new();
    /// let summary = reducer.finish(&mut |some| Ok(reduced.extend_from_slice(some)), &mut unwatched)?;
    /// assert_eq!((summary.read, reduced), (3, vec![0o123_321, 0o125_125]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a temporary file can't be written or read, and the errors of `take` and `watch`.
    pub fn finish(
        self,
        take: &mut Take<'_, W>,
        watch: &mut Watch<'_>,
    ) -> Result<Summary, StoreError> {
        W::reduce(self, take, watch)
    }

    pub(in super::super) fn reduce(
        self,
        take: &mut Take<'_, W>,
        watch: &mut Watch<'_>,
    ) -> Result<Summary, StoreError> {
        let Reducer {
            keys,
            plan,
            state,
            mut summary,
            temp,
            ..
        } = self;
        let count = Cell::new(0);
        let mut take = |indices: &[W]| {
            count.set(count.get() + indices.len() as u64);
            match indices.is_empty() {
                true => Ok(()),
                false => take(indices),
            }
        };
        // Indices are counted when they are handed out, so there are none while others are sorted.
        let mut watch = |phase: Phase| watch(phase.progress(count.get(), None));
        watch(Phase::Sorting)?;
        let (runs, temp_bytes) = match state {
            State::Bitmap(bitmaps) => {
                let set = KeySet::new(bitmaps, &keys)?;
                let read = |(): &mut (), run, out: &mut Vec<W>| {
                    set.indices_of(run, &keys, out);
                    Ok(())
                };
                run_in_order(
                    plan.threads,
                    set.runs(),
                    || (),
                    read,
                    |_, indices| take(indices),
                    |_| watch(Phase::Writing),
                )?;
                (0, 0)
            }
            State::SortNarrow(sorter) => sorter.finish(&keys, &temp, &mut take, &mut watch)?,
            State::Sort(sorter) => sorter.finish(&keys, &temp, &mut take, &mut watch)?,
        };
        summary.count = count.get();
        (summary.runs, summary.temp_bytes) = (runs, temp_bytes);
        Ok(summary)
    }
}
