//! What the operations on sets need of a vector register.

use std::ops::{BitAnd, BitOr};

use super::super::row::Row;

/// A register of eight words.
///
/// Only `load` and `splat` make one, and both take a token: whoever has a register may use its instructions.
pub trait Lanes: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// The proof that the processor has the instructions.
    type Isa: Copy;

    /// The words of a row.
    fn load(isa: Self::Isa, row: &Row) -> Self;
    /// Puts the words into a row.
    fn store(self, row: &mut Row);
    /// The same word in every lane.
    fn splat(isa: Self::Isa, word: u64) -> Self;
    /// The bits that are in `self` and not in `other`.
    fn without(self, other: Self) -> Self;
    /// `self | a & b`.
    fn or_and(self, a: Self, b: Self) -> Self;
    /// Every word shifted towards higher bits.
    fn shl<const N: u32>(self) -> Self;
    /// Every word shifted towards lower bits.
    fn shr<const N: u32>(self) -> Self;
    /// Every word shifted by a number below 64 that is not known when compiling: towards higher bits if it is
    /// positive, else towards lower ones.
    fn shift(self, by: i32) -> Self;
    /// Word k goes to lane k + N; zeros come in.
    fn lanes_up<const N: usize>(self) -> Self;
    /// Word k goes to lane k − N; zeros come in.
    fn lanes_down<const N: usize>(self) -> Self;
    /// Word k goes to lane 7 − k.
    fn reverse_lanes(self) -> Self;
    /// Every word as a board with its ranks mirrored.
    fn flip_vertical(self) -> Self;
    /// Whether no bit is set.
    fn is_zero(self) -> bool;

    /// No bit.
    #[inline(always)]
    fn zero(isa: Self::Isa) -> Self {
        Self::splat(isa, 0)
    }

    /// Every word as a board with its files mirrored.
    #[inline(always)]
    fn flip_horizontal(self, isa: Self::Isa) -> Self {
        // Exchanges neighbouring bits, then pairs, then nibbles.
        let (k1, k2, k4) = (
            Self::splat(isa, 0x5555_5555_5555_5555),
            Self::splat(isa, 0x3333_3333_3333_3333),
            Self::splat(isa, 0x0f0f_0f0f_0f0f_0f0f),
        );
        let x = (self.shr::<1>() & k1) | (self & k1).shl::<1>();
        let x = (x.shr::<2>() & k2) | (x & k2).shl::<2>();
        (x.shr::<4>() & k4) | (x & k4).shl::<4>()
    }

    /// Every word as a board with files and ranks exchanged.
    #[inline(always)]
    fn flip_diagonal(self, isa: Self::Isa) -> Self {
        // Exchanges quadrants, then 2 × 2 blocks, then single squares across the diagonal. The masks have
        // the bits that go up by 28, 14 and 7, those that go down as far, and those that stay.
        let (a, b, c) = (
            Self::splat(isa, 0x0000_0000_f0f0_f0f0),
            Self::splat(isa, 0x0000_cccc_0000_cccc),
            Self::splat(isa, 0x00aa_00aa_00aa_00aa),
        );
        let x = self;
        let stay = Self::splat(isa, 0xf0f0_f0f0_0f0f_0f0f);
        let x = (x & stay) | (x & a).shl::<28>() | (x.shr::<28>() & a);
        let stay = Self::splat(isa, 0xcccc_3333_cccc_3333);
        let x = (x & stay) | (x & b).shl::<14>() | (x.shr::<14>() & b);
        let stay = Self::splat(isa, 0xaa55_aa55_aa55_aa55);
        (x & stay) | (x & c).shl::<7>() | (x.shr::<7>() & c)
    }
}
