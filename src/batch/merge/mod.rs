//! Union, intersection and difference of two ascending slices without repeats.
//!
//! Each step of a merge waits for the loads that the comparison before it chose: some eight cycles a
//! step for single words and twenty for vectors, in which the processor could do several steps. So
//! both slices are cut at the same keys into pairs of parts, and one loop merges all pairs in turn.
//! No branch in it depends on a comparison. (Measured on random sets of 20 million on a Zen 3:
//! one chain of single words 2.8 ns an index read, two 1.6, three 1.3, four and five 1.1. In the cache
//! of an Emerald Rapids, 64-bit words by vectors: one chain 1.15, two 0.66, three and four 0.55.)
//!
//! Where one slice is much shorter, its indices are looked for in the other by galloping.

mod chains;
mod gallop;
mod keeps;
#[cfg(target_arch = "x86_64")]
mod vectors;

#[cfg(target_arch = "x86_64")]
use bytemuck::{cast_slice as cast, cast_slice_mut as cast_mut};

use self::chains::{Chains, WINDOW};
use self::gallop::gallop;
use self::keeps::step;
pub(crate) use self::keeps::{Difference, Intersection, Keeps, Union};
use super::backend::Backend;
#[cfg(target_arch = "x86_64")]
use super::backend::Token;
#[cfg(target_arch = "x86_64")]
use super::lanes::{Lanes, Vectors};
#[cfg(target_arch = "x86_64")]
use super::tokens::Avx512;
use crate::index::Word;

/// The number of chains of single words that are merged at once.
const CHAINS: usize = 4;
/// The number of chains of vectors that are merged at once.
#[cfg(target_arch = "x86_64")]
const VECTOR_CHAINS: usize = 3;
/// Shorter slices are merged in one chain.
const SHORT: usize = 4 * CHAINS * WINDOW;
/// From this ratio of lengths on, the longer slice is galloped through.
const GALLOP: usize = 24;

/// Writes the result of an operation on two sets to the beginning of `out`, and returns its length.
///
/// If a slice does not ascend, the result is unspecified.
///
/// # Panics
/// If `out` has no room for both.
pub(crate) fn combine<W: Word, K: Keeps>(
    backend: Backend,
    a: &[W],
    b: &[W],
    out: &mut [W],
) -> usize {
    assert!(out.len() >= a.len() + b.len(), "no room for both sets");
    if a.len().saturating_mul(GALLOP) < b.len() {
        return gallop(a, b, out, K::KEEPS);
    }
    if b.len().saturating_mul(GALLOP) < a.len() {
        let [first, both, second] = K::KEEPS;
        return gallop(b, a, out, [second, both, first]);
    }
    #[cfg(target_arch = "x86_64")]
    if let Token::Avx512(isa) = backend.token() {
        let count = match W::BITS {
            32 => by_vectors::<u32, K>(backend, isa, cast(a), cast(b), cast_mut(out)),
            64 => by_vectors::<u64, K>(backend, isa, cast(a), cast(b), cast_mut(out)),
            _ => None,
        };
        if let Some(count) = count {
            return count;
        }
    }
    if a.len().max(b.len()) < SHORT {
        return one_chain::<W, K>(a, b, out);
    }
    let mut chains = Chains::<W, CHAINS>::cut(a, b);
    while chains.have(WINDOW) {
        chains.merge_windows::<K>(a, b, out);
    }
    chains.finish::<K>(a, b, out, |a, b, out| combine::<W, K>(backend, a, b, out))
}

/// Does the work by vectors if they can do it.
#[cfg(target_arch = "x86_64")]
fn by_vectors<W: Vectors, K: Keeps>(
    backend: Backend,
    isa: Avx512,
    a: &[W],
    b: &[W],
    out: &mut [W],
) -> Option<usize> {
    // With less than a vector of either slice there is nothing to do for a vector.
    if a.len().min(b.len()) < <W::Avx512 as Lanes<W>>::COUNT {
        return None;
    }
    // No word has bits that the last ones lack.
    if (a[a.len() - 1] | b[b.len() - 1]) >> (W::BITS - 1) != W::ZERO {
        return None;
    }
    Some(if a.len().max(b.len()) < SHORT {
        let mut chains = Chains::<W, 1>::cut(a, b);
        vectors::merge_vectors::<W, K, 1>(isa, &mut chains, a, b, out);
        chains.finish::<K>(a, b, out, |a, b, out| combine::<W, K>(backend, a, b, out))
    } else {
        let mut chains = Chains::<W, VECTOR_CHAINS>::cut(a, b);
        vectors::merge_vectors::<W, K, VECTOR_CHAINS>(isa, &mut chains, a, b, out);
        chains.finish::<K>(a, b, out, |a, b, out| combine::<W, K>(backend, a, b, out))
    })
}

fn one_chain<W: Word, K: Keeps>(a: &[W], b: &[W], out: &mut [W]) -> usize {
    let (mut i, mut j, mut to) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let taken = step::<W, K>(a[i], b[j], &mut out[to]);
        i += taken[0];
        j += taken[1];
        to += taken[2];
    }
    for (rest, keep) in [(&a[i..], K::KEEPS[0]), (&b[j..], K::KEEPS[2])] {
        if keep {
            out[to..to + rest.len()].copy_from_slice(rest);
            to += rest.len();
        }
    }
    to
}
