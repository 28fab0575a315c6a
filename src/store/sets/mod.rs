//! Union, intersection and difference of sorted files, of any size and any number.
//!
//! The space of indices is cut into intervals where blocks of the files begin. Intervals are independent: several
//! threads work on some of them at once, and their results are handed over in order.

mod checked;
mod merge;
mod plan;

pub use self::plan::SetPlan;

use self::checked::{Checked, Interval};
use self::merge::merge;
use super::StoredWord;
use super::blocks::BlockBuffer;
use super::checks::{check_canonical, not_canonical};
use super::contents::Contents;
use super::error::{StoreError, StoreErrorKind};
use super::file::{IndexFile, IndexReader, with_reader};
use super::header::Header;
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Watch};
use super::writer::{IndexWriter, Target};
use crate::batch::BatchWord;

/// The buffers where a thread puts the words of an interval, to be used again from interval to interval.
struct Buffers<W> {
    block: BlockBuffer<W>,
    /// The words of all files, unless they lie in memory.
    words: Vec<W>,
    /// Results before the last, if there are any.
    steps: Vec<W>,
}

/// The result of an interval: the first words of a vector. It is made when it is first needed.
#[derive(Default)]
struct IntervalResult<W> {
    words: Vec<W>,
    count: usize,
}

/// An operation on sets of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// The indices in any of the sets.
    Union,
    /// The indices in all of them.
    Intersection,
    /// The indices in the first and in no other.
    Difference,
}

impl SetOperation {
    /// All three.
    #[doc(hidden)]
    pub const ALL: [SetOperation; 3] = [
        SetOperation::Union,
        SetOperation::Intersection,
        SetOperation::Difference,
    ];

    /// The result for two slices, which must ascend without repeats.
    ///
    /// ```
    /// use tbindex::store::SetOperation;
    /// let (a, b) = ([1u32, 2, 3], [2, 4]);
    /// assert_eq!(SetOperation::Union.of_slices(&a, &b), [1, 2, 3, 4]);
    /// assert_eq!(SetOperation::Intersection.of_slices(&a, &b), [2]);
    /// assert_eq!(SetOperation::Difference.of_slices(&a, &b), [1, 3]);
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn of_slices<W: BatchWord>(self, a: &[W], b: &[W]) -> Vec<W> {
        let mut result = vec![W::ZERO; a.len() + b.len()];
        let count = self.combine(a, b, &mut result);
        result.truncate(count);
        result
    }

    /// Writes the result for two slices to another one, which has room for both, and returns its length.
    fn combine<W: BatchWord>(self, a: &[W], b: &[W], result: &mut [W]) -> usize {
        match self {
            SetOperation::Union => merge::<W, true, true, true>(a, b, result),
            SetOperation::Intersection => merge::<W, false, true, false>(a, b, result),
            SetOperation::Difference => merge::<W, true, false, false>(a, b, result),
        }
    }

    /// The claims that the file of the result may make: that it is sorted and distinct, as all files must be, and that it
    /// is canonical, if every index of it comes from a file that is.
    ///
    /// # Errors
    /// If a file is not sorted and distinct, or if the files differ in material, numbering or side to move.
    ///
    /// # Panics
    /// If there is no file.
    fn contents(self, files: &[IndexFile]) -> Result<Contents, StoreError> {
        let (first, others) = files.split_first().expect("an operation needs a set");
        for file in others {
            file.check_goes_with(&first.header().contents)?;
        }
        for file in files {
            if !file.header().contents.distinct {
                return Err(file.not_said("sorted and distinct", &self.to_string()));
            }
        }
        let mut canonical = files.iter().map(|file| file.header().contents.canonical);
        Ok(Contents {
            canonical: match self {
                SetOperation::Union => canonical.all(|canonical| canonical),
                SetOperation::Intersection => canonical.any(|canonical| canonical),
                SetOperation::Difference => first.header().contents.canonical,
            },
            ..first.header().contents
        })
    }

    /// The least number of indices that the result of the operation on these files can have, by their headers.
    fn least(self, files: &[IndexFile]) -> u64 {
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

    /// Writes the result in an interval to the beginning of `result`, and returns its length.
    fn combine_in<W: StoredWord>(
        self,
        interval: Interval,
        files: &[Checked<'_, W>],
        buffers: &mut Buffers<W>,
        result: &mut Vec<W>,
    ) -> Result<usize, StoreError> {
        let (block, steps) = (&mut buffers.block, &mut buffers.steps);
        let mut room = buffers.words.as_mut_slice();
        if self == SetOperation::Union {
            let mut sets = Vec::new();
            for file in files {
                let (words, rest) = file.words(interval, block, room)?;
                sets.push(words);
                room = rest;
            }
            return Ok(match sets[..] {
                [words] => copy(words, result),
                _ => unite(&sets, result, steps).len(),
            });
        }
        let (first, others) = files.split_first().expect("an operation needs a set");
        let (first, _) = first.words(interval, block, room)?;
        let Some((second, others)) = others.split_first() else {
            return Ok(copy(first, result));
        };
        let mut count = self.with_blocks(first, second, interval, block, result)?;
        for other in others {
            std::mem::swap(result, steps);
            count = self.with_blocks(&steps[..count], other, interval, block, result)?;
        }
        Ok(count)
    }

    /// Writes the intersection of `left` with a file, or `left` without the file's indices, to the beginning of `result`,
    /// and returns its length. Only blocks between whose ends there is some of `left` are read.
    fn with_blocks<W: StoredWord>(
        self,
        left: &[W],
        file: &Checked<'_, W>,
        interval: Interval,
        block: &mut BlockBuffer<W>,
        result: &mut [W],
    ) -> Result<usize, StoreError> {
        let (mut rest, mut count) = (left, 0);
        for number in file.blocks(interval) {
            let next = file.firsts.get(number + 1);
            let end = next.map_or(rest.len(), |&next| {
                rest.partition_point(|&x| x.to_u64() < next)
            });
            let (here, after) = rest.split_at(end);
            if let (Some(&least), Some(&most)) = (here.first(), here.last()) {
                let words = file.block(number, block)?;
                let start = words.partition_point(|&x| x < least);
                let end = words.partition_point(|&x| x <= most);
                count += self.combine(here, &words[start..end], &mut result[count..]);
            }
            rest = after;
        }
        // There is something left only if the file has no block in the interval.
        Ok(count + self.combine(rest, &[], &mut result[count..]))
    }

    /// Does the operation on files into the target, publishes it, and returns its header. The new file says that it is
    /// canonical if every index of it comes from a file that says so, and all its indices are checked to be so.
    ///
    /// Every block is checked before its indices are handed on: its checksum, that its indices are in range, and that they
    /// ascend as the header claims. `watch` is told of [`Phase::Reading`]; see [the module](crate::store#long-operations).
    ///
    /// The whole process has at most `memory` bytes resident, but for what the caller holds, such as mapped files:
    /// [`plan`](SetOperation::plan) says how many of them, and how many threads, the work will take.
    ///
    #[doc = include_str!("../example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let target = Target::plain(folder.path().join("both.tbi"), Overwrite::Refuse);
    /// let both = [file.clone(), file];
    /// let header = SetOperation::Union.combine_files_into(&both, &target, 1 << 30, 2, &mut unwatched)?;
    /// assert_eq!(header.count, 21_959);
    /// // The union may take the place of one of the files.
    /// let target = Target::plain(&path, Overwrite::Replace);
    /// let header = SetOperation::Difference.combine_files_into(&both, &target, 1 << 30, 2, &mut unwatched)?;
    /// assert_eq!(header.count, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the memory is too little for the files, if a file is not sorted and distinct, if the files differ in material,
    /// numbering or side to move, if a file is damaged or can't be read, as for [`IndexWriter`], if the target's folder has
    /// too little space, if a file says that it is canonical and has an index that isn't, which would go into the new one,
    /// and the errors of `watch`. Then there is no new file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn combine_files_into(
        self,
        files: &[IndexFile],
        target: &Target,
        memory: u64,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        let contents = self.contents(files)?;
        let plan = self.plan(files, memory, threads)?;
        with_reader!(&files[0], first => {
            self.combine_words(first, contents, files, target, &plan, watch)
        })
    }

    fn combine_words<W: StoredWord>(
        self,
        first: &IndexReader<W>,
        contents: Contents,
        files: &[IndexFile],
        target: &Target,
        plan: &SetPlan,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        let mut writer = IndexWriter::<W>::create(target, contents, first.backend)?;
        writer.check_space(self.least(files).into())?;
        let mut checked = files
            .iter()
            .map(|file| Checked::new(file.reader()?))
            .collect::<Result<Vec<_>, _>>()?;
        if self == SetOperation::Intersection {
            checked.sort_unstable_by_key(|checked| checked.file.header.count);
        }
        let cuts = cuts(&checked, plan.interval);
        let interval = |number: usize| {
            let start = number.checked_sub(1).map(|before| cuts[before].0);
            Interval(start, cuts.get(number).map(|&(key, _)| key))
        };
        let items = |number| {
            checked
                .iter()
                .map(|file| file.items(interval(number)))
                .sum::<u64>()
        };
        // A result is no longer, nor is a result together with a block that is merged with it.
        let most = (0..=cuts.len()).map(items).max().unwrap_or(0) as usize;
        let are_read = !files.iter().all(IndexFile::lies_in_memory);
        let total: u64 = files.iter().map(|file| file.header().count).sum();
        run_in_order(
            plan.threads,
            cuts.len() as u64 + 1,
            || Buffers {
                block: BlockBuffer::default(),
                words: vec![W::ZERO; if are_read { most } else { 0 }],
                steps: vec![W::ZERO; if files.len() > 2 { most } else { 0 }],
            },
            |buffers, number, result: &mut IntervalResult<W>| {
                let words = &mut result.words;
                if words.len() < most {
                    *words = vec![W::ZERO; most];
                }
                result.count =
                    self.combine_in(interval(number as usize), &checked, buffers, words)?;
                if contents.canonical {
                    let result = &result.words[..result.count];
                    check_canonical(&first.name, &first.same, 0, result, first.backend)
                        .map_err(|error| named(error, files))?;
                }
                Ok(())
            },
            |_, result| writer.write(&result.words[..result.count]),
            |intervals| {
                let ends = |last: u64| cuts.get(last as usize).map_or(total, |&(_, end)| end);
                let done = intervals.checked_sub(1).map_or(0, ends);
                watch(Phase::Reading.progress(done, Some(total)))
            },
        )?;
        writer.finish()
    }
}

/// `union`, `intersection` or `difference`.
impl std::fmt::Display for SetOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            SetOperation::Union => "union",
            SetOperation::Intersection => "intersection",
            SetOperation::Difference => "difference",
        })
    }
}

/// An error about an index that is not canonical, with the file that has it and says it is.
fn named(error: StoreError, files: &[IndexFile]) -> StoreError {
    let StoreErrorKind::NotCanonical { index, canonical } = error.kind else {
        return error;
    };
    let mut claiming = files.iter().filter(|file| file.header().contents.canonical);
    let found = claiming.find_map(|file| Some((file, file.search(index).ok()?.ok()?)));
    match found {
        Some((file, position)) => not_canonical(file.name(), position, index, canonical),
        None => error,
    }
}

/// Unites sets, which are in any order. The result is the only set if there is one, else the beginning of `out`. Both `out`
/// and, if there are more than two sets, `spare` have room for all of them.
fn unite<'a, W: BatchWord>(sets: &[&'a [W]], out: &'a mut [W], spare: &mut [W]) -> &'a [W] {
    let count = match sets {
        [] => 0,
        [one] => return one,
        [a, b] => SetOperation::Union.combine(a, b, out),
        _ => {
            // Halves of halves, so that each index is merged few times.
            let (a, b) = sets.split_at(sets.len() / 2);
            let (to_a, to_b) = spare.split_at_mut(a.iter().map(|set| set.len()).sum());
            let (a, b) = (unite(a, to_a, out), unite(b, to_b, out));
            SetOperation::Union.combine(a, b, out)
        }
    };
    &out[..count]
}

/// Copies words to the beginning of others, and returns how many there are.
fn copy<W: BatchWord>(words: &[W], to: &mut [W]) -> usize {
    to[..words.len()].copy_from_slice(words);
    words.len()
}

/// The first indices of all intervals but the first, each with about the number of indices before it. An interval has
/// about `items` indices.
fn cuts<W: StoredWord>(files: &[Checked<'_, W>], items: u64) -> Vec<(u64, u64)> {
    let blocks = files.iter().map(|file| file.firsts.len()).sum();
    let mut firsts = Vec::with_capacity(blocks);
    for Checked {
        file,
        firsts: of_file,
        ..
    } in files
    {
        let header = &file.header;
        let items = (0..).map(|number| u64::from(header.items_in(number)));
        firsts.extend(of_file.iter().copied().zip(items));
    }
    firsts.sort_unstable();
    let (mut cuts, mut before, mut since) = (Vec::new(), 0, 0);
    for (first, more) in firsts {
        if since >= items && cuts.last().is_none_or(|&(cut, _)| cut < first) {
            cuts.push((first, before));
            since = 0;
        }
        before += more;
        since += more;
    }
    cuts
}
