//! The symmetries, and the operations on digits in which the numberings differ.

use super::{Kernel, Lanes, Layout, Word};
use crate::board::Symmetry;
use crate::index::Numbering;

/// The operations on digits in which the numberings differ.
pub(crate) trait Digits<W: Word>: Copy {
    /// The digits of a layout with this numbering.
    fn new(layout: &Layout<W>) -> Self;
    /// Exchanges file and rank of every piece.
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V;
    /// Exchanges file and rank of every piece, and then mirrors.
    #[inline(always)]
    fn exchange_and_mirror<V: Lanes<W>>(&self, isa: V::Isa, x: V, mirror: Mirror<W>) -> V {
        mirror.map(isa, self.exchange(isa, x))
    }
    /// The smaller of an index and its exchange, each with like pieces sorted.
    #[inline(always)]
    fn smaller<V: Lanes<W>>(x: V, exchanged: V) -> V {
        x.min(exchanged)
    }
    /// Brings the leading piece into the lower left quarter.
    #[inline(always)]
    fn fold<V: Lanes<W>>(&self, isa: V::Isa, x: V, folding: &Folding<W>) -> V {
        if W::BITS == 64 {
            // The mirrors as products: where the bits that decide are apart, so are the mirrors.
            let leading = (folding.files | folding.ranks) >> folding.shift;
            let leading = x >> V::shift(isa, folding.shift) & V::splat(isa, leading);
            return x ^ leading.product(V::splat(isa, folding.file_mirror));
        }
        let folded = folding.fold_files(isa, x);
        let rank_mirror = V::splat(isa, folding.rank_mirror);
        folded.xor_where(rank_mirror, x, V::splat(isa, folding.ranks))
    }
}

/// The way in which the leading piece folds the board.
#[derive(Clone, Copy)]
pub(crate) struct Folding<W> {
    /// The bit that decides whether the files are mirrored; `index/canonical.rs` has the reasons.
    pub(super) files: W,
    /// The bit that decides whether the ranks are mirrored.
    pub(super) ranks: W,
    file_mirror: W,
    rank_mirror: W,
    /// The number of the bit `files`.
    shift: u32,
}

impl<W: Word> Folding<W> {
    pub(super) fn new(layout: &Layout<W>) -> Self {
        let half = layout.half();
        let (files, ranks) = match layout.numbering() {
            Numbering::Natural => (half - 1, 2 * half - 1),
            Numbering::Alternate => (half - 2, half - 1),
        };
        Folding {
            files: W::ONE << files,
            ranks: W::ONE << ranks,
            file_mirror: layout.file_mirror(),
            rank_mirror: layout.rank_mirror(),
            shift: files,
        }
    }

    /// Brings the leading piece into the left half.
    #[inline(always)]
    pub(super) fn fold_files<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        x.xor_where(
            V::splat(isa, self.file_mirror),
            x,
            V::splat(isa, self.files),
        )
    }
}

/// The natural numbering's digits.
#[derive(Clone, Copy)]
pub(crate) struct Natural<W>(Layout<W>);

impl<W: Word> Digits<W> for Natural<W> {
    fn new(layout: &Layout<W>) -> Self {
        Natural(*layout)
    }

    #[inline(always)]
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        x.exchange_halves(isa, self.0.half(), self.0.masks().high)
    }

    #[inline(always)]
    fn exchange_and_mirror<V: Lanes<W>>(&self, isa: V::Isa, x: V, mirror: Mirror<W>) -> V {
        if W::BITS > 32 || !V::CHOOSES_BITS {
            return mirror.map(isa, self.exchange(isa, x));
        }
        // The halves are masked first: the instruction that joins them can then mirror them, too.
        let half = V::shift(isa, self.0.half());
        let low = (x & V::splat(isa, self.0.masks().low)) << half;
        mirror.map(isa, low | x >> half)
    }
}

/// The alternate numbering's digits.
#[derive(Clone, Copy)]
pub(crate) struct Alternate<W>(Layout<W>);

impl<W: Word> Digits<W> for Alternate<W> {
    fn new(layout: &Layout<W>) -> Self {
        Alternate(*layout)
    }

    #[inline(always)]
    fn exchange<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        let ones = self.0.masks().ones;
        let next = x >> V::shift(isa, 1);
        // High digits 6 and 7, seen in bit 0 of the low digits.
        let long_diagonal = (x & next) >> V::shift(isa, self.0.half() + 1);
        // Bits 1 and 2 are exchanged by toggling both where they differ.
        let differ = (x ^ next) & V::splat(isa, ones << 1);
        x ^ differ ^ differ.twice() ^ (V::splat(isa, ones) & !long_diagonal)
    }
}

/// The mirrors, which are one XOR under either numbering.
#[derive(Clone, Copy)]
pub(crate) struct Mirror<W> {
    pub(super) toggled: W,
}

impl<W: Word> Mirror<W> {
    /// The mirroring part of a symmetry.
    pub(crate) fn of(layout: &Layout<W>, symmetry: Symmetry) -> Self {
        let part = |is_mirrored, mask| if is_mirrored { mask } else { W::ZERO };
        let files = part(symmetry.mirrors_files(), layout.file_mirror());
        Mirror {
            toggled: files ^ part(symmetry.mirrors_ranks(), layout.rank_mirror()),
        }
    }
}

impl<W: Word> Kernel<W> for Mirror<W> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        x ^ V::splat(isa, self.toggled)
    }
}

/// The diagonal flip.
#[derive(Clone, Copy)]
pub(crate) struct Exchange<D>(pub(crate) D);

impl<W: Word, D: Digits<W>> Kernel<W> for Exchange<D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.exchange(isa, x)
    }
}

/// The diagonal flip and then mirrors.
#[derive(Clone, Copy)]
pub(crate) struct ExchangeAndMirror<W, D>(pub(crate) D, pub(crate) Mirror<W>);

impl<W: Word, D: Digits<W>> Kernel<W> for ExchangeAndMirror<W, D> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        self.0.exchange_and_mirror(isa, x, self.1)
    }
}
