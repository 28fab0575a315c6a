//! [`Lanes`] as one 512-bit register.
//!
//! In bitbases, only this module and `avx2.rs` use `unsafe`, as the compiler can't know that the instructions exist.
//! Compiled for a plain x86-64, the portable lanes take four to eight instructions where this takes one.

#![expect(
    unsafe_code,
    reason = "AVX-512 intrinsics outside functions that carry the target feature"
)]

use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_alignr_epi64, _mm512_and_si512, _mm512_andnot_si512,
    _mm512_load_si512, _mm512_or_si512, _mm512_permutexvar_epi64, _mm512_set1_epi64,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_sll_epi64,
    _mm512_slli_epi64, _mm512_srl_epi64, _mm512_srli_epi64, _mm512_store_si512,
    _mm512_ternarylogic_epi64, _mm512_test_epi64_mask,
};
use std::ops::{BitAnd, BitOr};

use super::super::row::Row;
use super::register::Lanes;
use crate::batch;

/// Eight words in a register.
///
/// # Safety of the whole module
/// Only [`load`](Lanes::load) and [`splat`](Lanes::splat) make one of memory or words, and they take the token,
/// which proves the features.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512i);

impl BitAnd for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_and_si512(self.0, other.0) })
    }
}

impl BitOr for Avx512 {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_or_si512(self.0, other.0) })
    }
}

impl Lanes for Avx512 {
    type Isa = batch::Avx512;

    #[inline(always)]
    fn load(_: batch::Avx512, row: &Row) -> Self {
        // SAFETY: AVX-512F is there, see the type; a row is 64 bytes, aligned to 64.
        Avx512(unsafe { _mm512_load_si512((&raw const *row).cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut Row) {
        // SAFETY: AVX-512F is there, see the type; a row is 64 bytes, aligned to 64.
        unsafe { _mm512_store_si512((&raw mut *row).cast(), self.0) }
    }

    #[inline(always)]
    fn splat(_: batch::Avx512, word: u64) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    fn without(self, other: Self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        // 0b1111_1000: the truth table of x | y & z, x leading.
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_ternarylogic_epi64::<0xf8>(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn shl<const N: u32>(self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_slli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shr<const N: u32>(self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        Avx512(unsafe { _mm512_srli_epi64::<N>(self.0) })
    }

    #[inline(always)]
    fn shift(self, by: i32) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        unsafe {
            let count = _mm_cvtsi32_si128(by.abs());
            Avx512(if by >= 0 {
                _mm512_sll_epi64(self.0, count)
            } else {
                _mm512_srl_epi64(self.0, count)
            })
        }
    }

    #[inline(always)]
    fn lanes_up<const N: usize>(self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        unsafe {
            let zero = _mm512_setzero_si512();
            Avx512(match N {
                1 => _mm512_alignr_epi64::<7>(self.0, zero),
                2 => _mm512_alignr_epi64::<6>(self.0, zero),
                4 => _mm512_alignr_epi64::<4>(self.0, zero),
                _ => unreachable!(),
            })
        }
    }

    #[inline(always)]
    fn lanes_down<const N: usize>(self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        unsafe {
            let zero = _mm512_setzero_si512();
            Avx512(match N {
                1 => _mm512_alignr_epi64::<1>(zero, self.0),
                2 => _mm512_alignr_epi64::<2>(zero, self.0),
                4 => _mm512_alignr_epi64::<4>(zero, self.0),
                _ => unreachable!(),
            })
        }
    }

    #[inline(always)]
    fn reverse_lanes(self) -> Self {
        // SAFETY: AVX-512F is there, see the type.
        unsafe {
            let order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            Avx512(_mm512_permutexvar_epi64(order, self.0))
        }
    }

    #[inline(always)]
    fn flip_vertical(self) -> Self {
        // SAFETY: AVX-512F and BW are there, see the type.
        unsafe {
            let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            let order = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
            Avx512(_mm512_shuffle_epi8(self.0, order))
        }
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: AVX-512F is there, see the type.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
    }
}
