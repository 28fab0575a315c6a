//! Union, intersection and difference of sorted files, of any size and any number.
//!
//! The space of indices is cut into ranges, at places that the files' block tables name. Ranges are
//! independent: several threads work on some of them at once, and what comes out is handed over in
//! order. Within a range a plain file in memory is used where it lies.

mod checked;

use std::ops::{ControlFlow, Range};

use self::checked::{Checked, Part, PartBuffer};
use super::contents::Contents;
use super::error::StoreError;
use super::header::Header;
use super::in_order::{Filled, in_order};
use super::reader::IndexFile;
use super::storage::Storage;
use super::writer::{IndexWriter, to_u64};
use crate::batch::{Backend, merge};
use crate::index::Word;

/// An operation on sets of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// What is in any of the sets.
    Union,
    /// What is in all of them.
    Intersection,
    /// What is in the first and in no other.
    Difference,
}

/// How many indices of all files a range has, about, for a thread alone: what comes out stays in the cache.
const RANGE_ITEMS: u64 = 1 << 17;
/// The same for several threads, each of which checks blocks that lie in two ranges.
const SHARED_ITEMS: u64 = 1 << 20;
/// If a set has so many times more indices in a range than another, it is searched, not read.
const SEARCH: u64 = 1 << 12;

impl SetOperation {
    /// All three.
    pub const ALL: [SetOperation; 3] = [
        SetOperation::Union,
        SetOperation::Intersection,
        SetOperation::Difference,
    ];

    /// `union`, `intersection` or `difference`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SetOperation::Union => "union",
            SetOperation::Intersection => "intersection",
            SetOperation::Difference => "difference",
        }
    }

    /// The result for two slices, which must ascend without repeats.
    ///
    /// ```
    /// use tbindex::store::SetOperation;
    /// let (a, b) = ([1u32, 2, 3], [2, 4]);
    /// assert_eq!(SetOperation::Union.of_slices(&a, &b), [1, 2, 3, 4]);
    /// assert_eq!(SetOperation::Intersection.of_slices(&a, &b), [2]);
    /// assert_eq!(SetOperation::Difference.of_slices(&a, &b), [1, 3]);
    /// ```
    #[must_use]
    pub fn of_slices<W: Word>(self, a: &[W], b: &[W]) -> Vec<W> {
        let mut out = vec![W::ZERO; a.len() + b.len()];
        let count = self.combine(a, b, &mut out);
        out.truncate(count);
        out
    }

    /// Writes the result for two slices to `out`, which must be as long as both; how many indices it has.
    fn combine<W: Word>(self, a: &[W], b: &[W], out: &mut [W]) -> usize {
        let parts = self.combine_in_parts(a, b, out);
        merge::join(out, parts)
    }

    /// The same, but the result lies in several places of `out`, which are returned in ascending order.
    fn combine_in_parts<W: Word>(self, a: &[W], b: &[W], out: &mut [W]) -> Vec<Range<usize>> {
        use merge::{Difference, Intersection, Union, combine_in_parts};
        let backend = Backend::detect();
        match self {
            SetOperation::Union => combine_in_parts::<W, Union>(backend, a, b, out),
            SetOperation::Intersection => combine_in_parts::<W, Intersection>(backend, a, b, out),
            SetOperation::Difference => combine_in_parts::<W, Difference>(backend, a, b, out),
        }
    }

    /// What the result of the operation on these files may claim: sorted and distinct, as they must be
    /// all; canonical if every index of it was in a file that is.
    ///
    /// # Errors
    /// If there is no file, if one is not sorted and distinct, or if they differ in material, numbering
    /// or side to move.
    ///
    /// # Panics
    /// If there is no file.
    pub fn contents<D: Storage>(self, files: &[IndexFile<D>]) -> Result<Contents, StoreError> {
        let (first, others) = files.split_first().expect("an operation needs a set");
        for file in others {
            file.check_goes_with(&first.header().contents())?;
        }
        for file in files {
            if !file.header().distinct {
                return Err(StoreError::NotSorted {
                    path: file.name().to_owned(),
                    operation: self.name(),
                    expected: "sorted and distinct",
                });
            }
        }
        let mut canonical = files.iter().map(|file| file.header().canonical);
        Ok(Contents {
            canonical: match self {
                SetOperation::Union => canonical.all(|canonical| canonical),
                SetOperation::Intersection => canonical.any(|canonical| canonical),
                SetOperation::Difference => first.header().canonical,
            },
            ..first.header().contents()
        })
    }

    /// How many indices the result of the operation on these files has at least, as their headers tell.
    #[must_use]
    pub fn least<D: Storage>(self, files: &[IndexFile<D>]) -> u64 {
        let mut counts = files.iter().map(|file| file.header().count);
        match self {
            SetOperation::Union => counts.max().unwrap_or(0),
            SetOperation::Intersection => match counts.len() {
                1 => counts.next().unwrap_or(0),
                _ => 0,
            },
            SetOperation::Difference => {
                let first = counts.next().unwrap_or(0);
                first.saturating_sub(counts.fold(0, u64::saturating_add))
            }
        }
    }

    /// Does the operation on files, and hands the result to `take` in ascending slices; how many
    /// indices it has.
    ///
    /// Every block that is used is checked first: its checksum, that its indices are in range, and that
    /// they ascend as the header claims. `watch` is told from time to time how many indices of all
    /// files are done, and ends the work by `ControlFlow::Break`.
    ///
    /// # Errors
    /// As for [`contents`](SetOperation::contents), if `W` is not the files' word, if a file is damaged
    /// or can't be read, what `take` reports, or if the watch ended the work.
    ///
    /// # Panics
    /// If there is no file.
    pub fn of_files<W: Word, D: Storage + Sync>(
        self,
        files: &[IndexFile<D>],
        threads: usize,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
        mut take: impl FnMut(&[W]) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        self.contents(files)?;
        for file in files {
            file.check_word::<W>()?;
        }
        let files = files
            .iter()
            .map(Checked::new)
            .collect::<Result<Vec<_>, _>>()?;
        let items = if threads > 1 {
            SHARED_ITEMS
        } else {
            RANGE_ITEMS
        };
        let cuts = cuts(&files, items)?;
        let total: u64 = files.iter().map(Checked::count).sum();
        let mut count = 0;
        in_order(
            threads,
            cuts.len() as u64 + 1,
            Workspace::new,
            |workspace: &mut Workspace<W>, range, out| {
                let range = range as usize;
                let start = range.checked_sub(1).map(|before| cuts[before].0);
                let end = cuts.get(range).map(|&(key, _)| key);
                workspace.combine(self, &files, (start, end), out)
            },
            |range, indices| {
                if !indices.is_empty() {
                    take(indices)?;
                    count += indices.len() as u64;
                }
                let done = cuts.get(range as usize).map_or(total, |&(_, done)| done);
                match watch(done) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(StoreError::Cancelled),
                }
            },
        )?;
        Ok(count)
    }

    /// Does the operation on files into the file that `writer` makes, and publishes it.
    ///
    /// # Errors
    /// As for [`of_files`](SetOperation::of_files) and [`IndexWriter`]. Then there is no new file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn of_files_into<W: Word, D: Storage + Sync>(
        self,
        files: &[IndexFile<D>],
        mut writer: IndexWriter<W>,
        threads: usize,
        watch: impl FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Header, StoreError> {
        self.of_files(files, threads, watch, |indices| writer.write(indices))?;
        writer.finish()
    }
}

impl std::fmt::Display for SetOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The first indices of all ranges but the first, each with about how many indices come before it.
fn cuts<D: Storage>(
    files: &[Checked<'_, D>],
    range_items: u64,
) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut firsts = Vec::new();
    for file in files {
        file.firsts_into(&mut firsts)?;
    }
    firsts.sort_unstable();
    let (mut cuts, mut before, mut since) = (Vec::new(), 0, 0);
    for (first, items) in firsts {
        if since >= range_items && cuts.last().is_none_or(|&(cut, _)| cut < first) {
            cuts.push((first, before));
            since = 0;
        }
        before += items;
        since += items;
    }
    Ok(cuts)
}

/// What a thread keeps from range to range.
struct Workspace<W> {
    /// For each file what was read of it.
    read: Vec<PartBuffer<W>>,
    /// Results of some of the files.
    between: Vec<Filled<W>>,
}

impl<W: Word> Workspace<W> {
    fn new() -> Self {
        Workspace {
            read: Vec::new(),
            between: Vec::new(),
        }
    }

    fn combine<D: Storage>(
        &mut self,
        operation: SetOperation,
        files: &[Checked<'_, D>],
        (start, end): (Option<u64>, Option<u64>),
        out: &mut Filled<W>,
    ) -> Result<(), StoreError> {
        let mut files: Vec<_> = files.iter().collect();
        if operation == SetOperation::Intersection {
            files.sort_by_key(|file| file.count());
        }
        let mut parts = Vec::with_capacity(files.len());
        for file in files {
            let part = file.part::<W>(start, end)?;
            let decides = match operation {
                SetOperation::Union => false,
                SetOperation::Intersection => true,
                SetOperation::Difference => parts.is_empty(),
            };
            if decides && part.len() == 0 {
                // Nothing comes of the range, whatever the other files have there.
                return Ok(());
            }
            parts.push((file, part));
        }
        self.read.resize_with(parts.len(), PartBuffer::new);
        match operation {
            SetOperation::Union => {
                parts.retain(|(_, part)| part.len() > 0);
                let mut slices = Vec::with_capacity(parts.len());
                for (&(file, part), buffer) in parts.iter().zip(&mut self.read) {
                    slices.push(file.read(part, buffer)?);
                }
                unite(&slices, &mut self.between, out);
                Ok(())
            }
            SetOperation::Intersection => {
                parts.sort_by_key(|(_, part)| part.len());
                self.one_after_the_other(operation, &parts, out)
            }
            SetOperation::Difference => self.one_after_the_other(operation, &parts, out),
        }
    }

    /// Intersects the first part with the others, or takes the others away from it.
    fn one_after_the_other<D: Storage>(
        &mut self,
        operation: SetOperation,
        parts: &[(&Checked<'_, D>, Part)],
        out: &mut Filled<W>,
    ) -> Result<(), StoreError> {
        let Some((&(file, part), others)) = parts.split_first() else {
            return Ok(());
        };
        if part.len() == 0 {
            return Ok(());
        }
        let Workspace { read, between } = self;
        let (first, read) = read.split_at_mut(1);
        let first = file.read(part, &mut first[0])?;
        let mut next = between.pop().unwrap_or_default();
        // Nothing is copied before it is known to stay: until then it is where the first file has it.
        let mut is_first = true;
        for (number, (&(file, part), buffer)) in others.iter().zip(read).enumerate() {
            let left = if is_first { first } else { out.as_slice() };
            if left.is_empty() {
                break;
            }
            if left.len() as u64 * SEARCH < part.len() {
                // So few that it is not worth while to read the other.
                let keep_found = operation == SetOperation::Intersection;
                let mut kept = Vec::new();
                for &x in left {
                    if file.contains::<W>(to_u64(x))? == keep_found {
                        kept.push(x);
                    }
                }
                next.copy(&kept);
            } else {
                let other = file.read(part, buffer)?;
                let most = left.len() + other.len();
                if number + 1 == others.len() {
                    next.fill_parts(most, |place| operation.combine_in_parts(left, other, place));
                } else {
                    next.fill(most, |place| operation.combine(left, other, place));
                }
            }
            std::mem::swap(out, &mut next);
            is_first = false;
        }
        if is_first {
            out.copy(first);
        }
        between.push(next);
        Ok(())
    }
}

/// The union of some slices: of halves, so that each index is looked at few times.
fn unite<W: Word>(slices: &[&[W]], pool: &mut Vec<Filled<W>>, out: &mut Filled<W>) {
    match slices {
        [] => out.clear(),
        [one] => out.copy(one),
        [a, b] => out.fill_parts(a.len() + b.len(), |place| {
            SetOperation::Union.combine_in_parts(a, b, place)
        }),
        more => {
            let (left, right) = more.split_at(more.len() / 2);
            let mut a = pool.pop().unwrap_or_default();
            let mut b = pool.pop().unwrap_or_default();
            unite(left, pool, &mut a);
            unite(right, pool, &mut b);
            a.join();
            b.join();
            unite(&[a.as_slice(), b.as_slice()], pool, out);
            pool.extend([a, b]);
        }
    }
}
