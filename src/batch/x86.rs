//! AVX2 and AVX-512: the vectors, and the two functions through which everything enters.
//!
//! The backend called `avx512` wants what every processor with AVX-512 has had since Ice Lake and
//! Zen 4, not its first edition: bytes taken from any bits of a word (VBMI) and multiplication of
//! 52 bits (IFMA) do on the ports 5 and 0 what shifts could do on port 0 alone. Older processors
//! with AVX-512 are served by `avx2`, without the clock penalty that came with theirs.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::lanes::{Isa, Lanes, Line, Vectors, Work};

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
    const STREAMS: bool = true;
    #[inline(always)]
    fn prefetch<T>(self, at: *const T) {
        prefetch(at);
    }
    #[inline(always)]
    fn fence(self) {
        streaming_fence();
    }
}

impl Isa for Avx512 {
    type Of<W: Vectors> = W::Avx512;
    const STREAMS: bool = true;
    #[inline(always)]
    fn prefetch<T>(self, at: *const T) {
        prefetch(at);
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
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512ifma,bmi1,bmi2,lzcnt,popcnt"
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

macro_rules! avx2 {
    (
        $name:ident, $word:ty, $count:literal, $splat:ident as $int:ty,
        $add:ident, $shl:ident, $shr:ident, $equal:ident, $greater:ident,
        $min:expr, $bits:expr, $bytes:expr
    ) => {
        /// Words in a register of AVX2.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(__m256i);

        operators!(
            $name, _mm256_set1_epi8(-1);
            BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256,
            BitXor bitxor _mm256_xor_si256, Add add $add, Shl shl $shl, Shr shr $shr
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
            fn shift(isa: Avx2, bits: u32) -> Self {
                Self::splat(isa, bits.into())
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                // SAFETY: the vector exists.
                let bytes = unsafe { $bytes(self.0) };
                to[..$count].copy_from_slice(&bytes);
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
    low_bytes_of_u32
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
    low_bytes_of_u64
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

macro_rules! avx512 {
    (
        $name:ident, $word:ty, $count:literal, $mask:ty, $splat:ident as $int:ty,
        $add:ident, $shl:ident, $shr:ident, $equal:ident, $less:ident, $test:ident,
        $mask_xor:ident, $blend:ident, $ternary:ident, $min:expr, $bytes:expr
    ) => {
        /// Words in a register of AVX-512.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(__m512i);

        operators!(
            $name, _mm512_set1_epi8(-1);
            BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512,
            BitXor bitxor _mm512_xor_si512, Add add $add, Shl shl $shl, Shr shr $shr
        );

        impl Lanes<$word> for $name {
            type Isa = Avx512;
            /// Shifts by a vector of counts take one micro-operation, by a single count two.
            type Shift = Self;
            type Mask = $mask;

            memory!(
                $word, __m512i, $count, _mm512_loadu_si512, _mm512_storeu_si512,
                _mm512_stream_si512
            );

            #[inline(always)]
            fn splat(_: Avx512, word: $word) -> Self {
                // SAFETY: the token proves AVX-512.
                Self(unsafe { $splat(word as $int) })
            }
            #[inline(always)]
            fn shift(isa: Avx512, bits: u32) -> Self {
                Self::splat(isa, bits.into())
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                // SAFETY: the vector exists.
                let bytes = unsafe { $bytes(self.0) };
                to[..$count].copy_from_slice(&bytes);
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn merge(self, mask: Self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $ternary::<0xca>(mask.0, self.0, other.0) })
            }
            #[inline(always)]
            fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe {
                    $mask_xor(self.0, $test(condition.0, bits.0), self.0, mask.0)
                })
            }
            #[inline(always)]
            fn equal(self, other: Self) -> $mask {
                // SAFETY: the vectors exist.
                unsafe { $equal(self.0, other.0) }
            }
            #[inline(always)]
            fn less(self, other: Self) -> $mask {
                // SAFETY: the vectors exist.
                unsafe { $less(self.0, other.0) }
            }
            #[inline(always)]
            fn select(self, condition: $mask, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $blend(condition, other.0, self.0) })
            }
            #[inline(always)]
            fn either(a: $mask, b: $mask) -> $mask {
                a | b
            }
            #[inline(always)]
            fn bits(condition: $mask) -> u64 {
                condition.into()
            }
        }
    };
}

avx512!(
    Zmm32,
    u32,
    16,
    __mmask16,
    _mm512_set1_epi32 as i32,
    _mm512_add_epi32,
    _mm512_sllv_epi32,
    _mm512_srlv_epi32,
    _mm512_cmpeq_epu32_mask,
    _mm512_cmplt_epu32_mask,
    _mm512_test_epi32_mask,
    _mm512_mask_xor_epi32,
    _mm512_mask_blend_epi32,
    _mm512_ternarylogic_epi32,
    smaller_of_16,
    bytes_of_16
);
avx512!(
    Zmm64,
    u64,
    8,
    __mmask8,
    _mm512_set1_epi64 as i64,
    _mm512_add_epi64,
    _mm512_sllv_epi64,
    _mm512_srlv_epi64,
    _mm512_cmpeq_epu64_mask,
    _mm512_cmplt_epu64_mask,
    _mm512_test_epi64_mask,
    _mm512_mask_xor_epi64,
    _mm512_mask_blend_epi64,
    _mm512_ternarylogic_epi64,
    smaller_of_8,
    bytes_of_8
);

/// The minimum of integers is done by one port, that of floating-point numbers by two; positive
/// ones are ordered as their bits are (see [`smaller_u64`]).
#[inline]
#[target_feature(enable = "avx512f")]
fn smaller_of_16(a: __m512i, b: __m512i) -> __m512i {
    _mm512_castps_si512(_mm512_min_ps(
        _mm512_castsi512_ps(a),
        _mm512_castsi512_ps(b),
    ))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn smaller_of_8(a: __m512i, b: __m512i) -> __m512i {
    _mm512_castpd_si512(_mm512_min_pd(
        _mm512_castsi512_pd(a),
        _mm512_castsi512_pd(b),
    ))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn bytes_of_16(x: __m512i) -> [u8; 16] {
    bytemuck::cast(_mm512_cvtepi32_epi8(x))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn bytes_of_8(x: __m512i) -> [u8; 8] {
    _mm_cvtsi128_si64(_mm512_cvtepi64_epi8(x)).to_le_bytes()
}
