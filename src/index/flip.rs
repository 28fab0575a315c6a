//! The eight symmetries and the change of numbering, on all pieces at once.
//!
//! A symmetry is at most three steps, in this order: exchange file and rank, mirror the files,
//! mirror the ranks (see [`Symmetry`]).
//!
//! | step | natural numbering | alternate numbering |
//! |---|---|---|
//! | mirror the files | `x ^ LOW` | toggle bit 1 of every low digit |
//! | mirror the ranks | `x ^ HIGH` | toggle bit 2 of every low digit |
//! | exchange | swap the halves | exchange bits 1 and 2 of every low digit; toggle its bit 0 unless the high digit is 6 or 7 |
//!
//! The text that first described the natural index and the code beneath it disagree about which of
//! the two XORs is the flip around the horizontal axis. Ranks are the high digits, so the flip that
//! exchanges the ranks 1 and 8 is `x ^ HIGH`, as the text says; the code's labels are exchanged.

use super::{Layout, Numbering, Word};
use crate::board::Symmetry;

/// # Symmetries
///
/// Every method returns the index of the position's image; see [`Symmetry`] for the maps.
impl<W: Word> Layout<W> {
    /// What mirroring the files toggles.
    #[inline(always)]
    pub(crate) fn file_mirror(&self) -> W {
        match self.numbering() {
            Numbering::Natural => self.masks().low,
            Numbering::Alternate => self.masks().ones << 1,
        }
    }

    /// What mirroring the ranks toggles.
    #[inline(always)]
    pub(crate) fn rank_mirror(&self) -> W {
        match self.numbering() {
            Numbering::Natural => self.masks().high,
            Numbering::Alternate => self.masks().ones << 2,
        }
    }

    /// a ↔ h.
    #[must_use]
    #[inline]
    pub fn flip_horizontal(&self, index: W) -> W {
        index ^ self.file_mirror()
    }

    /// 1 ↔ 8.
    #[must_use]
    #[inline]
    pub fn flip_vertical(&self, index: W) -> W {
        index ^ self.rank_mirror()
    }

    /// Both of the above.
    #[must_use]
    #[inline]
    pub fn rotate_180(&self, index: W) -> W {
        index ^ (self.file_mirror() | self.rank_mirror())
    }

    /// Mirrored along a1–h8.
    #[must_use]
    #[inline]
    pub fn flip_diagonal(&self, x: W) -> W {
        let half = self.half();
        let masks = self.masks();
        match self.numbering() {
            Numbering::Natural => x >> half | (x & masks.low) << half,
            Numbering::Alternate => {
                let ones = masks.ones;
                // High digits 6 and 7, seen in bit 0 of the low digits.
                let long_diagonal = x >> (half + 1) & x >> (half + 2);
                // Bits 1 and 2 are exchanged by toggling both where they differ.
                let differ = (x ^ x >> 1) & ones << 1;
                x ^ differ ^ differ << 1 ^ (ones & !long_diagonal)
            }
        }
    }

    /// Mirrored along a8–h1.
    #[must_use]
    #[inline]
    pub fn flip_anti_diagonal(&self, index: W) -> W {
        self.rotate_180(self.flip_diagonal(index))
    }

    /// Turned clockwise, a1 → a8.
    #[must_use]
    #[inline]
    pub fn rotate_90(&self, index: W) -> W {
        self.flip_vertical(self.flip_diagonal(index))
    }

    /// Turned counter-clockwise, a1 → h1.
    #[must_use]
    #[inline]
    pub fn rotate_270(&self, index: W) -> W {
        self.flip_horizontal(self.flip_diagonal(index))
    }

    /// The image under any symmetry.
    #[must_use]
    #[inline]
    pub fn flip(&self, symmetry: Symmetry, index: W) -> W {
        match symmetry {
            Symmetry::Identity => index,
            Symmetry::FlipHorizontal => self.flip_horizontal(index),
            Symmetry::FlipVertical => self.flip_vertical(index),
            Symmetry::Rotate180 => self.rotate_180(index),
            Symmetry::FlipDiagonal => self.flip_diagonal(index),
            Symmetry::FlipAntiDiagonal => self.flip_anti_diagonal(index),
            Symmetry::Rotate90 => self.rotate_90(index),
            Symmetry::Rotate270 => self.rotate_270(index),
        }
    }
}

/// # Numberings
///
/// In the natural numbering the file is the low digit `f2 f1 f0` and the rank the high digit
/// `r2 r1 r0`. Folded into the a1–d1–d4–a4 quarter, the square has a file `a = (f1 ^ f2, f0 ^ f2)` and
/// a rank `b = (r1 ^ r2, r0 ^ r2)` of two bits each, and `e = a ^ b` tells the pair {a, b} of an
/// orbit almost alone:
///
/// | orbit (high digit) | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
/// |---|---|---|---|---|---|---|---|---|
/// | {a, b} | 0,1 | 0,2 | 0,3 | 1,2 | 1,3 | 2,3 | 0,0 and 1,1 | 2,2 and 3,3 |
/// | e | 1 | 2 | 3 | 3 | 2 | 1 | 0 | 0 |
impl<W: Word> Layout<W> {
    /// The same position's index under the natural numbering, from this layout's.
    #[must_use]
    #[inline]
    pub fn to_natural(&self, x: W) -> W {
        match self.numbering() {
            Numbering::Natural => x,
            Numbering::Alternate => alternate_to_natural(x, self.masks().ones, self.half()),
        }
    }

    /// The same position's index under the alternate numbering, from this layout's.
    #[must_use]
    #[inline]
    pub fn to_alternate(&self, x: W) -> W {
        match self.numbering() {
            Numbering::Natural => natural_to_alternate(x, self.masks().ones, self.half()),
            Numbering::Alternate => x,
        }
    }

    /// The same position's index under this layout's numbering, from the natural one.
    #[must_use]
    #[inline]
    pub fn from_natural(&self, x: W) -> W {
        match self.numbering() {
            Numbering::Natural => x,
            Numbering::Alternate => natural_to_alternate(x, self.masks().ones, self.half()),
        }
    }

    /// The same position's index under this layout's numbering, from the alternate one.
    #[must_use]
    #[inline]
    pub fn from_alternate(&self, x: W) -> W {
        match self.numbering() {
            Numbering::Natural => alternate_to_natural(x, self.masks().ones, self.half()),
            Numbering::Alternate => x,
        }
    }

    /// The same position's index under another numbering, from this layout's.
    #[must_use]
    #[inline]
    pub fn convert(&self, to: Numbering, x: W) -> W {
        match to {
            Numbering::Natural => self.to_natural(x),
            Numbering::Alternate => self.to_alternate(x),
        }
    }
}

#[inline(always)]
fn natural_to_alternate<W: Word>(x: W, ones: W, half: u32) -> W {
    // All planes are kept in bit 0 of the low digits.
    let plane = |bit: u32| x >> bit & ones;
    let (f2, r2) = (plane(2), plane(half + 2));
    let (a0, a1) = (plane(0) ^ f2, plane(1) ^ f2);
    let (b0, b1) = (plane(half) ^ r2, plane(half + 1) ^ r2);
    let (e0, e1) = (a0 ^ b0, a1 ^ b1);
    let on_diagonal = ones ^ (e0 | e1);

    // Orbits 4 (e = 2, so that a0 = b0 = 1) and 5 (e = 1, a1 = b1 = 1), and the diagonals.
    let h2 = on_diagonal | (e1 & !e0 & a0) | (e0 & !e1 & a1);
    // Orbits 2 and 3 (e = 3), and the diagonals.
    let h1 = ones ^ e0 ^ e1;
    // e = 0 or 1: the upper of the two orbits has a1. e = 2: the lower, without a0. e = 3: orbit 3
    // is {1, 2}, whose members have two different bits.
    let h0 = (a1 & !(e1 & !e0)) ^ (e1 & (a0 ^ (ones & !e0)));
    // Above the diagonal: b > a, decided by the highest bit in which they differ. On the diagonal
    // e1 is 0, and b0 = a0 is the bit that tells its two squares apart.
    let l0 = (e1 & b1) | (b0 & !e1);

    (h2 << 2 | h1 << 1 | h0) << half | r2 << 2 | f2 << 1 | l0
}

#[inline(always)]
fn alternate_to_natural<W: Word>(x: W, ones: W, half: u32) -> W {
    let plane = |bit: u32| x >> bit & ones;
    let (l0, f2, r2) = (plane(0), plane(1), plane(2));
    let (h0, h1, h2) = (plane(half), plane(half + 1), plane(half + 2));
    let on_diagonal = h2 & h1;

    // The smaller (s) and the greater (g) of {a, b}, off the diagonals.
    let s1 = h2 & h0;
    let s0 = (h2 ^ h1) & (h2 ^ h0);
    let g1 = h0 | h1 | h2;
    let g0 = h2 | (ones ^ h0);
    // Orbits 6 and 7 have a = b = (h0, l0). Elsewhere l0 says that b is the greater: exchange.
    let differ1 = (s1 ^ g1) & l0;
    let differ0 = (s0 ^ g0) & l0;
    let choose = |off: W, on: W| (off & !on_diagonal) | (on & on_diagonal);
    let (a1, b1) = (choose(g1 ^ differ1, h0), choose(s1 ^ differ1, h0));
    let (a0, b0) = (choose(g0 ^ differ0, l0), choose(s0 ^ differ0, l0));

    let file = f2 << 2 | (a1 ^ f2) << 1 | (a0 ^ f2);
    let rank = r2 << 2 | (b1 ^ r2) << 1 | (b0 ^ r2);
    rank << half | file
}
