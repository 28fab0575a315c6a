//! A single word as a vector of one, by which the heads and tails of slices are done.

use super::{Boards, Lanes, Line, line_words};
use crate::index::Word;

macro_rules! single {
    ($word:ty) => {
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
            fn load_line((): (), from: &Line, part: usize) -> Self {
                bytemuck::cast::<_, [$word; line_words::<$word>()]>(*from)[part]
            }
            #[inline(always)]
            fn store_line(self, to: &mut Line, part: usize) {
                bytemuck::cast_mut::<_, [$word; line_words::<$word>()]>(to)[part] = self;
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
            #[inline(always)]
            fn min_of_16(self, other: Self) -> Self {
                by_16(self, other, |a, b| Ord::min(a, b))
            }
            #[inline(always)]
            fn high_product_of_16(self, other: Self) -> Self {
                by_16(self, other, |a, b| a * b >> 16)
            }
            #[inline(always)]
            fn low_product_of_16(self, other: Self) -> Self {
                by_16(self, other, |a, b| a * b & 0xffff)
            }
            #[inline(always)]
            fn sum_of_products_of_16(self, other: Self) -> Self {
                let mut sums = 0;
                for at in (0..<$word>::BITS).step_by(32) {
                    let part = |x: $word, up: u32| i32::from((x >> (at + up)) as i16);
                    let sum = (part(self, 0) * part(other, 0))
                        .wrapping_add(part(self, 16) * part(other, 16));
                    sums |= <$word>::from(sum as u32) << at;
                }
                sums
            }
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn sum_of_products_of_8(self, other: Self) -> Self {
                by_16(self, other, |a, b| {
                    let signed = |byte: u32| i32::from(byte as u8 as i8);
                    let product = |up: u32| (a >> up & 0xff) as i32 * signed(b >> up);
                    (product(0) + product(8)) as u32 & 0xffff
                })
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

single!(u32);
single!(u64);

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

/// Returns a function of every two numbers of 16 bits in two words.
#[inline(always)]
fn by_16<W: Word>(a: W, b: W, f: impl Fn(u32, u32) -> u32) -> W {
    let part = |x: W, at: u32| {
        let (low, high) = ((x >> at).low_byte(), (x >> (at + 8)).low_byte());
        u32::from(low) | u32::from(high) << 8
    };
    (0..W::BITS).step_by(16).fold(W::ZERO, |all, at| {
        all | W::truncate(f(part(a, at), part(b, at)).into()) << at
    })
}
