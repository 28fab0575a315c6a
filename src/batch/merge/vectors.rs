//! Merging two ascending slices by vectors of AVX-512.
//!
//! One step takes as many words as a vector has: the smallest of both slices. When a vector of one slice
//! and the reverse of a vector of the other are compared place by place, the smaller ones of all pairs are
//! the smallest of all (a bitonic half-cleaner). Each slice advances by as many words as it gave. The
//! words found rise and then fall; exchanges at distances that halve sort them. After that equal words
//! are neighbours.

#![expect(unsafe_code, reason = "places in three slices are kept as pointers")]

use super::chains::Chains;
use super::keeps::Keeps;
use crate::batch::lanes::{Isa, Lanes, Merges, Vectors};
use crate::batch::tokens::Avx512;

/// Merges until a chain has less than a vector left of a slice. If words have their highest bit set, or do not
/// ascend, the result is wrong.
pub(super) fn merge_vectors<W: Vectors, K: Keeps, const N: usize>(
    isa: Avx512,
    chains: &mut Chains<W, N>,
    a: &[W],
    b: &[W],
    out: &mut [W],
) {
    isa.vectorize(
        #[inline(always)]
        || merge::<W, K, N>(isa, chains, a, b, out),
    );
}

/// The slice whose memory ahead is brought nearer.
enum Ahead {
    OfFirst,
    OfSecond,
}

#[inline(always)]
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
        let mut steps = usize::MAX;
        for k in 0..N {
            steps = steps.min(steps_of(k));
        }
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
        // Called three times: unless it must be inlined, it is not, and loses the instructions.
        let mut step_of = {
            #[inline(always)]
            |k: usize, ahead: Ahead| {
                // The words behind a slice are expected to be merged next, so they are as far ahead. Either
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

/// Makes one step of a chain. Returns the words found, which of them are kept, and how many came from `x`.
#[inline(always)]
fn step<W: Vectors, K: Keeps>(
    isa: Avx512,
    moves: <W::Avx512 as Merges<W>>::Moves,
    (mut x, mut y): (W::Avx512, W::Avx512),
    last: &mut W::Avx512,
) -> (W::Avx512, <W::Avx512 as Lanes<W>>::Mask, usize) {
    if tells_apart::<K>() {
        // A bit at the bottom says where a word comes from: the second slice's comes first.
        (x, y) = (x.twice() | W::Avx512::splat(isa, W::ONE), y.twice());
    }
    let y = y.reverse(moves);
    let of_x = W::Avx512::bits(x.less(y)).count_ones() as usize;
    let mut found = x.min(y).sort_bitonic(moves);
    if tells_apart::<K>() {
        found = found.rotate();
    }
    let before = found.previous(*last);
    *last = found;
    let (words, kept) = match K::KEEPS {
        [true, true, _] => (found, found.differ(before)),
        [false, ..] => (found, found.equal(before)),
        [true, false, _] => {
            // A word is kept if it has the bit, and another bit that the word before it lacks.
            let bit = W::Avx512::splat(isa, W::ONE << (W::BITS - 1));
            (found & !bit, bit.less(found ^ (before & !bit)))
        }
    };
    (words, kept, of_x)
}

/// Returns whether an operation must know from which slice a word comes, as a difference must.
const fn tells_apart<K: Keeps>() -> bool {
    let [first, both, _] = K::KEEPS;
    first && !both
}
