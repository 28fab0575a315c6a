//! A single word as a vector of one: for what is left of columns and rows, and for boards without vectors.

use wide::{u32x4, u64x2};

use super::{Boards, Lanes};

/// Implements methods as those of a portable vector that has the word in every place.
macro_rules! as_vector {
    ($wide:ident, $($method:ident),*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Lanes::$method($wide::splat(self), $wide::splat(other)).to_array()[0]
        }
    )*};
}

macro_rules! single {
    ($word:ty, $wide:ident) => {
        impl Lanes<$word> for $word {
            type Isa = ();
            type Shift = u32;
            type Mask = bool;

            const COUNT: usize = 1;

            #[inline(always)]
            fn splat((): (), word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn shift((): (), bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn load((): (), from: &[$word]) -> Self {
                from[0]
            }
            #[inline(always)]
            fn store(self, to: &mut [$word]) {
                to[0] = self;
            }
            #[inline(always)]
            fn load_bytes((): (), from: &[u8]) -> Self {
                from[0].into()
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                to[0] = self as u8;
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
                self ^ if condition & bits != 0 { mask } else { 0 }
            }
            as_vector!(
                $wide,
                min_of_16,
                high_product_of_16,
                low_product_of_16,
                sum_of_products_of_16,
                sum_of_products_of_8
            );
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
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
                if condition { self } else { other }
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
    };
}

single!(u32, u32x4);
single!(u64, u64x2);

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
