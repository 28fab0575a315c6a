//! A single word as a vector of one: for scalar code, for what is left of columns and rows, and for boards without vectors.

use std::hint::select_unpredictable;

use wide::u32x4;

use super::{Boards, Lanes};
use crate::word::Word;

/// Implements methods as those of a portable vector that begins with the word.
macro_rules! as_vector {
    ($($method:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            let vector = |word: W| bytemuck::cast::<u128, u32x4>(word.into());
            W::truncate(bytemuck::cast(vector(self).$method(vector(other))))
        }
    )*};
}

impl<W: Word> Lanes<W> for W {
    type Isa = ();
    type Shift = u32;
    type Mask = bool;

    const COUNT: usize = 1;

    #[inline(always)]
    fn splat((): (), word: W) -> Self {
        word
    }
    #[inline(always)]
    fn shift((): (), bits: u32) -> u32 {
        bits
    }
    #[inline(always)]
    fn load((): (), from: &[W]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [W]) {
        to[0] = self;
    }
    #[inline(always)]
    fn load_bytes((): (), from: &[u8]) -> Self {
        from[0].into()
    }
    #[inline(always)]
    fn store_bytes(self, to: &mut [u8]) {
        to[0] = self.low_byte();
    }
    #[inline(always)]
    fn twice(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Ord::min(self, other)
    }
    #[inline(always)]
    fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
        self ^ mask.select(condition & bits != W::ZERO, W::ZERO)
    }
    as_vector!(
        min_of_16,
        high_product_of_16,
        low_product_of_16,
        sum_of_products_of_16,
        sum_of_products_of_8
    );
    #[inline(always)]
    fn product(self, other: Self) -> Self {
        W::ZERO.add_product(self, other)
    }
    #[inline(always)]
    fn equal(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(self, condition: bool, other: Self) -> Self {
        select_unpredictable(condition, self, other)
    }
    #[inline(always)]
    fn either(a: bool, b: bool) -> bool {
        a | b
    }
    #[inline(always)]
    fn bits(condition: bool) -> u64 {
        u64::from(condition)
    }
}

impl Boards for u64 {
    #[inline(always)]
    fn up(self, _: usize, _: u64) -> u64 {
        self
    }
    #[inline(always)]
    fn down(self, _: usize, _: u64) -> u64 {
        self
    }
    #[inline(always)]
    fn reverse_words(self) -> u64 {
        self
    }
    #[inline(always)]
    fn flip_vertical(self) -> u64 {
        self.swap_bytes()
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }
}
