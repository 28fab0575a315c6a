//! Vectors of 32 bytes.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::{Bytes, Lanes, Line};
use crate::batch::tokens::Avx2;

macro_rules! avx2 {
    (
        $name:ident, $word:ty, $count:literal, $splat:ident as $int:ty,
        $add:ident, $shl:ident, $shr:ident, $equal:ident, $greater:ident,
        $min:expr, $bits:expr, $bytes:expr, $widen:expr
    ) => {
        /// Words in a register of AVX2.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub(crate) struct $name(__m256i);

        operators!(
            $name, _mm256_set1_epi8(-1);
            BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256,
            BitXor bitxor _mm256_xor_si256, Shl shl $shl, Shr shr $shr
        );

        impl Lanes<$word> for $name {
            type Isa = Avx2;
            /// Shifts by a vector of counts take one micro-operation, by a single count two.
            type Shift = Self;
            type Mask = Self;

            memory!(
                $word, __m256i, $count, _mm256_loadu_si256, _mm256_storeu_si256,
                _mm256_stream_si256
            );

            #[inline(always)]
            fn splat(_: Avx2, word: $word) -> Self {
                // SAFETY: the token proves AVX2.
                Self(unsafe { $splat(word as $int) })
            }
            #[inline(always)]
            fn load_bytes(_: Avx2, from: &[u8]) -> Self {
                let mut bytes = [0; $count];
                bytes.copy_from_slice(&from[..$count]);
                // SAFETY: the token proves the instructions.
                Self(unsafe { $widen(bytes) })
            }
            #[inline(always)]
            fn shift(isa: Avx2, bits: u32) -> Self {
                // The shifts of `std::arch` are defined for any count, and select zero past the
                // word's width: a count that is surely less spares them that.
                Self::splat(isa, (bits % <$word>::BITS).into())
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                // SAFETY: the vector exists.
                let bytes = unsafe { $bytes(self.0) };
                to[..$count].copy_from_slice(&bytes);
            }
            #[inline(always)]
            fn twice(self) -> Self {
                // SAFETY: the vector exists.
                Self(unsafe { $add(self.0, self.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
                // SAFETY: the vectors exist.
                let none = Self(unsafe { $equal((condition & bits).0, _mm256_setzero_si256()) });
                // SAFETY: the vectors exist.
                self ^ Self(unsafe { _mm256_andnot_si256(none.0, mask.0) })
            }
            #[inline(always)]
            fn min_of_16(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { _mm256_min_epu16(self.0, other.0) })
            }
            #[inline(always)]
            fn high_product_of_16(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { _mm256_mulhi_epu16(self.0, other.0) })
            }
            #[inline(always)]
            fn sum_of_products_of_16(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { _mm256_madd_epi16(self.0, other.0) })
            }
            #[inline(always)]
            fn sum_of_products_of_8(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { _mm256_maddubs_epi16(self.0, other.0) })
            }
            #[inline(always)]
            fn equal(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $equal(self.0, other.0) })
            }
            #[inline(always)]
            fn less(self, other: Self) -> Self {
                // The comparison is a signed one; indices are positive.
                // SAFETY: the vectors exist.
                Self(unsafe { $greater(other.0, self.0) })
            }
            #[inline(always)]
            fn select(self, condition: Self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { _mm256_blendv_epi8(other.0, self.0, condition.0) })
            }
            #[inline(always)]
            fn either(a: Self, b: Self) -> Self {
                a | b
            }
            #[inline(always)]
            fn bits(condition: Self) -> u64 {
                // SAFETY: the vector exists.
                u64::from(unsafe { $bits(condition.0) } as u32)
            }
        }
    };
}

avx2!(
    Ymm32,
    u32,
    8,
    _mm256_set1_epi32 as i32,
    _mm256_add_epi32,
    _mm256_sllv_epi32,
    _mm256_srlv_epi32,
    _mm256_cmpeq_epi32,
    _mm256_cmpgt_epi32,
    _mm256_min_epu32,
    |x| _mm256_movemask_ps(_mm256_castsi256_ps(x)),
    low_bytes_of_u32,
    |x: [u8; 8]| _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(x)))
);
avx2!(
    Ymm64,
    u64,
    4,
    _mm256_set1_epi64x as i64,
    _mm256_add_epi64,
    _mm256_sllv_epi64,
    _mm256_srlv_epi64,
    _mm256_cmpeq_epi64,
    _mm256_cmpgt_epi64,
    smaller_u64,
    |x| _mm256_movemask_pd(_mm256_castsi256_pd(x)),
    low_bytes_of_u64,
    |x: [u8; 4]| _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(i32::from_le_bytes(x)))
);

/// There is no minimum of 64-bit integers. But positive floating-point numbers are ordered as their
/// bits are, and an index is a positive number: its highest bits are zero, so it is neither
/// infinite nor none.
#[inline]
#[target_feature(enable = "avx2")]
fn smaller_u64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_castpd_si256(_mm256_min_pd(
        _mm256_castsi256_pd(a),
        _mm256_castsi256_pd(b),
    ))
}

#[inline]
#[target_feature(enable = "avx2")]
fn low_bytes_of_u32(x: __m256i) -> [u8; 8] {
    let low = _mm256_setr_epi8(
        0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let quads = _mm256_shuffle_epi8(x, low);
    let both = _mm256_permutevar8x32_epi32(quads, _mm256_setr_epi32(0, 4, 1, 1, 1, 1, 1, 1));
    _mm256_extract_epi64::<0>(both).to_le_bytes()
}

#[inline]
#[target_feature(enable = "avx2")]
fn low_bytes_of_u64(x: __m256i) -> [u8; 4] {
    let low = _mm256_setr_epi8(
        0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, 0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let pairs = _mm256_shuffle_epi8(x, low);
    let both = _mm256_extract_epi32::<0>(pairs) | _mm256_extract_epi32::<4>(pairs);
    both.to_le_bytes()
}

impl Bytes for Ymm64 {
    type Halves = Ymm32;

    #[inline(always)]
    fn fold_halves(self, other: Self) -> Ymm32 {
        // SAFETY: the vectors exist.
        Ymm32(unsafe { _mm256_blend_epi32::<0xaa>(self.0, _mm256_slli_epi64::<32>(other.0)) })
    }
    #[inline(always)]
    fn unfold_halves(_: Avx2, halves: Ymm32) -> (Self, Self) {
        // SAFETY: the vector exists.
        unsafe {
            let low = _mm256_blend_epi32::<0xaa>(halves.0, _mm256_setzero_si256());
            (Self(low), Self(_mm256_srli_epi64::<32>(halves.0)))
        }
    }

    /// Where the bytes of a pair of rows go, where they come from, and the length of a pair.
    type Shuffle = (__m128i, __m128i, usize);

    #[inline(always)]
    fn shuffle(_: Avx2, stride: usize) -> Self::Shuffle {
        let stride = stride.min(8);
        let (mut apart, mut together) = ([-1i8; 16], [-1i8; 16]);
        for row in 0..2 {
            for byte in 0..stride {
                apart[8 * row + byte] = (stride * row + byte) as i8;
                together[stride * row + byte] = (8 * row + byte) as i8;
            }
        }
        (bytemuck::cast(apart), bytemuck::cast(together), 2 * stride)
    }
    #[inline(always)]
    fn load_rows(isa: Avx2, (apart, _, pair): Self::Shuffle, from: &[u8]) -> Self {
        let Some(from) = from.first_chunk::<32>() else {
            return Self::splat(isa, 0);
        };
        let (first, second) = (&from[..16], &from[pair.min(16)..][..16]);
        // SAFETY: both slices hold 16 bytes; the token proves AVX2.
        Self(unsafe {
            let rows = _mm256_loadu2_m128i(second.as_ptr().cast(), first.as_ptr().cast());
            _mm256_shuffle_epi8(rows, _mm256_broadcastsi128_si256(apart))
        })
    }
    #[inline(always)]
    fn store_rows(self, (_, together, pair): Self::Shuffle, to: &mut [u8]) {
        let Some(to) = to.first_chunk_mut::<32>() else {
            return;
        };
        // SAFETY: the vector exists.
        let rows = unsafe { _mm256_shuffle_epi8(self.0, _mm256_broadcastsi128_si256(together)) };
        // SAFETY: the slice holds 16 bytes.
        unsafe { _mm_storeu_si128(to[..16].as_mut_ptr().cast(), _mm256_castsi256_si128(rows)) };
        let to = &mut to[pair.min(16)..][..16];
        // SAFETY: the slice holds 16 bytes.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm256_extracti128_si256::<1>(rows)) };
    }
    type Fives = ();

    #[inline(always)]
    fn fives(_: Avx2, _: bool) {}
    #[inline(always)]
    fn load_fives(isa: Avx2, (): (), from: &[u8]) -> (Ymm32, Ymm32) {
        let Some(from) = from.first_chunk::<40>() else {
            let none = Ymm32::splat(isa, 0);
            return (none, none);
        };
        // Four rows have 20 bytes: their first 16 and their last 16.
        let load = |at: usize| {
            let (low, high) = (&from[at..][..16], &from[at + 20..][..16]);
            // SAFETY: both slices hold 16 bytes; the token proves AVX2.
            unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) }
        };
        let (first, last) = (load(0), load(4));
        // SAFETY: the token proves AVX2.
        unsafe {
            let three = _mm_setr_epi8(0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13, -1, -1, -1, -1);
            let fourth = _mm_setr_epi8(
                -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 11, 12, 13, 14,
            );
            let fifths =
                _mm_setr_epi8(-1, -1, -1, 0, -1, -1, -1, 5, -1, -1, -1, 10, -1, -1, -1, 15);
            let take = |rows, bytes| _mm256_shuffle_epi8(rows, _mm256_broadcastsi128_si256(bytes));
            let fours = _mm256_or_si256(take(first, three), take(last, fourth));
            (Ymm32(fours), Ymm32(take(last, fifths)))
        }
    }
    #[inline(always)]
    fn load_narrow(_: Avx2, from: &[u32]) -> Self {
        // SAFETY: the slice holds four words; the token proves AVX2.
        Self(unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(from[..4].as_ptr().cast())) })
    }
    #[inline(always)]
    fn narrow(self, other: Self) -> Ymm32 {
        // SAFETY: the vectors exist.
        Ymm32(unsafe {
            // The even words of both, but by quarters: first, third, second, fourth.
            let (a, b) = (_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0));
            let mixed = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed)
        })
    }
    /// Digits are joined in pairs, by products with 1 and 8, and in fours, by products with 1 and 64.
    #[inline(always)]
    fn gather_digits(self, isa: Avx2) -> Self {
        let x = self & Self::splat(isa, 0x0707_0707_0707_0707);
        let (eight, products) = (
            Self::splat(isa, 0x0801_0801_0801_0801),
            Self::splat(isa, 0x0040_0001_0040_0001),
        );
        // SAFETY: the vectors exist.
        let fours =
            Self(unsafe { _mm256_madd_epi16(_mm256_maddubs_epi16(x.0, eight.0), products.0) });
        (fours | fours >> Self::shift(isa, 20)) & Self::splat(isa, 0x00ff_ffff)
    }
}
