//! The vectors of `wide`: the portable backend.

use wide::{i16x8, i32x4, u16x8, u32x4, u64x2};

use super::tokens::Portable;
use super::{Bytes, Lanes};

/// Implements `Lanes` for a vector of `wide`.
macro_rules! portable {
    ($wide:ident: [$word:ty; $count:literal], $min:ident, $product:ident) => {
        impl Lanes<$word> for $wide {
            type Isa = Portable;
            type Shift = u32;
            type Mask = $wide;

            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(_: Portable, word: $word) -> Self {
                $wide::splat(word)
            }
            #[inline(always)]
            fn shift(_: Portable, bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn load(_: Portable, from: &[$word]) -> Self {
                let mut words = [0; $count];
                words.copy_from_slice(&from[..$count]);
                words.into()
            }
            #[inline(always)]
            fn store(self, to: &mut [$word]) {
                to[..$count].copy_from_slice(&self.to_array());
            }
            #[inline(always)]
            fn load_bytes(_: Portable, from: &[u8]) -> Self {
                let mut words = [0; $count];
                for (word, &byte) in words.iter_mut().zip(&from[..$count]) {
                    *word = byte.into();
                }
                words.into()
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                for (byte, word) in to[..$count].iter_mut().zip(self.to_array()) {
                    *byte = word as u8;
                }
            }
            #[inline(always)]
            fn twice(self) -> Self {
                self + self
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                $min(self, other)
            }
            #[inline(always)]
            fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
                let none = (condition & bits).simd_eq($wide::splat(0));
                self ^ (!none & mask)
            }
            #[inline(always)]
            fn min_of_16(self, other: Self) -> Self {
                let (a, b): (u16x8, u16x8) = (bytemuck::cast(self), bytemuck::cast(other));
                // SSE2 has no such minimum, but it has the difference that stops at zero.
                bytemuck::cast(a - a.saturating_sub(b))
            }
            #[inline(always)]
            fn high_product_of_16(self, other: Self) -> Self {
                let (a, b): (u16x8, u16x8) = (bytemuck::cast(self), bytemuck::cast(other));
                bytemuck::cast(a.mul_keep_high(b))
            }
            #[inline(always)]
            fn low_product_of_16(self, other: Self) -> Self {
                let (a, b): (i16x8, i16x8) = (bytemuck::cast(self), bytemuck::cast(other));
                bytemuck::cast(a * b)
            }
            #[inline(always)]
            fn sum_of_products_of_16(self, other: Self) -> Self {
                let (a, b): (i16x8, i16x8) = (bytemuck::cast(self), bytemuck::cast(other));
                bytemuck::cast(a.dot(b))
            }
            #[inline(always)]
            fn product(self, other: Self) -> Self {
                $product(self, other)
            }
            #[inline(always)]
            fn sum_of_products_of_8(self, other: Self) -> Self {
                let (a, b): (i16x8, i16x8) = (bytemuck::cast(self), bytemuck::cast(other));
                // SSE2 has no products but those of 16 bits.
                let even = (a & i16x8::splat(0xff)) * ((b << 8) >> 8);
                let a: u16x8 = bytemuck::cast(a);
                let odd: i16x8 = bytemuck::cast(a >> 8);
                bytemuck::cast(even + odd * (b >> 8))
            }
            #[inline(always)]
            fn equal(self, other: Self) -> $wide {
                self.simd_eq(other)
            }
            #[inline(always)]
            fn less(self, other: Self) -> $wide {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn select(self, condition: $wide, other: Self) -> Self {
                (condition & self) | (!condition & other)
            }
            #[inline(always)]
            fn either(a: $wide, b: $wide) -> $wide {
                a | b
            }
            #[inline(always)]
            fn bits(condition: $wide) -> u64 {
                u64::from(condition.to_bitmask())
            }
        }
    };
}

portable!(u32x4: [u32; 4], smaller_u32, product_u32);
portable!(u64x2: [u64; 2], smaller_u64, product_u64);

/// The smaller of every two words, whose highest bits are zero: the comparison is signed. Sorting like pieces needs
/// `a ^ min(a, b)`, which cancels a part.
#[inline(always)]
fn smaller_u32(a: u32x4, b: u32x4) -> u32x4 {
    let signed: [i32x4; 2] = [a, b].map(bytemuck::cast);
    let greater: u32x4 = bytemuck::cast(signed[0].simd_gt(signed[1]));
    a ^ (a ^ b) & greater
}

/// Does this for words of 64 bits, which SSE2 can't compare. It can spread the sign of their difference.
#[inline(always)]
fn smaller_u64(a: u64x2, b: u64x2) -> u64x2 {
    let difference = a - b;
    let signs = bytemuck::cast::<_, [i64; 2]>(difference).map(|word| word >> 63);
    b + (difference & bytemuck::cast::<_, u64x2>(signs))
}

#[inline(always)]
fn product_u32(a: u32x4, b: u32x4) -> u32x4 {
    let (a, b): (i16x8, i16x8) = (bytemuck::cast(a), bytemuck::cast(b));
    bytemuck::cast(a.dot(b))
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "`wide` has no product of lower halves alone")]
#[inline(always)]
fn product_u64(a: u64x2, b: u64x2) -> u64x2 {
    let (a, b) = (bytemuck::cast(a), bytemuck::cast(b));
    // SAFETY: every x86-64 processor has SSE2.
    bytemuck::cast(unsafe { std::arch::x86_64::_mm_mul_epu32(a, b) })
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn product_u64(a: u64x2, b: u64x2) -> u64x2 {
    a * b
}

impl Bytes for u64x2 {
    type Words32 = u32x4;

    #[inline(always)]
    fn fold_halves(self, other: Self) -> u32x4 {
        // An invalid word must not spill into its neighbour.
        bytemuck::cast(self & u64x2::splat(u64::MAX >> 32) | other << 32)
    }
    #[inline(always)]
    fn unfold_halves(_: Portable, halves: u32x4) -> (Self, Self) {
        let both: u64x2 = bytemuck::cast(halves);
        (both & u64x2::splat(u64::MAX >> 32), both >> 32)
    }

    type Shuffle = usize;

    #[inline(always)]
    fn shuffle(_: Portable, stride: usize) -> usize {
        stride
    }
    #[inline(always)]
    fn load_rows(_: Portable, stride: usize, from: &[u8]) -> Self {
        // The second row begins where the slice is sure to have eight bytes more.
        let stride = stride.clamp(1, 8);
        let second = from.get(stride..).and_then(|rest| rest.first_chunk::<8>());
        let (Some(first), Some(second)) = (from.first_chunk::<8>(), second) else {
            return u64x2::splat(0);
        };
        let rows = [u64::from_le_bytes(*first), u64::from_le_bytes(*second)];
        u64x2::from(rows) & u64x2::splat(u64::MAX >> (64 - 8 * stride as u32))
    }
    #[inline(always)]
    fn store_rows(self, stride: usize, to: &mut [u8]) {
        let [first, second] = self.to_array();
        to[..8].copy_from_slice(&first.to_le_bytes());
        to[stride.min(8)..][..8].copy_from_slice(&second.to_le_bytes());
    }
    /// The number of bytes in a row.
    type Long = usize;

    #[inline(always)]
    fn long(_: Portable, pieces: usize) -> usize {
        pieces
    }
    #[inline(always)]
    fn store_long(self, rest: Self, pieces: usize, to: &mut [u8]) {
        // Sixteen bytes each, of which the second row overwrites what the first has too many.
        let rows = self.to_array().into_iter().zip(rest.to_array());
        for (at, (eight, rest)) in [0, pieces.min(16)].into_iter().zip(rows) {
            let to = &mut to[at..][..16];
            to[..8].copy_from_slice(&eight.to_le_bytes());
            to[8..].copy_from_slice(&rest.to_le_bytes());
        }
    }

    /// The number of bytes in a row.
    type Short = usize;

    #[inline(always)]
    fn short(_: Portable, pieces: usize, _: bool) -> usize {
        pieces
    }
    #[inline(always)]
    fn load_fours(_: Portable, pieces: usize, from: &[u8]) -> u32x4 {
        let pieces = pieces.clamp(1, 4);
        let unused = 32 - 8 * pieces as u32;
        // There may be nothing after the last row, so its word is the slice's last four bytes.
        let last = (pieces * 4).saturating_sub(4);
        let words = [0, pieces, 2 * pieces].map(|at| word_at(from, at));
        let rows = [words[0], words[1], words[2], word_at(from, last) >> unused];
        u32x4::from(rows) & u32x4::splat(u32::MAX >> unused)
    }
    #[inline(always)]
    fn load_fives(_: Portable, _: usize, from: &[u8]) -> (u32x4, u32x4) {
        let words = |first: usize| u32x4::from([0, 5, 10, 15].map(|at| word_at(from, first + at)));
        // The highest byte is the fifth.
        let last = words(1);
        let fifth = last & u32x4::splat(0xff00_0000) | last >> 16;
        (words(0), fifth)
    }
    type SpreadShort = ();

    #[inline(always)]
    fn spread_short(_: Portable, _: usize, _: bool) -> Option<()> {
        None
    }
    #[inline(always)]
    fn store_short<const FIVE: bool>(_: Portable, (): (), _: u32x4, _: &mut [u8]) {}

    /// The layout's half.
    type Spread = u32;

    #[inline(always)]
    fn spread(_: Portable, pieces: usize, _: bool) -> u32 {
        3 * pieces as u32
    }
    #[inline(always)]
    fn codes_of_index(self, isa: Portable, half: u32) -> Self {
        (self >> half).spread_digits(isa) << 3 | self.spread_digits(isa)
    }
    #[inline(always)]
    fn load_narrow(_: Portable, from: &[u32]) -> Self {
        [from[0].into(), from[1].into()].into()
    }
    #[inline(always)]
    fn narrow(self, other: Self) -> u32x4 {
        let ([a, b], [c, d]) = (self.to_array(), other.to_array());
        [a as u32, b as u32, c as u32, d as u32].into()
    }
}

/// The 32 bits that begin at a byte of the slice.
#[inline(always)]
fn word_at(from: &[u8], at: usize) -> u32 {
    let bytes = from.get(at..).and_then(|rest| rest.first_chunk());
    bytes.map_or(0, |&bytes| u32::from_le_bytes(bytes))
}
