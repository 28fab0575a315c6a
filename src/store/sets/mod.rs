//! Union, intersection and difference of sorted files, of any size and any number.
//!
//! The space of indices is cut into intervals where blocks of the files begin. Intervals are independent: several
//! threads work on some of them at once, and their results are handed over in order.

mod checked;
mod merge;

use std::borrow::Cow;
use std::collections::VecDeque;

use self::checked::{Checked, Interval, Room};
use self::merge::merge;
use super::StoredWord;
use super::checks::{check_canonical, not_canonical};
use super::contents::{Contents, of_word};
use super::error::{StoreError, StoreErrorKind};
use super::file::IndexFile;
use super::header::Header;
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Watch};
use super::writer::{IndexWriter, Target};
use crate::batch::BatchWord;

/// The fewest and the most indices of all files together that an interval is to have. Within these bounds there are
/// four blocks of each file whose words do not lie in memory, because a block of two intervals is read for each.
const INTERVAL_ITEMS: [u64; 2] = [1 << 19, 1 << 22];

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
        let mut result = Vec::new();
        self.combine_into(a, b, &mut result);
        result
    }

    /// Replaces the contents of a vector by the result for two slices.
    fn combine_into<W: BatchWord>(self, a: &[W], b: &[W], result: &mut Vec<W>) {
        result.resize(a.len() + b.len(), W::ZERO);
        let count = self.combine(a, b, result);
        result.truncate(count);
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

    /// Replaces the contents of a vector by the result in an interval.
    fn combine_in<W: BatchWord>(
        self,
        interval: Interval,
        files: &[Checked<'_>],
        rooms: &mut [Room<W>],
        result: &mut Vec<W>,
    ) -> Result<(), StoreError> {
        let mut files = files.iter().zip(rooms);
        if self != SetOperation::Union {
            let Some((first, room)) = files.next() else {
                return Ok(());
            };
            let mut kept = Cow::Borrowed(first.words(interval, room)?);
            for (other, room) in files {
                let mut left = std::mem::take(result);
                self.with_blocks(&kept, other, interval, room, &mut left)?;
                if let Cow::Owned(before) = std::mem::replace(&mut kept, Cow::Owned(left)) {
                    *result = before;
                }
            }
            match kept {
                Cow::Borrowed(words) => {
                    result.clear();
                    result.extend_from_slice(words);
                }
                Cow::Owned(words) => *result = words,
            }
            return Ok(());
        }
        let mut sets: VecDeque<Cow<'_, [W]>> = VecDeque::new();
        for (file, room) in files {
            sets.push_back(Cow::Borrowed(file.words(interval, room)?));
        }
        // Two at a time, so that each index is merged few times.
        while sets.len() > 2 {
            let (a, b) = (sets.pop_front(), sets.pop_front());
            let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
            sets.push_back(Cow::Owned(self.of_slices(&a, &b)));
        }
        let (a, b) = (sets.pop_front(), sets.pop_front());
        let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
        self.combine_into(&a, &b, result);
        Ok(())
    }

    /// Intersects `left` with a file, or takes the file away from it. Only blocks between whose ends there is some of
    /// `left` are read.
    fn with_blocks<W: BatchWord>(
        self,
        left: &[W],
        file: &Checked<'_>,
        interval: Interval,
        room: &mut Room<W>,
        result: &mut Vec<W>,
    ) -> Result<(), StoreError> {
        result.resize(
            left.len() + file.file.header().block_items as usize,
            W::ZERO,
        );
        let (mut rest, mut count) = (left, 0);
        for number in file.blocks(interval) {
            let next = file.firsts.get(number + 1);
            let end = next.map_or(rest.len(), |&next| {
                rest.partition_point(|&x| x.to_u64() < next)
            });
            let (here, after) = rest.split_at(end);
            if let (Some(&least), Some(&most)) = (here.first(), here.last()) {
                let words = file.block(number, &mut room.block)?;
                let start = words.partition_point(|&x| x < least);
                let end = words.partition_point(|&x| x <= most);
                count += self.combine(here, &words[start..end], &mut result[count..]);
            }
            rest = after;
        }
        // There is something left only if the file has no block in the interval.
        count += self.combine(rest, &[], &mut result[count..]);
        result.truncate(count);
        Ok(())
    }

    /// Does the operation on files into the target, publishes it, and returns its header. The new file says that it is
    /// canonical if every index of it comes from a file that says so, and all its indices are checked to be so.
    ///
    /// Every block is checked before its indices are handed on: its checksum, that its indices are in range, and that they
    /// ascend as the header claims. `watch` is told of [`Phase::Reading`]; see [the module](crate::store#long-operations).
    ///
    /// Each thread takes memory for three intervals, one that is read and two results. An interval has half a million to
    /// four million indices of all files together: 6 to 50 MB a thread with words of 32 bits, twice as much with 64.
    ///
    #[doc = include_str!("../example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let target = Target::plain(folder.path().join("both.tbi"), Overwrite::Refuse);
    /// let both = [file.clone(), file];
    /// let header = SetOperation::Union.combine_files_into(&both, &target, 2, &mut unwatched)?;
    /// assert_eq!(header.count, 21_959);
    /// // The union may take the place of one of the files.
    /// let target = Target::plain(&path, Overwrite::Replace);
    /// let header = SetOperation::Difference.combine_files_into(&both, &target, 2, &mut unwatched)?;
    /// assert_eq!(header.count, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a file is not sorted and distinct, if the files differ in material, numbering or side to move, if a file is
    /// damaged or can't be read, as for [`IndexWriter`], if the target's folder has too little space, if a file says that
    /// it is canonical and has an index that isn't, which would go into the new one, and the errors of `watch`. Then
    /// there is no new file.
    ///
    /// # Panics
    /// If there is no file.
    pub fn combine_files_into(
        self,
        files: &[IndexFile],
        target: &Target,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        let contents = self.contents(files)?;
        of_word!(contents.word(), W => {
            self.combine_words::<W>(contents, files, target, threads, watch)
        })
    }

    fn combine_words<W: StoredWord>(
        self,
        contents: Contents,
        files: &[IndexFile],
        target: &Target,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Header, StoreError> {
        let backend = files[0].backend;
        let mut writer = IndexWriter::<W>::create(target, contents, backend)?;
        writer.check_space(self.least(files).into())?;
        let same = contents.canonical.then(|| contents.equivalence::<W>());
        let mut checked = files
            .iter()
            .map(Checked::new::<W>)
            .collect::<Result<Vec<_>, _>>()?;
        if self == SetOperation::Intersection {
            checked.sort_unstable_by_key(|checked| checked.file.header().count);
        }
        let cuts = cuts(&checked);
        let total: u64 = files.iter().map(|file| file.header().count).sum();
        run_in_order(
            threads,
            cuts.len() as u64 + 1,
            || checked.iter().map(|_| Room::default()).collect(),
            |rooms: &mut Vec<Room<W>>, number, result: &mut Vec<W>| {
                let start = number.checked_sub(1).map(|before| cuts[before as usize].0);
                let end = cuts.get(number as usize).map(|&(key, _)| key);
                self.combine_in(Interval(start, end), &checked, rooms, result)?;
                match &same {
                    Some(same) => check_canonical(files[0].name(), same, 0, result, backend)
                        .map_err(|error| named(error, files)),
                    None => Ok(()),
                }
            },
            |_, indices: &Vec<W>| writer.write(indices),
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

/// The first indices of all intervals but the first, each with about the number of indices before it.
fn cuts(files: &[Checked<'_>]) -> Vec<(u64, u64)> {
    let mut firsts = Vec::new();
    let mut block_items = 0;
    for Checked {
        file,
        firsts: of_file,
        ..
    } in files
    {
        let header = file.header();
        block_items += u64::from(header.block_items);
        let items = (0..).map(|number| u64::from(header.items_in(number)));
        firsts.extend(of_file.iter().copied().zip(items));
    }
    firsts.sort_unstable();
    let items = (4 * block_items).clamp(INTERVAL_ITEMS[0], INTERVAL_ITEMS[1]);
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
