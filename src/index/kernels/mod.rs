//! The formulas of indices, each written once over [`Lanes`]: for a vector of indices and for a single one, which is a vector
//! of one.
//!
//! The constants of a kernel are words. `splat` and `shift` make vectors of them inside `map`, and the compiler moves these
//! steps out of a loop.

mod canonical;
mod digits;
mod like;
mod orbit;

use super::{Layout, Word};
use crate::simd::Lanes;

pub(crate) use canonical::{Fold, LeastImage, OrbitSize, with_canonical_kernel};
pub(crate) use digits::{Alternate, Digits, Exchange, ExchangeAndMirror, Folding, Mirror, Natural};
pub(crate) use like::{Comparator, Distinct, Network, SortLike};
pub(crate) use orbit::{RankOrbit, UnrankOrbit};

/// A map from indices to indices.
pub(crate) trait Kernel<W: Word>: Copy {
    /// Whether a line takes so many instructions that the loop's own steps do not count.
    const IS_LONG: bool = false;
    /// The images of the indices in `x`.
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// A map from indices to indices and bytes.
pub(crate) trait ByteKernel<W: Word>: Copy {
    /// The images of the indices in `x`, and words whose low bytes are the bytes.
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V);
}
