//! The traits that tie words, tokens and vectors together.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "intrinsics of SSE, which every x86-64 processor has"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

use bytemuck::Pod;

use super::tokens::Portable;
use super::{Bytes, Lanes, Line, entries};
#[cfg(target_arch = "x86_64")]
use super::{
    avx2::{Ymm32, Ymm64},
    avx512::{self, Zmm32, Zmm64},
    tokens::{Avx2, Avx512},
};
use crate::word::Word;

/// Words of which there are vectors of several: `u32` and `u64`. `u128` stays scalar.
pub trait Vectors: Word {
    /// Whether the word is one of 32 bits, which five pieces fill.
    const NARROW: bool;
    /// The vectors of the portable backend.
    type Portable: Lanes<Self, Isa = Portable>;
    /// The vectors of AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Self, Isa = Avx2>;
    /// The vectors of AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Self, Isa = Avx512>;
}

impl Vectors for u32 {
    const NARROW: bool = true;
    type Portable = wide::u32x4;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Ymm32;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Zmm32;
}

impl Vectors for u64 {
    const NARROW: bool = false;
    type Portable = wide::u64x2;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Ymm64;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Zmm64;
}

/// A set of instructions, and the proof that the processor has it.
pub trait Isa: Copy {
    /// Its vectors of words `W`.
    type Of<W: Vectors>: Lanes<W, Isa = Self>;
    /// Its vectors of 64-bit words, which are also vectors of bytes.
    type Bytes: Bytes<Isa = Self>;
    /// Whether [`stream_line`](Isa::stream_line) writes past the caches.
    const STREAMS: bool = false;
    /// The lines that a turn of a kernel's loop does, unless the kernel is long.
    const LINES_PER_TURN: usize = 1;
    /// Calls a function that is compiled for these instructions, as far as it is inlined.
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R;
    /// Asks the processor to fetch the line that holds this address, which may point anywhere.
    #[inline(always)]
    fn prefetch<T>(self, _at: *const T) {}
    /// Writes the entries of a row of 64 whose bits are set in the mask, one after the other. The slice has as many.
    #[inline(always)]
    fn compress<T: Pod>(self, row: &[T; 64], mask: u64, to: &mut [T]) {
        entries::compress(row, mask, to);
    }
    /// Undoes [`compress`](Isa::compress): reads entries from the beginning of the slice, which has as many or more, into a
    /// row. Bytes whose bits are not set stay.
    #[inline(always)]
    fn expand<T: Pod>(self, from: &[T], mask: u64, row: &mut [T; 64]) {
        entries::expand(from, mask, row);
    }
    /// Copies a line, past the caches where the processor can.
    #[inline(always)]
    fn stream_line(self, from: &Line, to: &mut Line) {
        *to = *from;
    }
    /// Orders all streaming stores of this thread before its next stores. Only `Streaming` calls it.
    #[inline(always)]
    fn fence(self) {}
}

impl Isa for Portable {
    type Of<W: Vectors> = W::Portable;
    type Bytes = wide::u64x2;
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        Portable::vectorize(self, f)
    }
}

/// Implements `Isa` for tokens whose vectors can be stored past the caches.
#[cfg(target_arch = "x86_64")]
macro_rules! x86 {
    ($token:ident, $bytes:ident, $raw:ty, $load:ident, $stream:ident $(, $more:item)*) => {
        impl Isa for $token {
            type Of<W: Vectors> = W::$token;
            type Bytes = $bytes;
            const STREAMS: bool = true;
            const LINES_PER_TURN: usize = 4;
            #[inline(always)]
            fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
                $token::vectorize(self, f)
            }
            #[inline(always)]
            fn prefetch<T>(self, at: *const T) {
                // SAFETY: a prefetch reads nothing that the program could see and never faults.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
            }
            #[inline(always)]
            fn stream_line(self, from: &Line, to: &mut Line) {
                let from: *const $raw = from.0.as_ptr().cast();
                let to: *mut $raw = to.0.as_mut_ptr().cast();
                for part in 0..size_of::<Line>() / size_of::<$raw>() {
                    // SAFETY: the token proves the instructions; a line holds whole vectors, and is aligned to their size.
                    unsafe { $stream(to.add(part), $load(from.add(part))) };
                }
            }
            #[inline(always)]
            fn fence(self) {
                // SAFETY: a fence touches no memory.
                unsafe { _mm_sfence() };
            }
            $($more)*
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86!(Avx2, Ymm64, __m256i, _mm256_load_si256, _mm256_stream_si256);
#[cfg(target_arch = "x86_64")]
x86!(
    Avx512,
    Zmm64,
    __m512i,
    _mm512_load_si512,
    _mm512_stream_si512,
    #[inline(always)]
    fn compress<T: Pod>(self, row: &[T; 64], mask: u64, to: &mut [T]) {
        match size_of::<T>() {
            1 => avx512::compress_bytes(
                self,
                bytemuck::cast_ref(row),
                mask,
                bytemuck::cast_slice_mut(to),
            ),
            2 => avx512::compress_pairs(
                self,
                bytemuck::cast_ref(row),
                mask,
                bytemuck::cast_slice_mut(to),
            ),
            _ => entries::compress(row, mask, to),
        }
    },
    #[inline(always)]
    fn expand<T: Pod>(self, from: &[T], mask: u64, row: &mut [T; 64]) {
        match size_of::<T>() {
            1 => avx512::expand_bytes(
                self,
                bytemuck::cast_slice(from),
                mask,
                bytemuck::cast_mut(row),
            ),
            2 => avx512::expand_pairs(
                self,
                bytemuck::cast_slice(from),
                mask,
                bytemuck::cast_mut(row),
            ),
            _ => entries::expand(from, mask, row),
        }
    }
);

/// A guard around streaming stores: they are ordered before the code that follows it, a panic included.
#[must_use]
pub(crate) struct Streaming<I: Isa>(pub(crate) I);

impl<I: Isa> Drop for Streaming<I> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.fence();
    }
}
