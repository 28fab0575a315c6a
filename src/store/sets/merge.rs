//! Union, intersection and difference of two ascending slices without repeats.
//!
//! Each step of a merge waits for the loads that the comparison before it chose. So both slices are cut in two at the
//! same key, and one loop merges both pairs of parts in turn; no branch in it depends on a comparison. (Random sets of
//! 20 and 10 million `u32` on a Zen 4: 2.2 ns an index read with one pair of parts, 1.4 with two, 1.5 with three, 1.7
//! with four.)
//!
//! Where one slice is much shorter, its indices are looked for in the other by galloping.

use crate::index::Word;

/// From this ratio of lengths on, the longer slice is galloped through.
const GALLOP: usize = 24;

/// Writes the result of an operation on two sets to the beginning of `out`, and returns its length. The operation keeps
/// the words that are in the first set alone, in both, and in the second alone, as its arguments say.
///
/// If a slice does not ascend, the result is unspecified.
///
/// # Panics
/// If `out` has no room for both.
pub(super) fn merge<W: Word, const FIRST: bool, const BOTH: bool, const SECOND: bool>(
    a: &[W],
    b: &[W],
    out: &mut [W],
) -> usize {
    assert!(out.len() >= a.len() + b.len(), "no room for both sets");
    if a.len().saturating_mul(GALLOP) < b.len() {
        return gallop(a, b, out, [FIRST, BOTH, SECOND]);
    }
    if b.len().saturating_mul(GALLOP) < a.len() {
        return gallop(b, a, out, [SECOND, BOTH, FIRST]);
    }
    let (a, a_later) = a.split_at(a.len() / 2);
    let (b, b_later) = match a_later.first() {
        Some(&key) => b.split_at(b.partition_point(|&x| x < key)),
        None => (b, &[][..]),
    };
    let room = a.len() + b.len();
    let (to, to_later) = out.split_at_mut(room);
    let mut earlier = Merge::<W, FIRST, BOTH, SECOND>::new(a, b, to);
    let mut later = Merge::<W, FIRST, BOTH, SECOND>::new(a_later, b_later, to_later);
    while earlier.goes_on() && later.goes_on() {
        earlier.step();
        later.step();
    }
    let (count, count_later) = (earlier.finish(), later.finish());
    out.copy_within(room..room + count_later, count);
    count + count_later
}

/// A merge of two slices, and the places that it has reached.
struct Merge<'a, W, const FIRST: bool, const BOTH: bool, const SECOND: bool> {
    a: &'a [W],
    b: &'a [W],
    out: &'a mut [W],
    at_a: usize,
    at_b: usize,
    count: usize,
}

impl<'a, W: Word, const FIRST: bool, const BOTH: bool, const SECOND: bool>
    Merge<'a, W, FIRST, BOTH, SECOND>
{
    fn new(a: &'a [W], b: &'a [W], out: &'a mut [W]) -> Self {
        let (at_a, at_b, count) = (0, 0, 0);
        Merge {
            a,
            b,
            out,
            at_a,
            at_b,
            count,
        }
    }

    /// Whether neither slice is at its end.
    #[inline(always)]
    fn goes_on(&self) -> bool {
        self.at_a < self.a.len() && self.at_b < self.b.len()
    }

    /// Takes the lesser of the next words, or both if they are equal. A word that is not kept is overwritten.
    #[inline(always)]
    fn step(&mut self) {
        let (x, y) = (self.a[self.at_a], self.b[self.at_b]);
        self.out[self.count] = if SECOND { x.min(y) } else { x };
        let kept = match [FIRST, BOTH, SECOND] {
            [true, true, true] => true,
            _ => (FIRST && x < y) | (BOTH && x == y) | (SECOND && x > y),
        };
        self.at_a += usize::from(x <= y);
        self.at_b += usize::from(y <= x);
        self.count += usize::from(kept);
    }

    /// Merges the rest and returns the number of words that were kept.
    fn finish(mut self) -> usize {
        while self.goes_on() {
            self.step();
        }
        let rests = [
            (&self.a[self.at_a..], FIRST),
            (&self.b[self.at_b..], SECOND),
        ];
        for (rest, _) in rests.into_iter().filter(|&(_, keep)| keep) {
            self.out[self.count..][..rest.len()].copy_from_slice(rest);
            self.count += rest.len();
        }
        self.count
    }
}

/// Writes the result of an operation on a small set and a large one, and returns its length. The last argument tells
/// whether to keep the words in `few` alone, in both, and in `many` alone.
fn gallop<W: Word>(
    few: &[W],
    many: &[W],
    out: &mut [W],
    [keep_few, keep_both, keep_many]: [bool; 3],
) -> usize {
    let (mut rest, mut to) = (many, 0);
    for &x in few {
        let place = first_not_below(rest, x);
        let (before, after) = rest.split_at(place);
        if keep_many {
            out[to..to + place].copy_from_slice(before);
            to += place;
        }
        let found = after.first() == Some(&x);
        rest = &after[usize::from(found)..];
        if found && keep_both || !found && keep_few {
            out[to] = x;
            to += 1;
        }
    }
    if keep_many {
        out[to..to + rest.len()].copy_from_slice(rest);
        to += rest.len();
    }
    to
}

/// Returns the place of the first word that is not below `x`. The steps of the search double, so that it
/// finds near words fast.
fn first_not_below<W: Word>(words: &[W], x: W) -> usize {
    let mut step = 1;
    while step < words.len() && words[step] < x {
        step *= 2;
    }
    let (start, end) = (step / 2, words.len().min(step + 1));
    start + words[start..end].partition_point(|&y| y < x)
}
