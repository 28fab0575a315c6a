//! What is done to each index, written once over [`Lanes`].
//!
//! Each formula stands in [`index`](crate::index) for one word, with its reasons; here it stands
//! again for a vector, line by line the same where that is fast. The constants of a kernel are
//! words. `splat` and `shift` make vectors of them inside `map`, and the compiler moves that out of
//! the loop.

mod canonical;
mod convert;
mod digits;
mod like;
mod orbit;

use super::lanes::{Lanes, Vectors};

pub(super) use canonical::{Fold, FoldFiveNatural, IsCanonical, LeastImage, OrbitSize};
pub(super) use convert::{ConvertFive, ToAlternate, ToNatural};
pub(super) use digits::{
    Alternate, AlternateFive, Digits, Exchange, ExchangeAndMirror, Mirror, Natural,
};
pub(super) use like::{Distinct, Network, SortLike};
pub(super) use orbit::{RankOrbit, UnrankOrbit};

/// A map from indices to indices.
pub(super) trait Kernel<W: Vectors>: Copy {
    /// How many lines of the destination are done in one turn of the loop.
    const LINES_PER_TURN: usize = 4;
    /// The images of the indices in `x`.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// A map from indices to indices and a byte each.
pub(super) trait KernelWithBytes<W: Vectors>: Copy {
    /// The images of the indices in `x`, and the bytes, as words.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V);
}

/// A condition on indices.
pub(super) trait Condition<W: Vectors>: Copy {
    /// Which of the indices in `x` meet it.
    fn holds<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V::Mask;
}
