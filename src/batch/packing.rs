//! How kernels take the words of a slice: as they are, or two in a word.

use crate::index::Layout;
use crate::simd::{Bytes, Isa, Lanes, Vectors};

/// The words for which there are kernels.
pub trait Packs: Vectors {
    /// How kernels take words with at most five pieces.
    type UpToFive: Packing<Self>;
}

impl Packs for u32 {
    type UpToFive = FullWords;
}

impl Packs for u64 {
    type UpToFive = LowHalves;
}

/// A way in which kernels of one word take the words `W` of a slice.
pub trait Packing<W: Vectors> {
    /// The words that kernels work on.
    type Word: Vectors;
    /// The vectors of these words. Each stands for as many words of the slice.
    type Vector<I: Isa>: Lanes<Self::Word, Isa = I>;
    /// The layout of the words that kernels see.
    fn layout(layout: &Layout<W>) -> Layout<Self::Word>;
    /// A vector of the first words of the slice.
    fn load<I: Isa>(isa: I, from: &[W]) -> Self::Vector<I>;
    /// Puts a vector into the first words of the slice.
    fn store<I: Isa>(isa: I, x: Self::Vector<I>, to: &mut [W]);
}

/// Words are taken as they are.
#[derive(Clone, Copy, Debug)]
pub struct FullWords;

impl<W: Vectors> Packing<W> for FullWords {
    type Word = W;
    type Vector<I: Isa> = I::Of<W>;

    fn layout(layout: &Layout<W>) -> Layout<W> {
        *layout
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[W]) -> I::Of<W> {
        I::Of::<W>::load(isa, from)
    }

    #[inline(always)]
    fn store<I: Isa>(_: I, x: I::Of<W>, to: &mut [W]) {
        x.store(to);
    }
}

/// The lower halves of words of 64 bits are taken. The upper ones are empty for up to five pieces, so two vectors are
/// folded into one.
#[derive(Clone, Copy, Debug)]
pub struct LowHalves;

impl Packing<u64> for LowHalves {
    type Word = u32;
    type Vector<I: Isa> = <I::Bytes as Bytes>::Words32;

    fn layout(layout: &Layout<u64>) -> Layout<u32> {
        Layout::new(layout.pieces(), layout.numbering())
    }

    #[inline(always)]
    fn load<I: Isa>(isa: I, from: &[u64]) -> Self::Vector<I> {
        let x = I::Bytes::load(isa, from);
        x.fold_halves(I::Bytes::load(isa, &from[I::Bytes::COUNT..]))
    }

    #[inline(always)]
    fn store<I: Isa>(isa: I, x: Self::Vector<I>, to: &mut [u64]) {
        let (x, y) = I::Bytes::unfold_halves(isa, x);
        x.store(to);
        y.store(&mut to[I::Bytes::COUNT..]);
    }
}
