//! The operations on each index, written once over [`Lanes`].
//!
//! The module `index` has each formula for one word, with its reasons. The same formula is here for a
//! vector, line by line where that is fast. The constants of a kernel are words. `splat` and `shift` make
//! vectors of them inside `map`, and the compiler moves these steps out of the loop.

mod canonical;
mod convert;
mod digits;
mod like;
mod orbit;

use crate::simd::{Lanes, Vectors};

pub(super) use canonical::{Fold, FoldFiveNatural, LeastImage, OrbitSize};
pub(super) use convert::{ConvertFive, ToAlternate, ToNatural};
pub(super) use digits::{
    Alternate, AlternateFive, Digits, Exchange, ExchangeAndMirror, Mirror, Natural,
};
pub(super) use like::{Distinct, Network, SortLike};
pub(super) use orbit::{RankOrbit, UnrankOrbit};

/// A map from indices to indices. Loops take kernels by reference, as one with a sorting network is too big to be moved
/// about.
pub(super) trait Kernel<W: Vectors>: Copy {
    /// Whether a line takes so many instructions that the loop's own steps do not count.
    const IS_LONG: bool = false;
    /// The images of the indices in `x`.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// A map from indices to indices and bytes.
pub(super) trait ByteKernel<W: Vectors>: Copy {
    /// The images of the indices in `x`, and words whose low bytes are the bytes.
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V);
}
