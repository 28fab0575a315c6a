//! Moves taken back.

use super::legal::behind;
use super::placed::PlacedPieces;
use super::{Moves, king_number, numbers};
use crate::board::{Bitboard, Color, Conversion, Piece, PieceType, Square, attacks, between};
use crate::index::{MaterialMap, Word};

/// # Moves taken back
impl<W: Word> Moves<W> {
    /// Returns the legal positions, with the other side to move, from which a move without capture or
    /// promotion leads to this legal position with `side` to move.
    ///
    /// ```
    /// # use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// // K on g6, k on g8 and R on a8, mate: the rook has come along the file.
    /// let before: Vec<u32> = moves.unmoves(0o577_660, Color::Black).collect();
    /// assert_eq!(before, [0o570_660, 0o571_660, 0o572_660, 0o573_660, 0o574_660, 0o575_660, 0o576_660]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unmoves(&self, index: W, side: Color) -> impl Iterator<Item = W> + '_ {
        let placed = self.place(index);
        numbers(&self.pieces, !side).flat_map(move |k| {
            let to = placed.squares[k];
            let origins = self.legal_origins(&placed, k);
            let before = origins.into_iter();
            before.map(move |from| self.layout.move_piece(index, k, from, to))
        })
    }

    /// Returns the legal positions of this material, with the mover of `conversion` to move, from which
    /// that capture or promotion leads to the legal position `index` of the material that is left, up to
    /// the exchange of like pieces. That material is [normal](crate::Material::normal), as is
    /// [`Reached::material`](super::Reached::material). Captures en passant are not taken back, because
    /// an index cannot hold the right to them.
    ///
    /// If the conversion is not possible in this material, there are none.
    ///
    /// ```
    /// # use tbindex::{Color, Conversion, Moves, Numbering, PieceType};
    /// let moves = Moves::<u32>::try_new("KPvK".parse()?, Numbering::Natural)?;
    /// let promotion = Conversion::Promotion { by: Color::White, to: PieceType::Queen, captured: None };
    /// // K on b6, k on a8 and the new queen on c8: the pawn was on c7.
    /// let before: Vec<u32> = moves.unconversions(promotion, 0o577_102).collect();
    /// assert_eq!(before, [0o576_102]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unconversions(&self, conversion: Conversion, index: W) -> impl Iterator<Item = W> + '_ {
        let mover = conversion.mover();
        // Any of the pieces that are like the promoted one may have been the pawn.
        let promoted = match conversion {
            Conversion::Promotion { to, .. } => Some(to),
            Conversion::Capture { .. } => None,
        };
        let possible = self.conversion(conversion).into_iter();
        let all = possible.flat_map(move |(map, pawn, captured)| {
            let moved = map.unmap(index);
            let movers = numbers(&self.pieces, mover).filter(move |&k| match pawn {
                Some(pawn) => k == pawn || Some(self.pieces[k].kind) == promoted,
                None => true,
            });
            movers.flat_map(move |k| {
                // The pawn changes places with the like piece that it is taken for.
                let (moved, k) = match pawn {
                    Some(pawn) if k != pawn => {
                        let squares = [k, pawn].map(|k| self.layout.square(moved, k));
                        let moved = self.layout.with_square(moved, k, squares[1]);
                        (self.layout.with_square(moved, pawn, squares[0]), pawn)
                    }
                    _ => (moved, k),
                };
                let to = self.layout.square(moved, k);
                let moved = match captured {
                    Some(captured) => self.layout.with_square(moved, captured, to),
                    None => moved,
                };
                let origins = self.origins_of_conversion(moved, k, captured, pawn.is_some());
                let before = origins.into_iter();
                before.map(move |from| self.layout.move_piece(moved, k, from, to))
            })
        });
        all.filter(move |&before| self.is_legal(before, mover))
    }

    /// The map of a conversion, with the numbers of the pawn that promotes and of the piece that is taken.
    fn conversion(
        &self,
        conversion: Conversion,
    ) -> Option<(&MaterialMap<W>, Option<usize>, Option<usize>)> {
        let number = |piece| self.pieces.iter().position(|&p| p == piece);
        let captured = match conversion.captured() {
            Some(piece) => Some(number(piece)?),
            None => None,
        };
        let (pawn, to) = match conversion {
            Conversion::Capture { .. } => (None, None),
            Conversion::Promotion { by, to, .. } => {
                (Some(number(Piece::new(by, PieceType::Pawn))?), Some(to))
            }
        };
        let map = self.map_of(pawn.unwrap_or_default(), captured, to)?;
        Some((map, pawn, captured))
    }

    /// The empty squares from which a piece can have come without a capture, if neither it nor another
    /// piece of its side gave check before.
    fn legal_origins(&self, placed: &PlacedPieces, k: usize) -> Bitboard {
        let (piece, to) = (self.pieces[k], placed.squares[k]);
        let king = placed.squares[king_number(&self.pieces, !piece.color)];
        let occupied = placed.occupied().without(to);
        // A piece attacks the king from where it would be attacked by one of the king's side on the king's square.
        let checks = attacks(Piece::new(!piece.color, piece.kind), king, occupied);
        let mut origins = self.origins(placed, k) - checks;
        for other in numbers(&self.pieces, piece.color).filter(|&other| other != k) {
            let square = placed.squares[other];
            if attacks(self.pieces[other], square, occupied).contains(king) {
                origins &= between(king, square);
            }
        }
        origins
    }

    /// The empty squares from which a piece can have come without a capture.
    fn origins(&self, placed: &PlacedPieces, k: usize) -> Bitboard {
        let (piece, to) = (self.pieces[k], placed.squares[k]);
        let occupied = placed.occupied();
        if piece.kind != PieceType::Pawn {
            return attacks(piece, to, occupied) - occupied;
        }
        // A pawn that was on its first rank can have come two squares.
        let back = |square: Square| behind(square, piece.color);
        let free = |square: &Square| {
            !occupied.contains(*square) && square.rank() != (!piece.color).last_rank()
        };
        let one = back(to).filter(free);
        let two = one.and_then(back).filter(free);
        let two = two.filter(|square| square.rank() == piece.color.first_rank());
        one.into_iter().chain(two).collect()
    }

    /// The empty squares from which piece `k` can have come with this conversion. In `moved` the captured
    /// piece stands on the same square as piece `k`.
    fn origins_of_conversion(
        &self,
        moved: W,
        k: usize,
        captured: Option<usize>,
        promotes: bool,
    ) -> Bitboard {
        let placed = self.place(moved);
        let (piece, to) = (self.pieces[k], placed.squares[k]);
        let occupied = placed.occupied();
        if piece.kind != PieceType::Pawn {
            return attacks(piece, to, occupied) - occupied;
        }
        if (to.rank() == piece.color.last_rank()) != promotes {
            return Bitboard::EMPTY;
        }
        let files: &[i8] = if captured.is_some() { &[-1, 1] } else { &[0] };
        let from = files
            .iter()
            .filter_map(|&files| to.offset(files, -piece.color.forward()));
        from.filter(|&square| !occupied.contains(square)).collect()
    }
}
