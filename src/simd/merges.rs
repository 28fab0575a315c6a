//! The further operations that vectors of AVX-512 have for merging.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::x86_64::*;
use std::hint::black_box;

use super::Lanes;
use super::avx512::{Zmm32, Zmm64};
use super::tokens::Avx512;
use crate::index::Word;

/// Vectors with the operations that merge slices.
pub trait Merges<W: Word>: Lanes<W, Isa = Avx512> {
    /// The constants by which words change places.
    type Moves: Copy;
    /// The constants by which words change places. They are hidden from the compiler, which would otherwise
    /// make two instructions of one.
    fn moves(isa: Avx512) -> Self::Moves;
    /// The words in the opposite order.
    fn reverse(self, moves: Self::Moves) -> Self;
    /// The words in ascending order. They must rise and then fall, or fall and then rise.
    fn sort_bitonic(self, moves: Self::Moves) -> Self;
    /// The words moved up by one place; the last one of `before` comes first.
    fn previous(self, before: Self) -> Self;
    /// The words rotated by one bit: the lowest bit of each becomes the highest, and all others move down.
    fn rotate(self) -> Self;
    /// The mask of the places where the words differ.
    fn differ(self, other: Self) -> Self::Mask;
    /// The words where the condition holds, side by side from the first place on.
    fn compress(self, condition: Self::Mask) -> Self;
}

macro_rules! merges {
    (
        $name:ident, $word:ty, $mask:ty, $halves:literal,
        $permute:ident, $smaller:ident, $larger:ident, $align:ident, $rotate:ident, $differ:ident,
        $compress:ident
    ) => {
        impl Merges<$word> for $name {
            /// For each distance, from the whole vector down to 1, the place of each word's partner, and a
            /// mask of the words that are the upper ones of their pairs.
            type Moves = [(__m512i, $mask); 1 + $halves];

            #[inline(always)]
            fn moves(_: Avx512) -> Self::Moves {
                const COUNT: usize = 1 << $halves;
                black_box(std::array::from_fn(|k| {
                    // The order reversed comes first; it is no exchange of pairs at a distance.
                    let toggled = if k == 0 { COUNT - 1 } else { COUNT >> k };
                    let partners: [$word; COUNT] =
                        std::array::from_fn(|place| (place ^ toggled) as $word);
                    let upper = (0..COUNT).filter(|place| place & toggled != 0);
                    (
                        bytemuck::cast(partners),
                        upper.fold(0, |mask, place| mask | 1 << place),
                    )
                }))
            }
            #[inline(always)]
            fn reverse(self, moves: Self::Moves) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $permute(moves[0].0, self.0) })
            }
            #[inline(always)]
            fn sort_bitonic(self, moves: Self::Moves) -> Self {
                let mut x = self.0;
                for (partners, upper) in moves.into_iter().skip(1) {
                    // SAFETY: the vectors exist.
                    x = unsafe {
                        let y = $permute(partners, x);
                        $larger($smaller(x, y), upper, x, y)
                    };
                }
                Self(x)
            }
            #[inline(always)]
            fn previous(self, before: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $align::<{ (1 << $halves) - 1 }>(self.0, before.0) })
            }
            #[inline(always)]
            fn rotate(self) -> Self {
                // SAFETY: the vector exists.
                Self(unsafe { $rotate::<1>(self.0) })
            }
            #[inline(always)]
            fn differ(self, other: Self) -> $mask {
                // SAFETY: the vectors exist.
                unsafe { $differ(self.0, other.0) }
            }
            #[inline(always)]
            fn compress(self, condition: $mask) -> Self {
                // SAFETY: the vector exists.
                Self(unsafe { $compress(condition, self.0) })
            }
        }
    };
}

merges!(
    Zmm32,
    u32,
    __mmask16,
    4,
    _mm512_permutexvar_epi32,
    _mm512_min_epu32,
    _mm512_mask_max_epu32,
    _mm512_alignr_epi32,
    _mm512_ror_epi32,
    _mm512_cmpneq_epu32_mask,
    _mm512_maskz_compress_epi32
);
merges!(
    Zmm64,
    u64,
    __mmask8,
    3,
    _mm512_permutexvar_epi64,
    _mm512_min_epu64,
    _mm512_mask_max_epu64,
    _mm512_alignr_epi64,
    _mm512_ror_epi64,
    _mm512_cmpneq_epu64_mask,
    _mm512_maskz_compress_epi64
);
