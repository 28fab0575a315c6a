//! An index taken apart: the squares of its pieces, and the squares of each side.

use crate::board::{Bitboard, Color, Material, Piece, PieceType, Rank, Square, attacks};

/// The most pieces an index can hold.
pub(super) const MAX: usize = Material::MAX_PIECES;

/// The squares of the pieces of an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedPieces {
    /// The square of each piece; a1 beyond the last piece.
    pub(super) squares: [Square; MAX],
    /// The squares of white's pieces and of black's.
    pub(super) sides: [Bitboard; 2],
}

impl PlacedPieces {
    /// Takes the pieces in the order of their numbers.
    #[inline]
    pub(super) fn new(pieces: &[Piece], squares: impl Iterator<Item = Square>) -> PlacedPieces {
        let mut placed = PlacedPieces {
            squares: [Square::A1; MAX],
            sides: [Bitboard::EMPTY; 2],
        };
        for ((to, square), piece) in placed.squares.iter_mut().zip(squares).zip(pieces) {
            *to = square;
            let side = &mut placed.sides[piece.color as usize];
            *side = side.with(square);
        }
        placed
    }

    /// All squares with a piece.
    #[inline]
    pub(super) fn occupied(&self) -> Bitboard {
        self.sides[0] | self.sides[1]
    }

    /// The number of the piece of this side on a square, if there is one.
    #[inline]
    pub(super) fn number(&self, pieces: &[Piece], side: Color, square: Square) -> Option<usize> {
        if !self.sides[side as usize].contains(square) {
            return None;
        }
        let here = |k: &usize| pieces[*k].color == side && self.squares[*k] == square;
        (0..pieces.len()).find(here)
    }

    /// Returns whether a side attacks a square when these squares block the way. The piece `without`,
    /// which has been taken, attacks nothing.
    #[inline]
    pub(super) fn attacks(
        &self,
        pieces: &[Piece],
        by: Color,
        square: Square,
        occupied: Bitboard,
        without: Option<usize>,
    ) -> bool {
        let attacker = |(k, piece): (usize, &Piece)| {
            piece.color == by
                && Some(k) != without
                && attacks(*piece, self.squares[k], occupied).contains(square)
        };
        pieces.iter().enumerate().any(attacker)
    }

    /// Returns whether no two pieces share a square and all pawns stand on ranks 2 to 7.
    #[inline]
    pub(super) fn is_placement(&self, pieces: &[Piece]) -> bool {
        let ends = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
        let stands = |(piece, &square): (&Piece, &Square)| {
            piece.kind != PieceType::Pawn || !ends.contains(square)
        };
        self.occupied().len() as usize == pieces.len()
            && pieces.iter().zip(&self.squares).all(stands)
    }
}
