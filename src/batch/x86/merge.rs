//! Merging two ascending slices by vectors of AVX-512.
//!
//! One step takes as many words as a vector has, the smallest of both slices. A vector of one and the
//! reverse of a vector of the other, compared place by place, have the smallest of all in the smaller of
//! each pair (a bitonic half-cleaner), and how many of them come from where is what both slices advance
//! by. What was found rises and falls, and is sorted by exchanges at half the distance each. Equals are
//! neighbours then.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::avx512::smaller_of_8;
use super::{Avx512, FloatMode, Zmm32, Zmm64};
use crate::batch::lanes::{Isa, Lanes, Vectors};
use crate::batch::merge::{Chains, Keeps};

/// Vectors that slices are merged by.
pub trait Merges<W>: Lanes<W, Isa = Avx512>
where
    W: crate::index::Word,
{
    /// How many bits the words may have.
    const BITS: u32;
    /// How words are moved about.
    type Moves: Copy;
    /// The moves. The compiler does not know them: it would make two instructions of one.
    fn moves(isa: Avx512) -> Self::Moves;
    /// The words in the opposite order.
    fn reverse(self, moves: Self::Moves) -> Self;
    /// Twice each word.
    fn double(self) -> Self;
    /// The smaller word in each place, where words have at most one bit more than [`BITS`](Merges::BITS).
    fn smaller(self, other: Self) -> Self;
    /// The words in ascending order, if they rise and then fall, or the other way round.
    fn sort_bitonic(self, moves: Self::Moves) -> Self;
    /// The words moved up by one place; the last one of `before` comes first.
    fn previous(self, before: Self) -> Self;
    /// The lowest bit of each word becomes the highest, and all others move down.
    fn rotate(self) -> Self;
    /// Where the words differ.
    fn differ(self, other: Self) -> Self::Mask;
    /// The words where the condition holds, side by side from the first place on.
    fn compress(self, condition: Self::Mask) -> Self;
}

macro_rules! merges {
    (
        $name:ident, $word:ty, $bits:literal, $mask:ty, $halves:literal,
        $permute:ident, $add:ident, $smaller:expr, $larger:expr, $align:ident, $rotate:ident, $differ:ident,
        $compress:ident
    ) => {
        impl Merges<$word> for $name {
            const BITS: u32 = $bits;

            /// For each distance, from the whole vector down to 1, where each word's partner is and
            /// which of the two is the upper one.
            type Moves = [(__m512i, $mask); 1 + $halves];

            #[inline(always)]
            fn moves(_: Avx512) -> Self::Moves {
                const COUNT: usize = 1 << $halves;
                black_box(std::array::from_fn(|k| {
                    // The reverse, which is no exchange, comes first.
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
            fn double(self) -> Self {
                // An addition, because a shift waits for the unit that also takes minima.
                // SAFETY: the vectors exist.
                Self(unsafe { $add(self.0, self.0) })
            }
            #[inline(always)]
            fn smaller(self, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $smaller(self.0, other.0) })
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
    31,
    __mmask16,
    4,
    _mm512_permutexvar_epi32,
    _mm512_add_epi32,
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
    61,
    __mmask8,
    3,
    _mm512_permutexvar_epi64,
    _mm512_add_epi64,
    smaller_of_8,
    larger_of_8,
    _mm512_alignr_epi64,
    _mm512_ror_epi64,
    _mm512_cmpneq_epu64_mask,
    _mm512_maskz_compress_epi64
);

/// As [`smaller_of_8`]: the larger where the mask says so, else `x`.
#[inline]
#[target_feature(enable = "avx512f")]
fn larger_of_8(x: __m512i, mask: __mmask8, a: __m512i, b: __m512i) -> __m512i {
    _mm512_castpd_si512(_mm512_mask_max_pd(
        _mm512_castsi512_pd(x),
        mask,
        _mm512_castsi512_pd(a),
        _mm512_castsi512_pd(b),
    ))
}

impl Avx512 {
    /// Merges until a chain has less than a vector left of a slice. If words have more than
    /// [`Merges::BITS`], or do not ascend, the result is not what is asked for.
    pub(in crate::batch) fn merge<W: Vectors, K: Keeps, const N: usize>(
        self,
        chains: &mut Chains<W, N>,
        a: &[W],
        b: &[W],
        out: &mut [W],
    ) {
        let _mode = FloatMode::of_words();
        // SAFETY: `self` exists, so the processor has the instructions.
        unsafe { merge::<W, K, N>(self, chains, a, b, out) }
    }
}

/// What is brought nearer.
enum Ahead {
    OfFirst,
    OfSecond,
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512ifma,avx512vnni,bmi1,bmi2,lzcnt,popcnt"
)]
fn merge<W: Vectors, K: Keeps, const N: usize>(
    isa: Avx512,
    chains: &mut Chains<W, N>,
    a: &[W],
    b: &[W],
    out: &mut [W],
) {
    let count = W::Avx512::COUNT;
    let moves = W::Avx512::moves(isa);
    // Where there is none before the first word, one that is no equal of it will do.
    let mut last = std::array::from_fn(|k| {
        let first = a.get(chains.a[k]).min(b.get(chains.b[k]));
        W::Avx512::splat(isa, !first.copied().unwrap_or(W::ZERO))
    });
    let mut taken = false;
    loop {
        // A step takes at most a vector of a slice, and writes at most as many words as it takes.
        let steps_of = |k: usize| {
            let of = |at: usize, end: usize, slice: &[W]| {
                end.min(slice.len()).saturating_sub(at) / count
            };
            let a_steps = of(chains.a[k], chains.a_ends[k], a);
            a_steps
                .min(of(chains.b[k], chains.b_ends[k], b))
                .min(of(chains.out[k], out.len(), out))
        };
        let steps = (0..N).map(steps_of).min().unwrap_or(0);
        if steps == 0 {
            break;
        }
        taken = true;
        // Pointers, because the places in three slices and their beginnings are more than there are
        // registers.
        let mut x: [*const W; N] = std::array::from_fn(|k| a.as_ptr().wrapping_add(chains.a[k]));
        let mut y: [*const W; N] = std::array::from_fn(|k| b.as_ptr().wrapping_add(chains.b[k]));
        let room = out.as_mut_ptr();
        let to: [*mut W; N] = std::array::from_fn(|k| room.wrapping_add(chains.out[k]));
        let mut next = to;
        let mut step_of = |k: usize, ahead: Ahead| {
            // What lies behind a slice is expected to be merged next, so that it is as far ahead. Either
            // slice advances by half a vector on average.
            match ahead {
                Ahead::OfFirst => isa.prefetch_early(x[k].wrapping_add(a.len())),
                Ahead::OfSecond => isa.prefetch_early(y[k].wrapping_add(b.len())),
            }
            // SAFETY: there are so many vectors of either slice and of room from where this chain was
            // before these steps, and each has taken and written at most one.
            unsafe {
                let words = (
                    W::Avx512::load(isa, std::slice::from_raw_parts(x[k], count)),
                    W::Avx512::load(isa, std::slice::from_raw_parts(y[k], count)),
                );
                let (words, kept, of_a) = step::<W, K>(isa, moves, words, &mut last[k]);
                let room = std::slice::from_raw_parts_mut(next[k], count);
                words.compress(kept).store(room);
                x[k] = x[k].add(of_a);
                y[k] = y[k].add(count - of_a);
                next[k] = next[k].add(W::Avx512::bits(kept).count_ones() as usize);
            }
        };
        for _ in 0..steps / 2 {
            for k in 0..N {
                step_of(k, Ahead::OfFirst);
            }
            for k in 0..N {
                step_of(k, Ahead::OfSecond);
            }
        }
        if steps % 2 == 1 {
            for k in 0..N {
                step_of(k, Ahead::OfFirst);
            }
        }
        for k in 0..N {
            let went = |from: *const W, to: *const W| (to.addr() - from.addr()) / size_of::<W>();
            chains.a[k] = went(a.as_ptr(), x[k]);
            chains.b[k] = went(b.as_ptr(), y[k]);
            chains.out[k] += went(to[k], next[k]);
        }
    }
    if taken {
        chains.last = Some(last.map(|last| {
            let mut words = [W::ZERO; 16];
            last.store(&mut words);
            let last = words[count - 1];
            if tells_apart::<K>() {
                last << 1 >> 1
            } else {
                last
            }
        }));
    }
}

/// One step of a chain: the words found, which of them are kept, and how many are taken of `x`.
#[inline(always)]
fn step<W: Vectors, K: Keeps>(
    isa: Avx512,
    moves: <W::Avx512 as Merges<W>>::Moves,
    (mut x, mut y): (W::Avx512, W::Avx512),
    last: &mut W::Avx512,
) -> (W::Avx512, <W::Avx512 as Lanes<W>>::Mask, usize) {
    if tells_apart::<K>() {
        // A bit at the bottom says where a word comes from: the second slice's comes first.
        (x, y) = (x.double() | W::Avx512::splat(isa, W::ONE), y.double());
    }
    let y = y.reverse(moves);
    let of_x = W::Avx512::bits(x.less(y)).count_ones() as usize;
    let mut found = x.smaller(y).sort_bitonic(moves);
    if tells_apart::<K>() {
        found = found.rotate();
    }
    let before = found.previous(*last);
    *last = found;
    let (words, kept) = match K::KEEPS {
        [true, true, _] => (found, found.differ(before)),
        [false, ..] => (found, found.equal(before)),
        [true, false, _] => {
            // Kept is what has the bit, and something else besides that the word before it has not.
            let bit = W::Avx512::splat(isa, W::ONE << (W::BITS - 1));
            (found & !bit, bit.less(found ^ (before & !bit)))
        }
    };
    (words, kept, of_x)
}

/// Whether an operation must know from which slice a word comes: a difference.
const fn tells_apart<K: Keeps>() -> bool {
    let [first, both, _] = K::KEEPS;
    first && !both
}
