//! The operations on each index, written once over [`Lanes`].
//!
//! [`index`](crate::index) has each formula for one word, with its reasons. The same formula is here for a
//! vector, line by line where that is fast. The constants of a kernel are words. `splat` and `shift` make
//! vectors of them inside `map`, and the compiler moves these steps out of the loop.

mod canonical;
mod convert;
mod digits;
mod like;
mod orbit;

use super::lanes::{Lanes, Vectors};

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
    /// The number of lines of the destination that one turn of the loop does.
    const LINES_PER_TURN: usize = 4;
    /// The images of the indices in `x`.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// The map to the canonical form.
pub(super) trait CanonicalKernel<W: Vectors>: Kernel<W> {
    /// The canonical forms of the indices in `x`, and the codes of the symmetries that lead there.
    fn map_with_symmetry<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V);
}
