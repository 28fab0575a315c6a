//! Moves of short-range pieces on a board of at most 64 squares, as shifts of sets.

use super::Grid;
use crate::board::{Leaper, Step};

/// How the 24 steps act on sets of squares. Bit `s` of a set stands for the square with number `s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridMoves {
    /// The set of all squares.
    pub all: u64,
    pub(super) middle: u8,
    pub(super) moves: [GridMove; 24],
}

/// A step on a board: the squares that it may start from, and the amount by which it shifts their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GridMove {
    /// The squares from which the step stays on the board.
    pub(super) source: u64,
    /// The difference of the square numbers, between −63 and 63, or 0 if there is no source.
    pub(super) shift: i8,
}

impl GridMove {
    /// The squares reached from these by this step.
    #[inline]
    const fn forward(self, squares: u64) -> u64 {
        let squares = squares & self.source;
        if self.shift >= 0 {
            squares << self.shift
        } else {
            squares >> -self.shift
        }
    }
}

impl GridMoves {
    /// The moves on a board.
    ///
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(grid: &Grid) -> GridMoves {
        assert!(
            grid.square_count() <= 64,
            "expected a board of at most 64 squares"
        );
        let mut moves = [GridMove::default(); 24];
        for (step, moves) in Step::ALL.into_iter().zip(&mut moves) {
            for square in grid.squares() {
                for to in grid.targets(Leaper::EMPTY.with(step), square) {
                    moves.source |= 1 << square;
                    moves.shift = to as i8 - square as i8;
                }
            }
        }
        GridMoves {
            middle: grid.middle(),
            all: !0 >> (64 - grid.square_count()),
            moves,
        }
    }

    /// The squares that the piece reaches from these squares in exactly one move.
    #[must_use]
    pub fn step(&self, piece: Leaper, squares: u64) -> u64 {
        let moves = self.moves.iter().enumerate();
        moves
            .filter(|(index, _)| piece.bits() >> index & 1 != 0)
            .fold(0, |reached, (_, step)| reached | step.forward(squares))
    }

    /// Whether the piece reaches every square from the middle one, and the middle one from every square.
    #[must_use]
    pub(super) fn is_connected(&self, piece: Leaper) -> bool {
        [piece, piece.reversed()].into_iter().all(|piece| {
            let (mut squares, mut next) = (0, 1 << self.middle);
            while next != squares {
                squares = next;
                next |= self.step(piece, squares);
            }
            squares == self.all
        })
    }
}
