//! Conversions between interleaved digits and squares side by side, without a loop over the pieces.
//!
//! An index keeps all high digits together and all low digits; the classical slots keep each piece's
//! two digits together. Moving the digits of m pieces apart takes log₂ m steps, each of which doubles
//! the gaps: …dcba → …dc··ba → …d·c·b·a.

use crate::index::{Layout, Word};

/// Every other group of 2^step octal digits, from the lowest.
const GROUPS: [u128; 6] = {
    let mut groups = [0; 6];
    let mut step = 0;
    while step < groups.len() {
        let width = 3 << step;
        let mut at = 0;
        while at < u128::BITS {
            groups[step] |= ((1 << width) - 1) << at;
            at += 2 * width;
        }
        step += 1;
    }
    groups
};

/// The steps that the digits of half an index need.
const fn steps<W: Word>() -> usize {
    let digits = W::MAX_PIECES - 1;
    digits.next_power_of_two().trailing_zeros() as usize
}

/// Octal digits moved to the even places.
#[inline(always)]
fn apart<W: Word>(mut x: W) -> W {
    for step in (0..steps::<W>()).rev() {
        x = (x | x << (3 << step)) & W::truncate(GROUPS[step]);
    }
    x
}

/// The octal digits in the even places, moved together.
#[inline(always)]
fn together<W: Word>(x: W) -> W {
    let mut x = x & W::truncate(GROUPS[0]);
    for step in 0..steps::<W>() {
        x = (x | x >> (3 << step)) & W::truncate(GROUPS[step + 1]);
    }
    x
}

/// The pieces of a natural index without the leading ones, whose squares are the digits of a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Others<W> {
    half: u32,
    /// The number of bits that their squares take, one after the other.
    pub(super) bits: u32,
    /// Their digits in the lower half of an index.
    low: W,
}

impl<W: Word> Others<W> {
    /// The pieces `pieces`−1 … 0 of a layout.
    pub(super) const fn new(layout: Layout<W>, pieces: usize) -> Others<W> {
        Others {
            half: layout.half(),
            bits: 6 * pieces as u32,
            low: W::MASKS[pieces].low,
        }
    }

    /// Their squares, one after the other, six bits each.
    #[inline(always)]
    pub(super) fn concatenate(&self, index: W) -> W {
        apart(index >> self.half & self.low) << 3 | apart(index & self.low)
    }

    /// Their digits in an index, from squares one after the other in the low bits of `slot`.
    #[inline(always)]
    pub(super) fn interleave(&self, slot: W) -> W {
        (together(slot >> 3) & self.low) << self.half | (together(slot) & self.low)
    }
}

/// The image of a natural index under the symmetry with a [code](crate::Symmetry), without branches:
/// in a stream of positions no branch on the symmetry can be predicted.
#[inline(always)]
pub(super) fn apply_code<W: Word>(layout: Layout<W>, code: u8, index: W) -> W {
    let bit = |k: u32| W::spread(W::from(code >> k & 1));
    let exchanged = layout.flip_diagonal(index);
    index
        ^ ((index ^ exchanged) & bit(2))
        ^ (layout.file_mirror() & bit(0))
        ^ (layout.rank_mirror() & bit(1))
}
