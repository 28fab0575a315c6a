//! The order of like pieces, which [`LikePieces`](crate::LikePieces) explains.

use super::{ByteKernel, Kernel, Lanes, Layout, Word};

/// The order of like pieces where no two are alike.
#[derive(Clone, Copy)]
pub(crate) struct Distinct;

impl<W: Word> Kernel<W> for Distinct {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, _: V::Isa, x: V) -> V {
        x
    }
}

/// An exchange of two pieces' digits where the first piece has the greater code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Comparator<W> {
    /// The distance in bits between the digits of the two pieces.
    distance: u32,
    /// A mask of the two digits of the second piece.
    digits: W,
}

impl<W: Word> Comparator<W> {
    /// The comparator of two pieces, the first of which has the greater number.
    pub(crate) fn new(layout: &Layout<W>, (a, b): (u8, u8)) -> Self {
        Comparator {
            distance: 3 * u32::from(a - b),
            digits: layout.place(63, b.into()),
        }
    }
}

impl<W: Word> Kernel<W> for Comparator<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let distance = V::shift(isa, self.distance);
        let digits = V::splat(isa, self.digits);
        // The digits of both pieces in the places of the lesser. They are in the order of the codes.
        let (a, b) = (x >> distance & digits, x & digits);
        // a ^ b where a is greater than b, else zero.
        let exchange = a ^ a.min(b);
        x ^ exchange ^ exchange << distance
    }
}

/// A sorting network: the indices with like pieces in the order that makes each index smallest.
impl<W: Word> Kernel<W> for &[Comparator<W>] {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.iter().fold(
            x,
            #[inline(always)]
            |x, comparator| comparator.map(isa, x),
        )
    }
}

/// The most comparators that a network has. Ten like pieces take this many.
const MAX_COMPARATORS: usize = 31;

/// A network that a loop can take along, as its stores may change data behind a reference.
#[derive(Clone, Copy)]
pub(crate) struct Network<W> {
    len: usize,
    comparators: [Comparator<W>; MAX_COMPARATORS],
}

impl<W: Word> Network<W> {
    /// A copy of a network, whose indices may be in wider words.
    pub(crate) fn new<F: Word>(network: &[Comparator<F>]) -> Self {
        let none = Comparator {
            distance: 0,
            digits: W::ZERO,
        };
        let mut comparators = [none; MAX_COMPARATORS];
        assert!(network.len() <= MAX_COMPARATORS, "at most ten like pieces");
        for (to, &Comparator { distance, digits }) in comparators.iter_mut().zip(network) {
            let digits = W::truncate(digits.into());
            *to = Comparator { distance, digits };
        }
        Network {
            len: network.len(),
            comparators,
        }
    }
}

impl<W: Word> Kernel<W> for Network<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, mut x: V) -> V {
        for comparator in self.comparators.iter().take(self.len) {
            x = comparator.map(isa, x);
        }
        x
    }
}

/// Sorts like pieces and does no more. This is the canonical form under the trivial group.
#[derive(Clone, Copy)]
pub(crate) struct SortLike<L>(pub(crate) L);

impl<W: Word, L: Kernel<W>> Kernel<W> for SortLike<L> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.map(isa, x)
    }
}

impl<W: Word, L: Kernel<W>> ByteKernel<W> for SortLike<L> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        (self.0.map(isa, x), V::splat(isa, W::ZERO))
    }
}
