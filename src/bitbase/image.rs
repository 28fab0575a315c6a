//! A slice seen from another: the change that a king's move makes to the squares of all pieces.

use super::eight_boards::EightBoards;
use super::row::Row;
use crate::board::{Bitboard, Square, Symmetry};

/// The view of another slice from this one: the steps that its rows go through.
#[derive(Clone, Copy)]
pub(super) struct Image {
    symmetry: Symmetry,
    inverse: Symmetry,
    /// The number of men: with none the lowest bit of a word is no square, with one a row has one word.
    men: usize,
    pub(super) exchange: bool,
    files: bool,
    pub(super) ranks: bool,
}

impl Image {
    /// The view back through a symmetry that leads from here to there, of domains with so many men.
    #[inline(always)]
    pub(super) fn new(symmetry: Symmetry, men: usize) -> Image {
        let symmetry = if men == 0 {
            Symmetry::Identity
        } else {
            symmetry
        };
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
            men,
            exchange,
            files: mirrors.mirrors_files(),
            ranks: mirrors.mirrors_ranks(),
        }
    }

    /// A word of the other slice as seen from here.
    #[inline(always)]
    pub(super) fn word(self, word: u64) -> u64 {
        self.inverse.apply_to_set(Bitboard(word)).0
    }

    /// The number in the other slice that the squares of `digits` men here stand for.
    #[inline(always)]
    pub(super) fn there(self, number: usize, digits: usize) -> usize {
        map_digits(self.symmetry, number, digits)
    }

    /// The number here that the squares of `digits` men in the other slice stand for.
    #[inline(always)]
    pub(super) fn here(self, number: usize, digits: usize) -> usize {
        map_digits(self.inverse, number, digits)
    }

    /// The rows of a slab here that some rows of a slab of the other slice stand for.
    #[inline(always)]
    pub(super) fn rows_here(self, rows: u8) -> u8 {
        match self.men {
            0 | 1 => rows,
            _ if self.exchange => 0xff,
            _ if self.ranks => rows.reverse_bits(),
            _ => rows,
        }
    }

    /// Eight words of the other slice as seen from here.
    #[inline(always)]
    pub(super) fn words<L: EightBoards>(self, isa: L::Isa, x: L) -> L {
        let x = if self.exchange {
            x.flip_diagonal(isa)
        } else {
            x
        };
        let x = if self.ranks { x.flip_vertical() } else { x };
        if self.files {
            x.flip_horizontal(isa)
        } else {
            x
        }
    }

    /// Row `r`, as seen from here, of a slab of the other slice.
    #[inline(always)]
    pub(super) fn row<L: EightBoards>(self, isa: L::Isa, slab: &[Row], r: usize) -> L {
        if self.men < 2 {
            return self.words(isa, L::load(isa, &slab[0]));
        }
        let r = if self.ranks { 7 - r } else { r };
        let x = if self.exchange {
            let mut column = Row::EMPTY;
            for (lane, row) in column.0.iter_mut().zip(slab) {
                *lane = row.0[r];
            }
            L::load(isa, &column)
        } else {
            L::load(isa, &slab[r])
        };
        let x = if self.files { x.reverse_lanes() } else { x };
        self.words(isa, x)
    }
}

#[inline(always)]
fn map_digits(symmetry: Symmetry, number: usize, digits: usize) -> usize {
    let apply = |number: usize| symmetry.apply(Square::from_low_bits(number as u8)).index();
    // Five free pieces have one digit.
    match digits {
        0 => 0,
        1 => apply(number),
        _ => {
            let mut mapped = 0;
            for k in 0..digits {
                mapped |= apply(number >> (6 * k)) << (6 * k);
            }
            mapped
        }
    }
}
