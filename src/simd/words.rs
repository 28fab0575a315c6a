//! The vectors that each token has of each word.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "intrinsics of SSE, which every x86-64 processor has"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

#[cfg(target_arch = "x86_64")]
use super::avx2::{Ymm32, Ymm64};
#[cfg(target_arch = "x86_64")]
use super::avx512::{Zmm32, Zmm64};
use super::portable::{Wide32, Wide64};
use super::tokens::Portable;
#[cfg(target_arch = "x86_64")]
use super::tokens::{Avx2, Avx512};
use super::{Isa, Vectors};

impl Vectors for u32 {
    const NARROW: bool = true;
    type Portable = Wide32;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Ymm32;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Zmm32;
}

impl Vectors for u64 {
    const NARROW: bool = false;
    type Portable = Wide64;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = Ymm64;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = Zmm64;
}

impl Isa for Portable {
    type Of<W: Vectors> = W::Portable;
    type Bytes = Wide64;
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        Portable::vectorize(self, f)
    }
}

/// Implements `Isa` for tokens whose vectors can be stored past the caches.
#[cfg(target_arch = "x86_64")]
macro_rules! streaming {
    ($token:ident, $bytes:ident) => {
        impl Isa for $token {
            type Of<W: Vectors> = W::$token;
            type Bytes = $bytes;
            const STREAMS: bool = true;
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
            fn prefetch_early<T>(self, at: *const T) {
                // SAFETY: as above.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
            }
            #[inline(always)]
            fn fence(self) {
                // SAFETY: a fence touches no memory.
                unsafe { _mm_sfence() };
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
streaming!(Avx2, Ymm64);
#[cfg(target_arch = "x86_64")]
streaming!(Avx512, Zmm64);
