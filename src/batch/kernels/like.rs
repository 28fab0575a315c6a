//! The order of like pieces.

use super::{ByteKernel, Kernel, Lanes, Vectors};
use crate::index::{Layout, LikePieces};

/// The order of like pieces.
pub(in crate::batch) trait Like<W: Vectors>: Copy {
    /// The indices with like pieces in the order that makes each index smallest.
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// The order for layouts in which no two pieces are alike.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Distinct;

impl<W: Vectors> Like<W> for Distinct {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, _: V::Isa, x: V) -> V {
        x
    }
}

/// The most comparators that a network has. Ten like pieces take this many.
const MAX_COMPARATORS: usize = 32;

/// A sorting network on packed digits.
#[derive(Clone, Copy)]
pub(in crate::batch) struct Network<W> {
    len: usize,
    /// For each comparator the distance in bits between the digits of its two pieces, and a mask of the two
    /// digits of the piece with the lesser number.
    comparators: [(u32, W); MAX_COMPARATORS],
}

impl<W: Vectors> Network<W> {
    pub(in crate::batch) fn new(layout: &Layout<W>, like: &LikePieces) -> Self {
        let network = like.network();
        let mut comparators = [(0, W::ZERO); MAX_COMPARATORS];
        for (to, &(a, b)) in comparators.iter_mut().zip(network) {
            *to = (3 * u32::from(a - b), layout.place(63, u32::from(b)));
        }
        assert!(network.len() <= MAX_COMPARATORS, "at most ten like pieces");
        Network {
            len: network.len(),
            comparators,
        }
    }
}

impl<W: Vectors> Like<W> for Network<W> {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, mut x: V) -> V {
        for &(distance, digits) in self.comparators.iter().take(self.len) {
            let (distance, digits) = (V::shift(isa, distance), V::splat(isa, digits));
            // The digits of both pieces in the places of the lesser. They are in the order of the codes.
            let (a, b) = (x >> distance & digits, x & digits);
            // a ^ b where a is greater than b, else zero.
            let exchange = a ^ a.min(b);
            x = x ^ exchange ^ exchange << distance;
        }
        x
    }
}

/// Sorts like pieces and does no more. This is the canonical form under the trivial group.
#[derive(Clone, Copy)]
pub(in crate::batch) struct SortLike<L>(pub(in crate::batch) L);

impl<W: Vectors, L: Like<W>> Kernel<W> for SortLike<L> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.sort(isa, x)
    }
}

impl<W: Vectors, L: Like<W>> ByteKernel<W> for SortLike<L> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        (self.0.sort(isa, x), V::splat(isa, W::ZERO))
    }
}
