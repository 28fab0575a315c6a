//! The ways in which kernels take the words of a slice: as they are, or with two vectors of 64-bit words
//! folded into one of 32-bit words.

use super::kernels::Kernel;
use super::lanes::{Bytes, Isa, Lanes, Line, Vectors};
use crate::index::{Layout, Word};

/// A map of the words of a slice: a kernel, and the way in which it takes them.
pub(super) trait Mapping<W>: Copy {
    /// The number of lines of the destination that one step does.
    const STEP: usize;
    /// The number of steps in one turn of the loop.
    const STEPS_PER_TURN: usize;
    /// Replaces the indices of a step's lines by their images.
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]);
    /// Writes the images of a step's source, past the caches if `STREAM`.
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[W], to: &mut [Line]);
    /// The image of a single word.
    fn single(&self, word: W) -> W;
}

/// The map of a kernel that takes words as they are.
#[derive(Clone, Copy)]
struct Words<K>(K);

impl<W: Vectors, K: Kernel<W>> Mapping<W> for Words<K> {
    const STEP: usize = 1;
    const STEPS_PER_TURN: usize = K::LINES_PER_TURN;

    #[inline(always)]
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]) {
        for part in 0..I::Of::<W>::PER_LINE {
            let x = I::Of::<W>::load_line(isa, &lines[0], part);
            self.0.map(isa, x).store_line(&mut lines[0], part);
        }
    }

    #[inline(always)]
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[W], to: &mut [Line]) {
        let count = I::Of::<W>::COUNT;
        for part in 0..I::Of::<W>::PER_LINE {
            let x = I::Of::<W>::load(isa, &from[part * count..]);
            let image = self.0.map(isa, x);
            if STREAM {
                image.stream_line(&mut to[0], part);
            } else {
                image.store_line(&mut to[0], part);
            }
        }
    }

    #[inline(always)]
    fn single(&self, word: W) -> W {
        self.0.map::<W>((), word)
    }
}

/// The map of a kernel that takes the lower halves of 64-bit words. The upper halves are empty for up to
/// five pieces, so two vectors are folded into one.
#[derive(Clone, Copy)]
struct Halves<K>(K);

impl<K: Kernel<u32>> Mapping<u64> for Halves<K> {
    const STEP: usize = 2;
    const STEPS_PER_TURN: usize = K::LINES_PER_TURN.div_ceil(2);

    #[inline(always)]
    fn in_place<I: Isa>(&self, isa: I, lines: &mut [Line]) {
        let per_line = I::Bytes::PER_LINE;
        for pair in 0..per_line {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let x = I::Bytes::load_line(isa, &lines[a / per_line], a % per_line);
            let y = I::Bytes::load_line(isa, &lines[b / per_line], b % per_line);
            let images = self.0.map(isa, x.fold_halves(y));
            let (x, y) = I::Bytes::unfold_halves(isa, images);
            x.store_line(&mut lines[a / per_line], a % per_line);
            y.store_line(&mut lines[b / per_line], b % per_line);
        }
    }

    #[inline(always)]
    fn into<I: Isa, const STREAM: bool>(&self, isa: I, from: &[u64], to: &mut [Line]) {
        let (per_line, count) = (I::Bytes::PER_LINE, I::Bytes::COUNT);
        for pair in 0..per_line {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let x = I::Bytes::load(isa, &from[a * count..]);
            let y = I::Bytes::load(isa, &from[b * count..]);
            let images = self.0.map(isa, x.fold_halves(y));
            let (x, y) = I::Bytes::unfold_halves(isa, images);
            if STREAM {
                x.stream_line(&mut to[a / per_line], a % per_line);
                y.stream_line(&mut to[b / per_line], b % per_line);
            } else {
                x.store_line(&mut to[a / per_line], a % per_line);
                y.store_line(&mut to[b / per_line], b % per_line);
            }
        }
    }

    #[inline(always)]
    fn single(&self, word: u64) -> u64 {
        self.0.map::<u32>((), word as u32).into()
    }
}

/// A way in which kernels of one word take slices of another.
pub(super) trait Fit<W>: Copy {
    /// The words that the kernels work on.
    type Word: Vectors;
    /// The map of the words of a slice by a kernel.
    fn map<K: Kernel<Self::Word>>(self, kernel: K) -> impl Mapping<W>;
}

/// Words are mapped as they are.
#[derive(Clone, Copy)]
pub(super) struct Whole;

impl<W: Vectors> Fit<W> for Whole {
    type Word = W;
    fn map<K: Kernel<W>>(self, kernel: K) -> impl Mapping<W> {
        Words(kernel)
    }
}

/// Words of 64 bits are mapped by their lower halves.
#[derive(Clone, Copy)]
pub(super) struct InHalves;

impl Fit<u64> for InHalves {
    type Word = u32;
    fn map<K: Kernel<u32>>(self, kernel: K) -> impl Mapping<u64> {
        Halves(kernel)
    }
}

/// The layout of the words that kernels see, and the way in which they take those of a slice.
type InFewBits<W> = (Layout<<<W as Fits>::Few as Fit<W>>::Word>, <W as Fits>::Few);

/// Words that may have an empty half if there are few pieces.
pub(super) trait Fits: Vectors {
    /// The way in which kernels take words with few pieces.
    type Few: Fit<Self>;
    /// The layout of the halves and the way in which kernels take them, if the pieces leave a half of each
    /// word empty.
    fn few(layout: &Layout<Self>) -> Option<InFewBits<Self>>;
}

impl Fits for u32 {
    type Few = Whole;
    fn few(_: &Layout<u32>) -> Option<(Layout<u32>, Whole)> {
        None
    }
}

impl Fits for u64 {
    type Few = InHalves;
    fn few(layout: &Layout<u64>) -> Option<(Layout<u32>, InHalves)> {
        let fits = layout.pieces() <= <u32 as Word>::MAX_PIECES;
        fits.then(|| (Layout::new(layout.pieces(), layout.numbering()), InHalves))
    }
}
