//! The order of like pieces.

use super::{ByteKernel, Kernel, Lanes, Layout, Word};

/// The order of like pieces.
pub(crate) trait Like<W: Word>: Copy {
    /// The indices with like pieces in the order that makes each index smallest.
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
}

/// The order for layouts in which no two pieces are alike.
#[derive(Clone, Copy)]
pub(crate) struct Distinct;

impl<W: Word> Like<W> for Distinct {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, _: V::Isa, x: V) -> V {
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

/// A sorting network on packed digits, which may be those of a wider word.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a, F>(pub(crate) &'a [Comparator<F>]);

impl<W: Word, F: Word> Like<W> for Network<'_, F> {
    #[inline(always)]
    fn sort<V: Lanes<W>>(&self, isa: V::Isa, mut x: V) -> V {
        for &Comparator { distance, digits } in self.0 {
            let digits = W::truncate(digits.into());
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
pub(crate) struct SortLike<L>(pub(crate) L);

impl<W: Word, L: Like<W>> Kernel<W> for SortLike<L> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.sort(isa, x)
    }
}

impl<W: Word, L: Like<W>> ByteKernel<W> for SortLike<L> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        (self.0.sort(isa, x), V::splat(isa, W::ZERO))
    }
}
