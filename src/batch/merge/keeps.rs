//! The parts that operations on two sets keep, and one step of a merge that keeps it.

use crate::index::Word;

/// The part that an operation on two sets keeps.
pub(crate) trait Keeps {
    /// Whether it keeps the words that are only in the first set, in both, only in the second.
    const KEEPS: [bool; 3];
}

/// The words in either set.
pub(crate) struct Union;
/// The words in both.
pub(crate) struct Intersection;
/// The words in the first alone.
pub(crate) struct Difference;

impl Keeps for Union {
    const KEEPS: [bool; 3] = [true, true, true];
}

impl Keeps for Intersection {
    const KEEPS: [bool; 3] = [false, true, false];
}

impl Keeps for Difference {
    const KEEPS: [bool; 3] = [true, false, false];
}

/// Makes one step of a merge. Returns how many words it took from either slice, and how many it wrote;
/// words beyond these will be overwritten.
#[inline(always)]
pub(super) fn step<W: Word, K: Keeps>(x: W, y: W, out: &mut W) -> [usize; 3] {
    *out = if K::KEEPS[2] { x.min(y) } else { x };
    let stays = match K::KEEPS {
        [true, true, true] => true,
        [only_a, both, only_b] => (only_a && x < y) | (both && x == y) | (only_b && x > y),
    };
    [usize::from(x <= y), usize::from(y <= x), usize::from(stays)]
}
