//! Vectors of eight boards, a [`Row`], for the operations on bitbases.
//!
//! The operations are written once, generic over [`EightBoards`], and the token of each backend chooses its vectors.

#![expect(
    unnameable_types,
    reason = "the values of an associated type of a trait that tools/prove uses"
)]

use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr};

use super::row::Row;
use crate::batch::Portable;
#[cfg(target_arch = "x86_64")]
use crate::batch::{Avx2, Avx512};
use crate::simd::Boards;
#[cfg(target_arch = "x86_64")]
use crate::simd::Isa;

/// The words of a row, in vectors.
///
/// Only `load` and `splat` make one, and both take a token: whoever has one may use its instructions.
pub trait EightBoards: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// The proof that the processor has the instructions.
    type Isa: Copy;

    /// The words of a row.
    fn load(isa: Self::Isa, row: &Row) -> Self;
    /// Puts the words into a row.
    fn store(self, row: &mut Row);
    /// The positions of a set as they are added up: each counts once.
    #[inline(always)]
    fn once(self, _isa: Self::Isa) -> Self {
        self
    }
    /// Adds the positions to those of a row and, of vectors that count, to the row of those that were added more than once.
    #[inline(always)]
    fn add_to(self, isa: Self::Isa, row: &mut Row, _several: Option<&mut Row>) {
        (Self::load(isa, row) | self).store(row);
    }
    /// The same word in every lane.
    fn splat(isa: Self::Isa, word: u64) -> Self;
    /// The bits that are in `self` and not in `other`.
    fn without(self, other: Self) -> Self;
    /// `self | a & b`.
    fn or_and(self, a: Self, b: Self) -> Self;
    /// Every word shifted by a number below 64: towards higher bits if it is positive, else towards lower ones.
    fn shift(self, isa: Self::Isa, by: i32) -> Self;
    /// Word k goes to lane k + N, which is 1, 2 or 4 lanes up; zeros come in.
    fn lanes_up<const N: usize>(self) -> Self;
    /// Word k goes to lane k − N, which is 1, 2 or 4 lanes down; zeros come in.
    fn lanes_down<const N: usize>(self) -> Self;
    /// Word k goes to lane 7 − k.
    fn reverse_lanes(self) -> Self;
    /// Every word as a board with its ranks mirrored.
    fn flip_vertical(self) -> Self;
    /// Every word as a board with its files mirrored.
    fn flip_horizontal(self, isa: Self::Isa) -> Self;
    /// Whether no bit is set.
    fn is_zero(self) -> bool;

    /// No bit.
    #[inline(always)]
    fn zero(isa: Self::Isa) -> Self {
        Self::splat(isa, 0)
    }

    /// Every word as a board with files and ranks exchanged.
    #[inline(always)]
    fn flip_diagonal(self, isa: Self::Isa) -> Self {
        // Exchanges quadrants, then 2 × 2 blocks, then single squares across the diagonal. The masks have the bits that
        // stay and those that go up; others go down as far.
        let mut x = self;
        for (by, stay, up) in [
            (28, 0xf0f0_f0f0_0f0f_0f0f, 0x0000_0000_f0f0_f0f0),
            (14, 0xcccc_3333_cccc_3333, 0x0000_cccc_0000_cccc),
            (7, 0xaa55_aa55_aa55_aa55, 0x00aa_00aa_00aa_00aa),
        ] {
            let (stay, up) = (Self::splat(isa, stay), Self::splat(isa, up));
            x = (x & stay) | (x & up).shift(isa, by) | (x.shift(isa, -by) & up);
        }
        x
    }
}

/// A token of a backend, which proves that the processor has the instructions of its vectors.
pub trait HasBoards: Copy {
    /// The vectors of a row.
    type Boards: EightBoards<Isa = Self>;
}

/// Words by themselves: the compiler moves them between lanes by loads that begin elsewhere, as a slab has more vectors
/// than there are registers.
impl HasBoards for Portable {
    type Boards = InVectors<u64, Portable, 8>;
}

#[cfg(target_arch = "x86_64")]
impl HasBoards for Avx2 {
    type Boards = InVectors<<Avx2 as Isa>::Bytes, Avx2, 2>;
}

#[cfg(target_arch = "x86_64")]
impl HasBoards for Avx512 {
    type Boards = InVectors<<Avx512 as Isa>::Bytes, Avx512, 1>;
}

impl From<Portable> for () {
    /// Single words need no proof.
    fn from(_: Portable) {}
}

/// Eight words in as many vectors as they fill, for a token.
#[derive(Clone, Copy, Debug)]
pub struct InVectors<V, T, const COUNT: usize>([V; COUNT], PhantomData<T>);

/// Replaces each vector by an expression of it.
macro_rules! each {
    ($boards:expr, $x:ident => $image:expr) => {{
        let mut boards = $boards;
        for k in 0..COUNT {
            let $x = boards.0[k];
            boards.0[k] = $image;
        }
        boards
    }};
}

impl<V: Boards, T, const COUNT: usize> BitAnd for InVectors<V, T, COUNT> {
    type Output = Self;

    #[inline(always)]
    fn bitand(mut self, other: Self) -> Self {
        for k in 0..COUNT {
            self.0[k] = self.0[k] & other.0[k];
        }
        self
    }
}

impl<V: Boards, T, const COUNT: usize> BitOr for InVectors<V, T, COUNT> {
    type Output = Self;

    #[inline(always)]
    fn bitor(mut self, other: Self) -> Self {
        for k in 0..COUNT {
            self.0[k] = self.0[k] | other.0[k];
        }
        self
    }
}

impl<V: Boards, T: Copy + Into<V::Isa>, const COUNT: usize> EightBoards for InVectors<V, T, COUNT> {
    type Isa = T;

    #[inline(always)]
    fn load(isa: T, row: &Row) -> Self {
        let mut all = Self::zero(isa);
        for k in 0..COUNT {
            all.0[k] = V::load(isa.into(), &row.0[k * V::COUNT..]);
        }
        all
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        for k in 0..COUNT {
            self.0[k].store(&mut row.0[k * V::COUNT..]);
        }
    }
    #[inline(always)]
    fn splat(isa: T, word: u64) -> Self {
        InVectors([V::splat(isa.into(), word); COUNT], PhantomData)
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & each!(other, x => !x)
    }
    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        self | (a & b)
    }
    #[inline(always)]
    fn shift(self, isa: T, by: i32) -> Self {
        let bits = V::shift(isa.into(), by.unsigned_abs());
        if by >= 0 {
            each!(self, x => x << bits)
        } else {
            each!(self, x => x >> bits)
        }
    }
    #[inline(always)]
    fn lanes_up<const N: usize>(self) -> Self {
        let none = self.0[0] & !self.0[0];
        let (whole, by) = (N / V::COUNT, N % V::COUNT);
        let mut all = self;
        for k in 0..COUNT {
            let from = |before: usize| k.checked_sub(before).map_or(none, |k| self.0[k]);
            all.0[k] = if by == 0 {
                from(whole)
            } else {
                from(whole).up(by, from(whole + 1))
            };
        }
        all
    }
    #[inline(always)]
    fn lanes_down<const N: usize>(self) -> Self {
        let none = self.0[0] & !self.0[0];
        let (whole, by) = (N / V::COUNT, N % V::COUNT);
        let mut all = self;
        for k in 0..COUNT {
            let from = |after: usize| self.0.get(k + after).copied().unwrap_or(none);
            all.0[k] = if by == 0 {
                from(whole)
            } else {
                from(whole).down(by, from(whole + 1))
            };
        }
        all
    }
    #[inline(always)]
    fn reverse_lanes(mut self) -> Self {
        self.0.reverse();
        each!(self, x => x.reverse_words())
    }
    #[inline(always)]
    fn flip_vertical(self) -> Self {
        each!(self, x => x.flip_vertical())
    }
    #[inline(always)]
    fn flip_horizontal(self, isa: T) -> Self {
        each!(self, x => x.flip_horizontal(isa.into()))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        let mut any = self.0[0];
        for k in 1..COUNT {
            any = any | self.0[k];
        }
        any.is_zero()
    }
}
