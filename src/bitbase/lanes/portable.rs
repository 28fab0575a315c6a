//! [`Lanes`] as plain arrays.

use std::ops::{BitAnd, BitOr};

use super::super::row::Row;
use super::register::Lanes;
use crate::batch;

/// Lanes as plain arrays. The compiler turns them into the vectors that the surrounding function may use.
#[derive(Clone, Copy, Debug)]
pub struct Portable(pub(super) [u64; 8]);

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
    type Isa = batch::Portable;

    #[inline(always)]
    fn load(_: batch::Portable, row: &Row) -> Self {
        Portable(row.0)
    }

    #[inline(always)]
    fn store(self, row: &mut Row) {
        row.0 = self.0;
    }

    #[inline(always)]
    fn splat(_: batch::Portable, word: u64) -> Self {
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
    fn shift(self, by: i32) -> Self {
        let (up, down) = (by.max(0) as u32, (-by).max(0) as u32);
        self.map(|x| x << up >> down)
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
