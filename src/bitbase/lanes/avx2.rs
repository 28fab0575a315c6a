//! [`Lanes`] as two 256-bit registers.
//!
//! The compiler turns most of the portable lanes into the same instructions by itself. The exceptions are
//! the test for zero, the moves between lanes and the flips, which it takes through general registers or
//! memory.

#![expect(
    unsafe_code,
    reason = "AVX2 intrinsics outside functions that carry the target feature"
)]

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_setr_epi8, _mm256_alignr_epi8, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_broadcastsi128_si256, _mm256_load_si256, _mm256_or_si256,
    _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi64x,
    _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi64,
    _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_store_si256, _mm256_testz_si256,
};
use std::ops::{BitAnd, BitOr};

use super::super::row::Row;
use super::register::Lanes;
use crate::batch;

/// Eight words in two registers.
///
/// # Safety of the whole module
/// Only [`load`](Lanes::load) and [`splat`](Lanes::splat) make one of memory or words, and they take the token,
/// which proves the features.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(__m256i, __m256i);

/// Words 2 to 5.
#[inline(always)]
fn middle(x: Avx2) -> __m256i {
    // SAFETY: AVX2 is there, see the type.
    unsafe { _mm256_permute2x128_si256::<0x21>(x.0, x.1) }
}

/// Two zeros and words 0 and 1.
#[inline(always)]
fn before(x: Avx2) -> __m256i {
    // SAFETY: AVX2 is there, see the type.
    unsafe { _mm256_permute2x128_si256::<0x08>(x.0, x.0) }
}

/// Words 6 and 7 and two zeros.
#[inline(always)]
fn after(x: Avx2) -> __m256i {
    // SAFETY: AVX2 is there, see the type.
    unsafe { _mm256_permute2x128_si256::<0x81>(x.1, x.1) }
}

/// Four boards with their files mirrored. A byte is a rank; each half of it is looked up mirrored and goes
/// to the other half.
#[inline(always)]
fn mirror_files(x: __m256i) -> __m256i {
    // SAFETY: AVX2 is there, see the type.
    unsafe {
        let mirrored = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15,
        ));
        let halves = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(mirrored, _mm256_and_si256(x, halves));
        let high = _mm256_and_si256(_mm256_srli_epi64::<4>(x), halves);
        let high = _mm256_shuffle_epi8(mirrored, high);
        _mm256_or_si256(_mm256_slli_epi64::<4>(low), high)
    }
}

impl BitAnd for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            Avx2(
                _mm256_and_si256(self.0, other.0),
                _mm256_and_si256(self.1, other.1),
            )
        }
    }
}

impl BitOr for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            Avx2(
                _mm256_or_si256(self.0, other.0),
                _mm256_or_si256(self.1, other.1),
            )
        }
    }
}

impl Lanes for Avx2 {
    type Isa = batch::Avx2;

    #[inline(always)]
    fn load(_: batch::Avx2, row: &Row) -> Self {
        let row: *const __m256i = (&raw const *row).cast();
        // SAFETY: AVX2 is there, see the type; a row is 64 bytes, aligned to 64.
        unsafe { Avx2(_mm256_load_si256(row), _mm256_load_si256(row.add(1))) }
    }

    #[inline(always)]
    fn store(self, row: &mut Row) {
        let row: *mut __m256i = (&raw mut *row).cast();
        // SAFETY: AVX2 is there, see the type; a row is 64 bytes, aligned to 64.
        unsafe {
            _mm256_store_si256(row, self.0);
            _mm256_store_si256(row.add(1), self.1);
        }
    }

    #[inline(always)]
    fn splat(_: batch::Avx2, word: u64) -> Self {
        // SAFETY: AVX2 is there, see the type.
        let words = unsafe { _mm256_set1_epi64x(word as i64) };
        Avx2(words, words)
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            Avx2(
                _mm256_andnot_si256(other.0, self.0),
                _mm256_andnot_si256(other.1, self.1),
            )
        }
    }

    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        self | (a & b)
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: AVX2 is there, see the type. The count is a constant and becomes part of the
        // instruction.
        unsafe {
            let count = _mm_cvtsi32_si128(N as i32);
            Avx2(
                _mm256_sll_epi64(self.0, count),
                _mm256_sll_epi64(self.1, count),
            )
        }
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: AVX2 is there, see the type; the count as above.
        unsafe {
            let count = _mm_cvtsi32_si128(N as i32);
            Avx2(
                _mm256_srl_epi64(self.0, count),
                _mm256_srl_epi64(self.1, count),
            )
        }
    }

    #[inline(always)]
    fn shift(self, by: i32) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            let count = _mm_cvtsi32_si128(by.abs());
            if by >= 0 {
                Avx2(
                    _mm256_sll_epi64(self.0, count),
                    _mm256_sll_epi64(self.1, count),
                )
            } else {
                Avx2(
                    _mm256_srl_epi64(self.0, count),
                    _mm256_srl_epi64(self.1, count),
                )
            }
        }
    }

    #[inline(always)]
    fn lanes_up<const N: usize>(self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            match N {
                1 => Avx2(
                    _mm256_alignr_epi8::<8>(self.0, before(self)),
                    _mm256_alignr_epi8::<8>(self.1, middle(self)),
                ),
                2 => Avx2(before(self), middle(self)),
                4 => Avx2(_mm256_setzero_si256(), self.0),
                _ => unreachable!(),
            }
        }
    }

    #[inline(always)]
    fn lanes_down<const N: usize>(self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            match N {
                1 => Avx2(
                    _mm256_alignr_epi8::<8>(middle(self), self.0),
                    _mm256_alignr_epi8::<8>(after(self), self.1),
                ),
                2 => Avx2(middle(self), after(self)),
                4 => Avx2(self.1, _mm256_setzero_si256()),
                _ => unreachable!(),
            }
        }
    }

    #[inline(always)]
    fn reverse_lanes(self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            Avx2(
                _mm256_permute4x64_epi64::<0b00_01_10_11>(self.1),
                _mm256_permute4x64_epi64::<0b00_01_10_11>(self.0),
            )
        }
    }

    #[inline(always)]
    fn flip_vertical(self) -> Self {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            let order = _mm256_setr_epi64x(low, high, low, high);
            Avx2(
                _mm256_shuffle_epi8(self.0, order),
                _mm256_shuffle_epi8(self.1, order),
            )
        }
    }

    #[inline(always)]
    fn flip_horizontal(self, _: batch::Avx2) -> Self {
        Avx2(mirror_files(self.0), mirror_files(self.1))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: AVX2 is there, see the type.
        unsafe {
            let any = _mm256_or_si256(self.0, self.1);
            _mm256_testz_si256(any, any) != 0
        }
    }
}
