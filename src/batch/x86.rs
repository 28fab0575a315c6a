//! AVX2 and AVX-512: the vectors, and the two functions through which everything enters but merges.
//!
//! The backend called `avx512` wants what every processor with AVX-512 has had since Ice Lake and
//! Zen 4, not its first edition: bytes taken from any bits of a word (VBMI) and multiplication of
//! 52 bits (IFMA) do on the ports 5 and 0 what shifts could do on port 0 alone, and products add to
//! sums (VNNI). Older processors with AVX-512 are served by `avx2`, without the clock penalty that
//! came with theirs.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::x86_64::*;

use super::lanes::{Isa, Vectors, Work};

/// Proof that the processor has AVX2, and BMI2 with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx2(());

/// Proof that the processor has AVX-512 as described above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx512(());

impl Avx2 {
    /// The proof, if the processor and the operating system give it.
    pub fn detect() -> Option<Avx2> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
        has.then_some(Avx2(()))
    }

    /// Does the work with AVX2.
    pub fn run<T: Work>(self, work: T) -> T::Output {
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { enter_avx2(self, work) }
    }

    /// Parallel bit extract of BMI2: the bits of `word` under `mask`, side by side at the bottom.
    #[inline(always)]
    pub fn extract_bits(self, word: u64, mask: u64) -> u64 {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { _pext_u64(word, mask) }
    }

    /// Parallel bit deposit of BMI2: the lowest bits of `word`, spread under `mask`.
    #[inline(always)]
    pub fn deposit_bits(self, word: u64, mask: u64) -> u64 {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { _pdep_u64(word, mask) }
    }
}

impl Avx512 {
    /// The proof, if the processor and the operating system give it.
    pub fn detect() -> Option<Avx512> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512ifma")
            && is_x86_feature_detected!("avx512vnni")
            && Avx2::detect().is_some();
        has.then_some(Avx512(()))
    }

    /// What every processor with AVX-512 can besides.
    pub fn avx2(self) -> Avx2 {
        Avx2(())
    }

    /// Does the work with AVX-512.
    pub fn run<T: Work>(self, work: T) -> T::Output {
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { enter_avx512(self, work) }
    }
}

impl Isa for Avx2 {
    type Of<W: Vectors> = W::Avx2;
    type Bytes = Ymm64;
    const STREAMS: bool = true;
    #[inline(always)]
    fn prefetch<T>(self, at: *const T) {
        prefetch(at);
    }
    #[inline(always)]
    fn prefetch_early<T>(self, at: *const T) {
        // SAFETY: as in [`prefetch`].
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
    }
    #[inline(always)]
    fn fence(self) {
        streaming_fence();
    }
}

impl Isa for Avx512 {
    type Of<W: Vectors> = W::Avx512;
    type Bytes = Zmm64;
    const STREAMS: bool = true;
    #[inline(always)]
    fn prefetch<T>(self, at: *const T) {
        prefetch(at);
    }
    #[inline(always)]
    fn prefetch_early<T>(self, at: *const T) {
        // SAFETY: as in [`prefetch`].
        unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) };
    }
    #[inline(always)]
    fn fence(self) {
        streaming_fence();
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn enter_avx2<T: Work>(isa: Avx2, work: T) -> T::Output {
    work.run(isa)
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512ifma,avx512vnni,bmi1,bmi2,lzcnt,popcnt"
)]
#[inline(never)]
fn enter_avx512<T: Work>(isa: Avx512, work: T) -> T::Output {
    work.run(isa)
}

/// Orders all streaming stores of this thread before what it stores next.
#[inline(always)]
fn streaming_fence() {
    // SAFETY: the instruction is part of SSE, which every x86-64 processor has.
    unsafe { _mm_sfence() };
}

/// Asks for the line that holds this address, wherever it points.
#[inline(always)]
fn prefetch<T>(at: *const T) {
    // SAFETY: a prefetch reads nothing that the program could see and never faults; SSE has it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// The operators of a vector. The intrinsics' names follow.
macro_rules! operators {
    ($name:ident, $all:expr; $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(
            impl $trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: a vector exists only where the processor has its instructions.
                    Self(unsafe { $intrinsic(self.0, other.0) })
                }
            }
        )*

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: as above.
                self ^ Self(unsafe { $all })
            }
        }
    };
}

/// What loads and stores have in common.
macro_rules! memory {
    ($word:ty, $raw:ty, $count:literal, $load:ident, $store:ident, $stream:ident) => {
        const COUNT: usize = $count;

        #[inline(always)]
        fn load(_: Self::Isa, from: &[$word]) -> Self {
            let from: &[$word] = &from[..$count];
            // SAFETY: the slice holds as many words as the vector; the token has been seen.
            Self(unsafe { $load(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, to: &mut [$word]) {
            let to: &mut [$word] = &mut to[..$count];
            // SAFETY: the slice holds as many words as the vector, which exists.
            unsafe { $store(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn load_line(_: Self::Isa, from: &Line, part: usize) -> Self {
            let from = &from.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: as above.
            Self(unsafe { $load(from.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store_line(self, to: &mut Line, part: usize) {
            let to = &mut to.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: the slice holds as many bytes as the vector, which exists.
            unsafe { $store(to.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn stream_line(self, to: &mut Line, part: usize) {
            let to = &mut to.0[part * size_of::<$raw>()..][..size_of::<$raw>()];
            // SAFETY: as above; a line, and so each of its parts, is aligned to the vector's size.
            unsafe { $stream(to.as_mut_ptr().cast(), self.0) }
        }
    };
}

mod avx2;
mod avx512;
mod float_mode;
mod merge;

pub(super) use avx2::{Ymm32, Ymm64};
pub(super) use avx512::{Zmm32, Zmm64};
pub(super) use float_mode::FloatMode;
pub(super) use merge::Merges;
