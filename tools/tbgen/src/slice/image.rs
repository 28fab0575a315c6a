//! A slice seen from another: the change that a king's move makes to the squares of all pieces.

use tbindex::{Bitboard, Square, Symmetry};

use crate::lanes::{Lanes, Row};

/// The view of another slice from this one: the steps that its rows go through.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    symmetry: Symmetry,
    inverse: Symmetry,
    pub(super) exchange: bool,
    files: bool,
    pub(super) ranks: bool,
}

impl Image {
    /// The view back through a symmetry that leads from here to there.
    #[inline(always)]
    pub(crate) fn new(symmetry: Symmetry) -> Image {
        // The symmetry as mirrors followed by the exchange of files and ranks, if any. On the way back the
        // exchange is undone first.
        let exchange = symmetry.exchanges_file_and_rank();
        let mirrors = if exchange {
            symmetry.then(Symmetry::FlipDiagonal)
        } else {
            symmetry
        };
        Image {
            symmetry,
            inverse: symmetry.inverse(),
            exchange,
            files: mirrors.mirrors_files(),
            ranks: mirrors.mirrors_ranks(),
        }
    }

    /// A word of the other slice as seen from here.
    #[inline(always)]
    pub(crate) fn word(self, word: u64) -> u64 {
        self.inverse.apply_to_set(Bitboard(word)).0
    }

    /// The square of the other slice that a square here stands for.
    #[inline(always)]
    pub(crate) fn square_there(self, square: usize) -> usize {
        self.symmetry
            .apply(Square::from_low_bits(square as u8))
            .index()
    }

    #[inline(always)]
    pub(super) fn square_here(self, square: usize) -> usize {
        self.inverse
            .apply(Square::from_low_bits(square as u8))
            .index()
    }

    #[inline(always)]
    fn words<L: Lanes>(self, x: L) -> L {
        let x = if self.exchange { x.flip_diagonal() } else { x };
        let x = if self.ranks { x.flip_vertical() } else { x };
        if self.files { x.flip_horizontal() } else { x }
    }

    /// Row `r`, as seen from here, of a slab of the other slice.
    #[inline(always)]
    pub(crate) fn row<L: Lanes>(self, slab: &[Row], r: usize, inner: bool) -> L {
        if !inner {
            return self.words(L::load(&slab[0]));
        }
        let r = if self.ranks { 7 - r } else { r };
        let x = if self.exchange {
            let mut column = Row::ZERO;
            for (lane, row) in column.0.iter_mut().zip(slab) {
                *lane = row.0[r];
            }
            L::load(&column)
        } else {
            L::load(&slab[r])
        };
        let x = if self.files { x.reverse_lanes() } else { x };
        self.words(x)
    }
}
