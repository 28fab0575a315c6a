//! From any indices to the reduced set: canonical, sorted, each once, within a stated memory.
//!
//! Two methods, chosen by what fits:
//!
//! - *bitmap*: a bit for every canonical index there can be. Five pieces take 32 MiB (64 with pawns),
//!   whatever is read; nothing is sorted.
//! - *sort*: as many indices as fit are sorted in memory; if there are more, sorted runs go to
//!   temporary files, which are merged in the end.
//!
//! A [`Reducer`] is fed slices, and hands out slices. [`Reduction::reduce_files`] does all of it from
//! files to a file.

mod bitmap;
mod keys;
mod pipe;
mod plan;
mod radix;
mod runs;
mod sizes;
mod sort;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use self::bitmap::Bitmaps;
use self::keys::Keys;
use self::pipe::pipe;
pub use self::plan::{Method, MethodError, Plan};
use self::runs::{Merge, Run};
use self::sizes::Sizes;
use self::sort::Sorter;
use super::error::{StoreError, go_on};
use super::filled::Filled;
use super::header::Header;
use super::in_order::in_order;
use super::reader::{BlockBuffer, IndexFile};
use super::storage::Storage;
use super::writer::{IndexWriter, check_range};
use crate::batch::{self, BatchWord};
use crate::index::{Equivalence, Numbering};

/// How many indices are checked at once, so that they are still in a cache when they are taken in.
const CHECKED: usize = 1 << 16;
/// How many indices are handed out at once.
const HANDED_OUT: usize = 1 << 16;

/// How to reduce: with how much memory, on how many threads, by what method.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The bytes that the whole process may have resident, at least [`Reduction::LEAST_MEMORY`].
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
    /// The method.
    pub method: Method,
    /// The folder for temporary files.
    pub temp: PathBuf,
}

/// One gibibyte, all processors, the method chosen by what fits, the system's folder for temporary files.
impl Default for Reduction {
    fn default() -> Reduction {
        Reduction {
            memory: 1 << 30,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            method: Method::Auto,
            temp: std::env::temp_dir(),
        }
    }
}

/// How far a reduction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many indices were taken in.
    Read(u64),
    /// The indices taken in are being sorted.
    Sorting,
    /// So many indices of the result were handed out.
    Written(u64),
}

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
/// use std::ops::ControlFlow;
/// use tbindex::{Equivalence, Numbering, store::Reduction};
/// let same = Equivalence::<u32>::of_material("KRvK".parse()?, Numbering::Natural)?;
/// let indices: Vec<u32> = (0..1 << 18).collect();
/// let mut reducer = Reduction::default().reducer(same, None, |_| ControlFlow::Continue(()))?;
/// for some in indices.chunks(1000) {
///     reducer.push(Numbering::Natural, some)?;
/// }
/// let mut reduced = Vec::new();
/// let summary = reducer.finish(|some| Ok(reduced.extend_from_slice(some)))?;
/// assert_eq!(summary.count, 32_896);
/// assert_eq!(reduced.len(), 32_896);
/// assert!(reduced.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reducer<'w, W> {
    keys: Keys<W>,
    reduction: Reduction,
    plan: Plan,
    state: State<W>,
    converted: Vec<W>,
    summary: Summary,
    watch: Box<dyn FnMut(Progress) -> ControlFlow<()> + 'w>,
}

enum State<W> {
    Bitmap(Bitmaps<W>),
    Sort(SortState<W>),
}

/// Indices that are to be sorted, and the runs that were made of others before.
struct SortState<W> {
    sorter: AnySorter<W>,
    runs: Vec<Run>,
}

/// A sorter of what is kept of a key.
enum AnySorter<W> {
    Narrow(Sorter<W, u32>),
    Same(Sorter<W, W>),
    /// Its memory is needed for something else.
    Gone,
}

impl<W> std::fmt::Debug for Reducer<'_, W> {
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
    /// `expected` is how many indices there will be, at most, where that is known. `watch` is told from
    /// time to time how far the work is, and ends it by `ControlFlow::Break`.
    ///
    /// # Errors
    /// If the memory is too little for the method, or the folder for temporary files has not the space
    /// that is expected to be needed.
    pub fn reducer<'w, W: BatchWord>(
        &self,
        same: Equivalence<W>,
        expected: Option<u64>,
        watch: impl FnMut(Progress) -> ControlFlow<()> + 'w,
    ) -> Result<Reducer<'w, W>, StoreError> {
        let keys = Keys::new(same);
        let plan = Plan::new::<W>(self, &keys, expected)?;
        plan.check_space(&self.temp)?;
        let state = match plan.sizes {
            None => State::Bitmap(Bitmaps::new(&keys, plan.threads)),
            Some(sizes) => State::Sort(SortState {
                sorter: AnySorter::new(&sizes).map_err(StoreError::io(&self.temp, MEMORY))?,
                runs: Vec::new(),
            }),
        };
        Ok(Reducer {
            keys,
            reduction: self.clone(),
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
            watch: Box::new(watch),
        })
    }

    /// What a reduction of so many indices will take; see [`Plan`].
    ///
    /// # Errors
    /// If the memory is too little for the method.
    pub fn plan<W: BatchWord>(
        &self,
        same: &Equivalence<W>,
        expected: Option<u64>,
    ) -> Result<Plan, StoreError> {
        Plan::new::<W>(self, &Keys::new(same.clone()), expected)
    }

    /// Reduces slices of indices, each with its numbering, and hands the reduced set to `take` in slices.
    ///
    /// # Errors
    /// As for [`reducer`](Reduction::reducer) and the methods of [`Reducer`].
    pub fn reduce<'s, W: BatchWord>(
        &self,
        same: Equivalence<W>,
        slices: impl IntoIterator<Item = (Numbering, &'s [W])>,
        watch: impl FnMut(Progress) -> ControlFlow<()>,
        take: impl FnMut(&[W]) -> Result<(), StoreError> + Send,
    ) -> Result<Summary, StoreError> {
        let mut reducer = self.reducer(same, None, watch)?;
        for (numbering, indices) in slices {
            // In parts, so that the watch is asked often enough; several threads are to find it worth their
            // while.
            let part = if self.threads > 1 { 1 << 22 } else { 1 << 16 };
            for some in indices.chunks(part) {
                reducer.push(numbering, some)?;
            }
        }
        reducer.finish(take)
    }

    /// Reduces files into the file that `writer` makes, and publishes it.
    ///
    /// The files are all of the writer's material and side to move; their numberings may differ. Their
    /// blocks' checksums are checked as they are read.
    ///
    /// # Errors
    /// If a file is of other contents or damaged, and as for [`reducer`](Reduction::reducer) and
    /// [`IndexWriter`]. Then there is no new file.
    ///
    /// # Panics
    /// If the writer's word can't hold its material; the writer has seen to that.
    pub fn reduce_files<W: BatchWord, D: Storage>(
        &self,
        files: &[IndexFile<D>],
        mut writer: IndexWriter<W>,
        watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(Header, Summary), StoreError> {
        let contents = *writer.contents();
        for file in files {
            file.check_material_and_side(&contents)?;
        }
        let same = Equivalence::of_material(contents.material, contents.numbering)
            .expect("the writer's word holds its material");
        let count = files.iter().map(|file| file.header().count).sum();
        let mut reducer = self.reducer(same, Some(count), watch)?;
        let mut buffer = BlockBuffer::new();
        for file in files {
            let header = file.header();
            for number in 0..header.block_count {
                let indices = file.read_checked_block(number, &mut buffer)?;
                reducer.push(header.numbering, indices)?;
            }
        }
        drop(buffer);
        let summary = reducer.finish(|indices| writer.write(indices))?;
        Ok((writer.finish()?, summary))
    }
}

impl<W: BatchWord> Reducer<'_, W> {
    /// What this reduction was found to take.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Takes in indices of this numbering.
    ///
    /// # Errors
    /// If an index has bits above its digits (its position is counted from the first index of all), if
    /// a temporary file can't be written, or if the watch ended the work. Then some of the indices may
    /// have been taken in.
    pub fn push(&mut self, numbering: Numbering, indices: &[W]) -> Result<(), StoreError> {
        let layout = self.keys.same().layout();
        if numbering == layout.numbering() {
            self.take_in(indices)?;
        } else {
            let from = layout.with_numbering(numbering);
            let mut converted = std::mem::take(&mut self.converted);
            for some in indices.chunks(CHECKED) {
                self.check_range(some)?;
                converted.clear();
                converted.extend_from_slice(some);
                batch::convert_in_place(&from, layout.numbering(), &mut converted);
                self.take_in(&converted)?;
            }
            self.converted = converted;
        }
        let read = self.summary.read;
        self.go_on(Progress::Read(read))
    }

    /// Checks that the indices that come next are in range.
    fn check_range(&self, indices: &[W]) -> Result<(), StoreError> {
        let (layout, before) = (self.keys.same().layout(), self.summary.read);
        check_range(Path::new("the indices"), layout, before, indices)
    }

    fn go_on(&mut self, progress: Progress) -> Result<(), StoreError> {
        go_on((self.watch)(progress))
    }

    /// Takes in indices of the numbering of the result, as far as they are in range.
    fn take_in(&mut self, mut indices: &[W]) -> Result<(), StoreError> {
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
            if taken == 0 {
                self.go_on(Progress::Sorting)?;
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Sorts what was taken in into a run in a temporary file.
    fn spill(&mut self) -> Result<(), StoreError> {
        let State::Sort(state) = &mut self.state else {
            return Ok(());
        };
        let temp = &self.reduction.temp;
        let mut run = Run::create(temp).map_err(StoreError::io(temp, TEMPORARY))?;
        let mut take = |keys: &[W]| run.write(keys).map_err(StoreError::io(temp, TEMPORARY));
        (state.sorter).sort(&self.keys, true, &mut take, &mut || Ok(()))?;
        self.summary.temp_bytes += run.items() * size_of::<W>() as u64;
        self.summary.runs += 1;
        state.runs.push(run);
        Ok(())
    }

    /// Merges runs until one merge can read them all, in the memory that the sorting had.
    fn merge_to_few(&mut self) -> Result<(), StoreError> {
        let State::Sort(state) = &mut self.state else {
            return Ok(());
        };
        state.sorter = AnySorter::Gone;
        let (runs, plan) = (std::mem::take(&mut state.runs), self.plan);
        let temp = self.reduction.temp.clone();
        let (runs, bytes) =
            plan.merge_to_few::<W>(runs, &temp, || self.go_on(Progress::Sorting))?;
        self.summary.temp_bytes += bytes;
        if let State::Sort(state) = &mut self.state {
            state.runs = runs;
        }
        Ok(())
    }

    /// Ends the reduction: hands the reduced set to `take`, in ascending slices.
    ///
    /// # Errors
    /// What `take` reports, if a temporary file can't be written or read, or if the watch ended the work.
    pub fn finish(
        mut self,
        mut take: impl FnMut(&[W]) -> Result<(), StoreError> + Send,
    ) -> Result<Summary, StoreError> {
        self.go_on(Progress::Sorting)?;
        let runs = matches!(&self.state, State::Sort(state) if !state.runs.is_empty());
        if runs {
            self.spill()?;
            self.merge_to_few()?;
        }
        let Reducer {
            keys,
            plan,
            state,
            mut summary,
            mut watch,
            reduction,
            ..
        } = self;
        let count = AtomicU64::new(0);
        let mut take = |indices: &[W]| {
            count.fetch_add(indices.len() as u64, Relaxed);
            take(indices)
        };
        let mut watch = || go_on(watch(Progress::Written(count.load(Relaxed))));
        match state {
            State::Bitmap(bitmaps) => {
                let set = bitmaps.finish();
                let read = |(): &mut (), run, out: &mut Filled<W>| {
                    set.indices_of(run, out);
                    Ok(())
                };
                in_order(
                    plan.threads,
                    set.runs(),
                    || (),
                    read,
                    |_, indices| match indices {
                        [] => Ok(()),
                        _ => take(indices),
                    },
                    |_| watch(),
                )?;
            }
            State::Sort(mut state) if state.runs.is_empty() => {
                state.sorter.sort(&keys, false, &mut take, &mut watch)?;
            }
            State::Sort(state) => {
                let buffer = plan.merge_buffer_items(state.runs.len(), size_of::<W>());
                let reading = StoreError::io_of(&reduction.temp, READING);
                let mut merge = Merge::<W>::new(state.runs, buffer).map_err(&reading)?;
                let produce = |give: &mut pipe::Give<'_, W>| {
                    loop {
                        let more = merge
                            .next_into(give.buffer(), HANDED_OUT)
                            .map_err(&reading)?;
                        keys.to_indices_in_place(give.buffer());
                        give.away()?;
                        if !more {
                            return Ok(());
                        }
                    }
                };
                let mut take = |indices: &[W]| {
                    take(indices)?;
                    watch()
                };
                pipe(plan.threads, HANDED_OUT, produce, &mut take)?;
            }
        }
        summary.count = count.into_inner();
        Ok(summary)
    }
}

const TEMPORARY: &str = "write a temporary file in this folder";
const MEMORY: &str = "get the memory to sort";
const READING: &str = "read a temporary file in this folder";

impl<W: BatchWord> AnySorter<W> {
    fn new(sizes: &Sizes) -> std::io::Result<AnySorter<W>> {
        Ok(match sizes.narrow {
            true => AnySorter::Narrow(Sorter::new(sizes)?),
            false => AnySorter::Same(Sorter::new(sizes)?),
        })
    }

    /// See [`Sorter::push`].
    fn push(&mut self, keys: &Keys<W>, indices: &[W]) -> Option<usize> {
        match self {
            AnySorter::Narrow(sorter) => sorter.push(keys, indices),
            AnySorter::Same(sorter) => sorter.push(keys, indices),
            AnySorter::Gone => Some(0),
        }
    }

    /// See [`Sorter::sort`].
    fn sort(
        &mut self,
        keys: &Keys<W>,
        as_keys: bool,
        take: &mut (dyn FnMut(&[W]) -> Result<(), StoreError> + Send),
        watch: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match self {
            AnySorter::Narrow(sorter) => sorter.sort(keys, as_keys, take, watch),
            AnySorter::Same(sorter) => sorter.sort(keys, as_keys, take, watch),
            AnySorter::Gone => Ok(()),
        }
    }
}
