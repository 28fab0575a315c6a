//! Eight words at a time: the operations that the solver needs of a vector register, and their portable
//! version.
//!
//! The solver is written once, generic over [`Lanes`], and each backend instantiates it. A [`Row`] is eight
//! neighbouring words in memory, one for each file of the inner piece.

use std::ops::{BitAnd, BitOr};

use bytemuck::{Pod, Zeroable};

/// Eight words in memory. They have the squares of the last piece for the inner piece on the files a to h
/// of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u64; 8]);

impl Row {
    /// No square in any word.
    pub(crate) const ZERO: Row = Row([0; 8]);
}

/// A register of eight words.
pub(crate) trait Lanes: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    fn load(row: &Row) -> Self;
    fn store(self, row: &mut Row);
    fn splat(word: u64) -> Self;
    /// The bits that are in `self` and not in `other`.
    fn without(self, other: Self) -> Self;
    /// `self | a & b`.
    fn or_and(self, a: Self, b: Self) -> Self;
    /// Every word shifted towards higher bits.
    fn shl<const N: u32>(self) -> Self;
    /// Every word shifted towards lower bits.
    fn shr<const N: u32>(self) -> Self;
    /// Word k goes to lane k + N; zeros come in.
    fn lanes_up<const N: usize>(self) -> Self;
    /// Word k goes to lane k − N; zeros come in.
    fn lanes_down<const N: usize>(self) -> Self;
    /// Word k goes to lane 7 − k.
    fn reverse_lanes(self) -> Self;
    /// Every word as a board with its ranks mirrored.
    fn flip_vertical(self) -> Self;
    fn is_zero(self) -> bool;

    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0)
    }

    /// Every word as a board with its files mirrored.
    #[inline(always)]
    fn flip_horizontal(self) -> Self {
        // Exchanges neighbouring bits, then pairs, then nibbles.
        let (k1, k2, k4) = (
            Self::splat(0x5555_5555_5555_5555),
            Self::splat(0x3333_3333_3333_3333),
            Self::splat(0x0f0f_0f0f_0f0f_0f0f),
        );
        let x = (self.shr::<1>() & k1) | (self & k1).shl::<1>();
        let x = (x.shr::<2>() & k2) | (x & k2).shl::<2>();
        (x.shr::<4>() & k4) | (x & k4).shl::<4>()
    }

    /// Every word as a board with files and ranks exchanged.
    #[inline(always)]
    fn flip_diagonal(self) -> Self {
        // Exchanges quadrants, then 2 × 2 blocks, then single squares across the diagonal. The masks have
        // the bits that go up by 28, 14 and 7, those that go down as far, and those that stay.
        let (a, b, c) = (
            Self::splat(0x0000_0000_f0f0_f0f0),
            Self::splat(0x0000_cccc_0000_cccc),
            Self::splat(0x00aa_00aa_00aa_00aa),
        );
        let x = self;
        let stay = Self::splat(0xf0f0_f0f0_0f0f_0f0f);
        let x = (x & stay) | (x & a).shl::<28>() | (x.shr::<28>() & a);
        let stay = Self::splat(0xcccc_3333_cccc_3333);
        let x = (x & stay) | (x & b).shl::<14>() | (x.shr::<14>() & b);
        let stay = Self::splat(0xaa55_aa55_aa55_aa55);
        (x & stay) | (x & c).shl::<7>() | (x.shr::<7>() & c)
    }
}

/// Lanes as plain arrays. The compiler turns them into the vectors that the surrounding function may use.
#[derive(Clone, Copy)]
pub(crate) struct Portable([u64; 8]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Portable(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u64) -> u64) -> Self {
        Portable(self.0.map(f))
    }
}

impl BitAnd for Portable {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Portable {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn load(row: &Row) -> Self {
        Portable(row.0)
    }

    #[inline(always)]
    fn store(self, row: &mut Row) {
        row.0 = self.0;
    }

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Portable([word; 8])
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        self | (a & b)
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        self.map(|x| x << N)
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        self.map(|x| x >> N)
    }

    #[inline(always)]
    fn lanes_up<const N: usize>(self) -> Self {
        let mut out = [0; 8];
        out[N..].copy_from_slice(&self.0[..8 - N]);
        Portable(out)
    }

    #[inline(always)]
    fn lanes_down<const N: usize>(self) -> Self {
        let mut out = [0; 8];
        out[..8 - N].copy_from_slice(&self.0[N..]);
        Portable(out)
    }

    #[inline(always)]
    fn reverse_lanes(self) -> Self {
        let [a, b, c, d, e, f, g, h] = self.0;
        Portable([h, g, f, e, d, c, b, a])
    }

    #[inline(always)]
    fn flip_vertical(self) -> Self {
        self.map(u64::swap_bytes)
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0.iter().fold(0, |any, &word| any | word) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_move_squares() {
        for square in 0..64usize {
            let (file, rank) = (square % 8, square / 8);
            let x = Portable([1 << square; 8]);
            assert_eq!(x.flip_vertical().0[3], 1 << (file + 8 * (7 - rank)));
            assert_eq!(x.flip_horizontal().0[3], 1 << (7 - file + 8 * rank));
            assert_eq!(x.flip_diagonal().0[3], 1 << (rank + 8 * file));
        }
    }
}
