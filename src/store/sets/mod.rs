//! Union, intersection and difference of sorted files, of any size and any number.
//!
//! The space of indices is cut into ranges, at places that the files' block tables name. Ranges are
//! independent: several threads work on some of them at once, and what comes out is handed over in
//! order. Within a range a plain file in memory is used where it lies.

mod checked;
mod combine;
mod source;

use std::ops::{ControlFlow, Range};

use self::checked::Checked;
use self::combine::Workspace;
use super::contents::Contents;
use super::error::{StoreError, go_on};
use super::header::Header;
use super::in_order::in_order;
use super::reader::IndexFile;
use super::storage::Storage;
use super::writer::IndexWriter;
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

/// How many indices of all files a range has, about. Blocks that lie in two ranges are checked to their
/// end in the first of them; that is little of so many.
const RANGE_ITEMS: u64 = 1 << 20;

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

    /// Whether it keeps what is only in the first of two sets, in both, only in the second.
    const fn keeps(self) -> [bool; 3] {
        use merge::Keeps;
        match self {
            SetOperation::Union => merge::Union::KEEPS,
            SetOperation::Intersection => merge::Intersection::KEEPS,
            SetOperation::Difference => merge::Difference::KEEPS,
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
    /// Every block that is used is checked before anything that was made of it is handed on: its checksum,
    /// that its indices are in range, and that they ascend as the header claims. `watch` is told from time to
    /// time, on the calling thread, how many indices of all files are done, and ends the work by
    /// `ControlFlow::Break`. `take` is called on any of the threads, but never on two at once.
    ///
    /// # Errors
    /// As for [`contents`](SetOperation::contents), if `W` is not the files' word, if a file is damaged
    /// or can't be read, what `take` reports, or if the watch ended the work. Then what was handed on before is
    /// right as far as it goes.
    ///
    /// # Panics
    /// If there is no file.
    pub fn of_files<W: Word, D: Storage + Sync>(
        self,
        files: &[IndexFile<D>],
        threads: usize,
        mut watch: impl FnMut(u64) -> ControlFlow<()>,
        mut take: impl FnMut(&[W]) -> Result<(), StoreError> + Send,
    ) -> Result<u64, StoreError> {
        self.contents(files)?;
        for file in files {
            file.check_word::<W>()?;
        }
        let files = files
            .iter()
            .map(Checked::new)
            .collect::<Result<Vec<_>, _>>()?;
        let cuts = cuts::<W, D>(&files)?;
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
            |_, indices| {
                count += indices.len() as u64;
                match indices {
                    [] => Ok(()),
                    _ => take(indices),
                }
            },
            |ranges| {
                let ends = |last| cuts.get(last as usize).map_or(total, |&(_, end)| end);
                go_on(watch(ranges.checked_sub(1).map_or(0, ends)))
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
fn cuts<W: Word, D: Storage>(files: &[Checked<'_, D>]) -> Result<Vec<(u64, u64)>, StoreError> {
    let mut firsts = Vec::new();
    for file in files {
        file.firsts_into::<W>(&mut firsts)?;
    }
    firsts.sort_unstable();
    let (mut cuts, mut before, mut since) = (Vec::new(), 0, 0);
    for (first, items) in firsts {
        if since >= RANGE_ITEMS && cuts.last().is_none_or(|&(cut, _)| cut < first) {
            cuts.push((first, before));
            since = 0;
        }
        before += items;
        since += items;
    }
    Ok(cuts)
}
