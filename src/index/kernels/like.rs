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

/// A sorting network: the indices with like pieces in the order that makes each index smallest. The comparators may be those of
/// a wider word.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a, F>(pub(crate) &'a [Comparator<F>]);

impl<W: Word, F: Word> Kernel<W> for Network<'_, F> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, mut x: V) -> V {
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

/// The canonical form under the trivial group, and the identity.
impl<W: Word, F: Word> ByteKernel<W> for Network<'_, F> {
    #[inline(always)]
    fn map_with_byte<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> (V, V) {
        (self.map(isa, x), V::splat(isa, W::ZERO))
    }
}
