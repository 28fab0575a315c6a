//! Galloping, for a set that is much smaller than the other: its indices are looked for in the larger one.

use crate::index::Word;

/// Writes the result of an operation on a small set and a large one, and returns its length. `keeps` tells
/// whether to keep what is in `few` alone, in both, and in `many` alone.
pub(super) fn gallop<W: Word>(few: &[W], many: &[W], out: &mut [W], keeps: [bool; 3]) -> usize {
    let (mut rest, mut to) = (many, 0);
    for &x in few {
        let place = first_not_below(rest, x);
        let (before, after) = rest.split_at(place);
        if keeps[2] {
            out[to..to + place].copy_from_slice(before);
            to += place;
        }
        let found = after.first() == Some(&x);
        rest = &after[usize::from(found)..];
        if keeps[usize::from(found)] {
            out[to] = x;
            to += 1;
        }
    }
    if keeps[2] {
        out[to..to + rest.len()].copy_from_slice(rest);
        to += rest.len();
    }
    to
}

/// Returns the place of the first word that is not below `x`. The steps of the search double, so that it
/// finds fast what is near.
fn first_not_below<W: Word>(words: &[W], x: W) -> usize {
    let mut step = 1;
    while step < words.len() && words[step] < x {
        step *= 2;
    }
    let (start, end) = (step / 2, words.len().min(step + 1));
    start + words[start..end].partition_point(|&y| y < x)
}
