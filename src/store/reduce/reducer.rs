//! A reduction at work.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use super::super::checks::check_range;
use super::super::error::StoreError;
use super::super::method::Method;
use super::super::ordered_jobs::run_in_order;
use super::super::watch::{Phase, Progress, unwatched};
use super::any_sorter::AnySorter;
use super::bitmap::Bitmaps;
use super::keys::Keys;
use super::merge::{RunMerge, merge_to_few};
use super::pipe::pipe;
use super::plan::ReductionPlan;
use super::reduction::Reduction;
use super::runs::{HANDED_OUT, READING, SortedRun, TEMPORARY};
use crate::batch::BatchWord;
use crate::index::{Equivalence, Numbering};

/// How many indices are checked at once, so that they are still in a cache when they are taken in.
const CHECKED: usize = 1 << 16;
/// The words by which errors call getting the memory to sort in.
const MEMORY: &str = "get the memory to sort";

/// What a reduction has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many indices were taken in.
    pub read: u64,
    /// How many different canonical ones there were.
    pub count: u64,
    /// The method that was used.
    pub method: Method,
    /// How many sorted runs were written to temporary files.
    pub runs: u64,
    /// How many bytes went into temporary files.
    pub temp_bytes: u64,
}

/// A reduction at work: fed slices of indices, it hands out slices of the reduced set.
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
/// let summary = reducer.finish(|some| Ok(reduced.extend_from_slice(some)), unwatched)?;
/// assert_eq!(summary.count, 32_896);
/// assert_eq!(reduced.len(), 32_896);
/// assert!(reduced.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reducer<W> {
    keys: Keys<W>,
    temp: PathBuf,
    plan: ReductionPlan,
    /// How many indices there will be at most, where that is known.
    expected: Option<u64>,
    state: State<W>,
    converted: Vec<W>,
    summary: Summary,
}

enum State<W> {
    Bitmap(Bitmaps<W>),
    Sort(SortState<W>),
}

/// Indices that are to be sorted, and the runs that were made of others before.
struct SortState<W> {
    sorter: AnySorter<W>,
    runs: Vec<SortedRun>,
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
    /// `expected` is how many indices there will be, at most, where that is known.
    ///
    /// # Errors
    /// If the memory is too little for the method, or the folder for temporary files lacks the space
    /// that is expected to be needed.
    pub fn reducer<W: BatchWord>(
        &self,
        same: Equivalence<W>,
        expected: Option<u64>,
    ) -> Result<Reducer<W>, StoreError> {
        let keys = Keys::new(same, self.backend);
        let plan = ReductionPlan::new::<W>(self, &keys, expected)?;
        let temp = self.temp.clone().unwrap_or_else(std::env::temp_dir);
        plan.check_space(&temp)?;
        let state = match plan.sizes {
            None => State::Bitmap(Bitmaps::new(&keys, plan.threads)),
            Some(sizes) => State::Sort(SortState {
                sorter: AnySorter::new(&sizes).map_err(StoreError::io(&temp, MEMORY))?,
                runs: Vec::new(),
            }),
        };
        Ok(Reducer {
            keys,
            temp,
            expected,
            state,
            converted: Vec::new(),
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

    /// Reduces slices of indices, each with its numbering, hands the reduced set to `take` in ascending
    /// slices, and returns what was done.
    ///
    /// `watch` is told of [`Phase::Reading`], [`Phase::Sorting`] and [`Phase::Writing`]; see
    /// [the module](crate::store#long-operations).
    ///
    /// # Errors
    /// As for [`reducer`](Reduction::reducer) and the methods of [`Reducer`], and what
    /// `take` or `watch` returns.
    pub fn reduce<'s, W: BatchWord, E: From<StoreError>>(
        &self,
        same: Equivalence<W>,
        slices: impl IntoIterator<Item = (Numbering, &'s [W])>,
        take: impl FnMut(&[W]) -> Result<(), E>,
        mut watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<Summary, E> {
        let mut reducer = self.reducer(same, None)?;
        for (numbering, indices) in slices {
            // In parts, so that the watch is asked often enough; several threads are to find it worth their
            // while.
            let part = if self.threads > 1 { 1 << 22 } else { 1 << 16 };
            for some in indices.chunks(part) {
                reducer.push_watched(numbering, some, &mut watch)?;
            }
        }
        reducer.finish(take, watch)
    }
}

impl<W: BatchWord> Reducer<W> {
    /// What this reduction was found to take.
    #[must_use]
    pub const fn plan(&self) -> &ReductionPlan {
        &self.plan
    }

    /// Takes in indices of this numbering.
    ///
    /// # Errors
    /// If an index has bits above its digits (its position is counted from the first index of all), or if
    /// a temporary file can't be written. Then some of the indices may have been taken in.
    pub fn push(&mut self, numbering: Numbering, indices: &[W]) -> Result<(), StoreError> {
        self.push_watched(numbering, indices, &mut unwatched)
    }

    /// As [`push`](Reducer::push); `watch` is told when indices are sorted, and in the end how many were
    /// taken in. After an error that it returns, the reducer can only be dropped.
    pub(super) fn push_watched<E: From<StoreError>>(
        &mut self,
        numbering: Numbering,
        indices: &[W],
        watch: &mut dyn FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        let layout = self.keys.same().layout();
        if numbering == layout.numbering() {
            self.take_in(indices, watch)?;
        } else {
            let from = layout.with_numbering(numbering);
            let mut converted = std::mem::take(&mut self.converted);
            for some in indices.chunks(CHECKED) {
                self.check_range(some)?;
                converted.clear();
                converted.extend_from_slice(some);
                self.keys
                    .backend()
                    .convert_in_place(&from, layout.numbering(), &mut converted);
                self.take_in(&converted, watch)?;
            }
            self.converted = converted;
        }
        watch(Phase::Reading.progress(self.summary.read, self.expected))
    }

    /// Checks that the indices that come next are in range.
    fn check_range(&self, indices: &[W]) -> Result<(), StoreError> {
        let (layout, before) = (self.keys.same().layout(), self.summary.read);
        let path = Path::new("the indices");
        check_range(path, layout, before, indices, self.keys.backend())
    }

    /// Takes in indices of the numbering of the result. Those before the first that is out of range are kept.
    fn take_in<E: From<StoreError>>(
        &mut self,
        mut indices: &[W],
        watch: &mut dyn FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        while !indices.is_empty() {
            let taken = match &mut self.state {
                State::Bitmap(bitmaps) => {
                    let some = &indices[..indices.len().min(CHECKED)];
                    self.keys.are_in_range(some).then(|| {
                        bitmaps.insert(some);
                        some.len()
                    })
                }
                State::Sort(state) => state.sorter.push(&self.keys, indices),
            };
            let Some(taken) = taken else {
                self.check_range(indices)?;
                continue;
            };
            self.summary.read += taken as u64;
            indices = &indices[taken..];
            if taken == 0
                && let State::Sort(state) = &mut self.state
            {
                let mut sorting = || watch(Phase::Sorting.progress(0, None));
                state.spill(&self.keys, &self.temp, &mut self.summary, &mut sorting)?;
            }
        }
        Ok(())
    }

    /// Ends the reduction: hands the reduced set to `take` in ascending slices, and returns what was done.
    ///
    /// `watch` is told of [`Phase::Sorting`] and [`Phase::Writing`]; see
    /// [the module](crate::store#long-operations).
    ///
    /// # Errors
    /// If a temporary file can't be written or read, and what `take` or `watch` returns.
    pub fn finish<E: From<StoreError>>(
        self,
        mut take: impl FnMut(&[W]) -> Result<(), E>,
        mut watch: impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<Summary, E> {
        let Reducer {
            keys,
            plan,
            state,
            mut summary,
            temp,
            ..
        } = self;
        let temp = temp.as_path();
        let mut sorting = || watch(Phase::Sorting.progress(0, None));
        sorting()?;
        let count = Cell::new(0);
        let mut take = |indices: &[W]| {
            count.set(count.get() + indices.len() as u64);
            match indices.is_empty() {
                true => Ok(()),
                false => take(indices),
            }
        };
        match state {
            State::Bitmap(bitmaps) => {
                let set = bitmaps.finish();
                let read = |(): &mut (), run, out: &mut Vec<W>| {
                    set.indices_of(run, out);
                    Ok(())
                };
                run_in_order(
                    plan.threads,
                    set.runs(),
                    || (),
                    read,
                    |_, indices| take(indices),
                    |_| watch(Phase::Writing.progress(count.get(), None)),
                )?;
            }
            State::Sort(mut state) if state.runs.is_empty() => {
                let mut writing = || watch(Phase::Writing.progress(count.get(), None));
                (state.sorter).sort(&keys, false, &mut take, &mut writing)?;
            }
            State::Sort(mut state) => {
                state.spill(&keys, temp, &mut summary, &mut sorting)?;
                // The merges use the memory that the sorting had.
                drop(state.sorter);
                let (runs, bytes) = merge_to_few::<W, E>(&plan, state.runs, temp, &mut sorting)?;
                summary.temp_bytes += bytes;
                let buffer = plan.merge_buffer_items(runs.len(), size_of::<W>());
                let reading = StoreError::io(temp, READING);
                let mut merge = RunMerge::<W>::new(runs, buffer).map_err(&reading)?;
                let make = |some: &mut Vec<W>| {
                    let more = merge.next_into(some, HANDED_OUT).map_err(&reading)?;
                    keys.to_indices_in_place(some);
                    Ok(more)
                };
                let mut take = |indices: &[W]| {
                    take(indices)?;
                    watch(Phase::Writing.progress(count.get(), None))
                };
                pipe(plan.threads, make, &mut take)?;
            }
        }
        summary.count = count.get();
        Ok(summary)
    }
}

impl<W: BatchWord> SortState<W> {
    /// Sorts what was taken in into a run in a temporary file.
    fn spill<E: From<StoreError>>(
        &mut self,
        keys: &Keys<W>,
        temp: &Path,
        summary: &mut Summary,
        watch: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        watch()?;
        let writing = StoreError::io(temp, TEMPORARY);
        let mut run = SortedRun::create(temp).map_err(&writing)?;
        let mut take = |keys: &[W]| Ok(run.write(keys).map_err(&writing)?);
        self.sorter.sort(keys, true, &mut take, watch)?;
        crate::fail_point!("store::run_written");
        summary.temp_bytes += run.items() * size_of::<W>() as u64;
        summary.runs += 1;
        self.runs.push(run);
        Ok(())
    }
}
