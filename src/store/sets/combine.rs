//! The operations in one range: the files' extents are merged two at a time, piece by piece, and are checked
//! on the way.

use super::super::error::StoreError;
use super::super::job_output::JobOutput;
use super::super::storage::Storage;
use super::checked::{Checked, Extent, ExtentBuffer};
use super::operation::SetOperation;
use super::source::Source;
use crate::batch::merge::first_not_below;
use crate::index::Word;

/// If a set has more than so many times the indices of another in a range, it is searched, not read.
const SEARCH: u64 = 1 << 12;
/// How much of two sets is checked and then merged: so little that it is still in the level-2 cache,
/// together with what comes next, which is brought there in the meantime.
const PIECE_BYTES: usize = 1 << 18;
/// From this ratio of lengths on, runs of the longer slice are lent instead of being copied.
const LEND: usize = 1 << 8;
/// Runs shorter than this are copied nevertheless.
const SHORT_RUN: usize = 1 << 6;

/// A file, its extent in the range, and the room for what is read of it.
type FileExtent<'a, 'b, W, D> = (&'b Checked<'a, D>, Extent, &'b mut ExtentBuffer<W>);

/// What a thread keeps from range to range.
pub(super) struct Workspace<'a, W> {
    /// For each file the room for what is read of it.
    read: Vec<ExtentBuffer<W>>,
    /// Results of some of the files.
    between: Vec<JobOutput<'a, W>>,
}

impl<'a, W: Word> Workspace<'a, W> {
    pub(super) const fn new() -> Self {
        Workspace {
            read: Vec::new(),
            between: Vec::new(),
        }
    }

    /// Writes the result in the range from one index to before another.
    pub(super) fn combine<D: Storage>(
        &mut self,
        operation: SetOperation,
        files: &[Checked<'a, D>],
        (start, end): (Option<u64>, Option<u64>),
        out: &mut JobOutput<'a, W>,
    ) -> Result<(), StoreError> {
        self.read.resize_with(files.len(), ExtentBuffer::new);
        let mut files: Vec<_> = files.iter().zip(&mut self.read).collect();
        if operation == SetOperation::Intersection {
            files.sort_by_key(|(file, _)| file.count());
        }
        let mut extents: Vec<FileExtent<'a, '_, W, D>> = Vec::with_capacity(files.len());
        for (file, buffer) in files {
            let extent = file.extent(start, end, buffer)?;
            let decides = match operation {
                SetOperation::Union => false,
                SetOperation::Intersection => true,
                SetOperation::Difference => extents.is_empty(),
            };
            if decides && extent.len() == 0 {
                // The result is empty there, whatever the other files have.
                return Source::of_extent(file, extent, buffer)?.end();
            }
            extents.push((file, extent, buffer));
        }
        match operation {
            SetOperation::Union => {
                let mut sources = Vec::with_capacity(extents.len());
                for (file, extent, buffer) in extents {
                    let mut source = Source::of_extent(file, extent, buffer)?;
                    match source.words().is_empty() {
                        true => source.end()?,
                        false => sources.push(source),
                    }
                }
                unite(&mut sources, &mut self.between, out, true)
            }
            SetOperation::Intersection => {
                extents.sort_by_key(|(_, extent, _)| extent.len());
                one_after_the_other(operation, extents, &mut self.between, out)
            }
            SetOperation::Difference => {
                one_after_the_other(operation, extents, &mut self.between, out)
            }
        }
    }
}

/// Intersects the first extent with the others, or takes the others away from it.
fn one_after_the_other<'a, W: Word, D: Storage>(
    operation: SetOperation,
    extents: Vec<FileExtent<'a, '_, W, D>>,
    pool: &mut Vec<JobOutput<'a, W>>,
    out: &mut JobOutput<'a, W>,
) -> Result<(), StoreError> {
    let others = extents.len().saturating_sub(1);
    let mut extents = extents.into_iter();
    let Some((file, extent, buffer)) = extents.next() else {
        return Ok(());
    };
    let mut first = Source::of_extent(file, extent, buffer)?;
    if others == 0 {
        return unite(&mut [first], pool, out, true);
    }
    let mut next = pool.pop().unwrap_or_default();
    for (number, other) in extents.enumerate() {
        let is_last = number + 1 == others;
        if number == 0 {
            with_another(operation, &mut first, other, &mut next, is_last)?;
        } else {
            let mut left = Source::of_slice(out.as_slice());
            if left.words().is_empty() {
                break;
            }
            with_another(operation, &mut left, other, &mut next, is_last)?;
        }
        std::mem::swap(out, &mut next);
    }
    pool.push(next);
    first.end()
}

/// Intersects a source with another file's extent, or takes that away from it. The result lies in one
/// place, unless it is the last one.
fn with_another<'a, W: Word, D: Storage>(
    operation: SetOperation,
    left: &mut Source<'a, '_, W, D>,
    (file, extent, buffer): FileExtent<'a, '_, W, D>,
    out: &mut JobOutput<'a, W>,
    is_last: bool,
) -> Result<(), StoreError> {
    let count = left.words().len();
    if (count as u64).saturating_mul(SEARCH) < extent.len() {
        // They are so few that it is not worthwhile to read the other file.
        let keep_found = operation == SetOperation::Intersection;
        out.begin(count);
        for &x in left.words() {
            if file.contains(x.to_u64(), buffer)? == keep_found {
                out.add_copy(&[x]);
            }
        }
    } else {
        let mut right = Source::of_extent(file, extent, buffer)?;
        merge(operation, left, &mut right, out, is_last)?;
    }
    if !is_last {
        out.join();
    }
    Ok(())
}

/// Writes the union of some sources, which is that of their halves, so that each index is merged few times.
/// The result may lie apart. Some of it is lent instead of being copied if `lend` allows that.
fn unite<'a, W: Word, D: Storage>(
    sources: &mut [Source<'a, '_, W, D>],
    pool: &mut Vec<JobOutput<'a, W>>,
    out: &mut JobOutput<'a, W>,
    lend: bool,
) -> Result<(), StoreError> {
    match sources {
        [] => {
            out.clear();
            Ok(())
        }
        [one] => merge(
            SetOperation::Union,
            one,
            &mut Source::of_slice(&[]),
            out,
            lend,
        ),
        [a, b] => merge(SetOperation::Union, a, b, out, lend),
        more => {
            let (left, right) = more.split_at_mut(more.len() / 2);
            let mut a = pool.pop().unwrap_or_default();
            let mut b = pool.pop().unwrap_or_default();
            unite(left, pool, &mut a, false)?;
            unite(right, pool, &mut b, false)?;
            a.join();
            b.join();
            let mut halves = [&a, &b].map(|half| Source::<W, D>::of_slice(half.as_slice()));
            unite(&mut halves, pool, out, lend)?;
            pool.extend([a, b]);
            Ok(())
        }
    }
}

/// Writes the result for two sources, piece by piece. It may lie apart, and some of it is lent if `lend`
/// allows that. Unless there is an error, everything that it is made of is good.
fn merge<'a, W: Word, D: Storage>(
    operation: SetOperation,
    a: &mut Source<'a, '_, W, D>,
    b: &mut Source<'a, '_, W, D>,
    out: &mut JobOutput<'a, W>,
    lend: bool,
) -> Result<(), StoreError> {
    let (a_words, b_words) = (a.words(), b.words());
    let total = a_words.len() + b_words.len();
    out.begin(total);
    // The shares of the two in a piece, in the ratio of their lengths.
    let share = |words: usize| {
        let piece = PIECE_BYTES / size_of::<W>();
        (words as u128 * piece as u128 / total.max(1) as u128).max(1) as usize
    };
    let shares = [share(a_words.len()), share(b_words.len())];
    let (mut i, mut j) = (0, 0);
    while i < a_words.len() || j < b_words.len() {
        let [x, y] = piece(&a_words[i..], &b_words[j..], shares);
        let (i_end, j_end) = (i + x.len(), j + y.len());
        a.look_at(i_end)?;
        b.look_at(j_end)?;
        let lying = |source: &Source<'a, '_, W, D>, from: usize, to: usize| {
            source
                .lying()
                .filter(|_| lend)
                .map(|words| &words[from..to])
        };
        let [only_a, both, only_b] = operation.keeps();
        match (lying(a, i, i_end), lying(b, j, j_end)) {
            (Some(many), _) if only_a && y.len() * LEND <= x.len() => {
                lend_around(y, many, [only_b, both], out);
            }
            (_, Some(many)) if only_b && x.len() * LEND <= y.len() => {
                lend_around(x, many, [only_a, both], out);
            }
            _ => out.add(x.len() + y.len(), |place| {
                operation.combine_in_parts(x, y, place)
            }),
        }
        (i, j) = (i_end, j_end);
    }
    a.end()?;
    b.end()
}

/// The fronts of two slices, cut at the same index: about so many words of each, and at least one word of
/// either unless both are empty.
fn piece<'b, W: Word>(a: &'b [W], b: &'b [W], [of_a, of_b]: [usize; 2]) -> [&'b [W]; 2] {
    let (to_a, to_b) = (a.len().min(of_a), b.len().min(of_b));
    let below = |words: &'b [W], key: W| &words[..words.partition_point(|&x| x < key)];
    match (a.get(to_a), b.get(to_b)) {
        (None, None) => [a, b],
        (Some(&x), Some(&y)) if x <= y => [&a[..to_a], below(&b[..to_b], x)],
        (Some(&x), None) => [&a[..to_a], below(b, x)],
        (_, Some(&y)) => [below(&a[..to_a], y), &b[..to_b]],
    }
}

/// Adds many words, which are lent, and among them few words: `alone` says whether those that are not among
/// the many are added, `both` whether those are that are.
fn lend_around<'a, W: Word>(
    few: &[W],
    many: &'a [W],
    [alone, both]: [bool; 2],
    out: &mut JobOutput<'a, W>,
) {
    let mut rest = many;
    let lend = |run: &'a [W], out: &mut JobOutput<'a, W>| match run.len() {
        0..SHORT_RUN => out.add_copy(run),
        _ => out.lend(run),
    };
    for &x in few {
        let (before, after) = rest.split_at(first_not_below(rest, x));
        lend(before, out);
        let found = after.first() == Some(&x);
        rest = &after[usize::from(found)..];
        if if found { both } else { alone } {
            out.add_copy(&[x]);
        }
    }
    lend(rest, out);
}
