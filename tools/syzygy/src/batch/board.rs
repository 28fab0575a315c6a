//! Positions in sixteen bytes.

use std::sync::Arc;

use cozy_chess::{BitBoard, Board, BoardBuilder, Color, File, Rank, Square};

use super::endgame::{Endgame, Endgames};
use super::placed::Placed;
use crate::error::Error;
use crate::material::{ColoredPiece, MOST_PIECES, Material};

/// A legal position of up to seven pieces in sixteen bytes, with the right to capture en passant and without a fifty-move
/// counter.
///
/// ```
/// use syzygy_tables::batch::PackedBoard;
/// use syzygy_tables::cozy_chess::Board;
///
/// let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse()?;
/// let packed = PackedBoard::try_from(&board)?;
/// assert_eq!(packed.len(), 4);
/// assert_eq!(Board::from(&packed), board);
/// assert!(PackedBoard::try_from(&Board::default()).is_err(), "32 pieces and castling rights");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedBoard {
    occupied: u64,
    /// The codes of the pieces in the order of squares, four bits each.
    codes: u32,
    side: Color,
    /// The file of a pawn that moved two squares, or 8.
    passing: u8,
}

const NOT_PASSING: u8 = 8;

impl TryFrom<&Board> for PackedBoard {
    type Error = Error;

    /// # Errors
    /// If the position has castling rights or more than seven pieces, or the kings touch.
    fn try_from(board: &Board) -> Result<PackedBoard, Error> {
        let pieces = board.occupied().len();
        if pieces as usize > MOST_PIECES {
            return Err(Error::TooManyPieces(pieces));
        }
        let rights = [Color::White, Color::Black].map(|color| *board.castle_rights(color));
        if (rights.iter()).any(|rights| rights.short.is_some() || rights.long.is_some()) {
            return Err(Error::Castling);
        }
        let kings = [Color::White, Color::Black].map(|color| board.king(color));
        if cozy_chess::get_king_moves(kings[0]).has(kings[1]) {
            return Err(Error::KingsTouch);
        }
        let mut codes = 0;
        for (number, square) in board.occupied().into_iter().enumerate() {
            let piece = board.piece_on(square).zip(board.color_on(square));
            let code = piece.map_or(0, |(piece, color)| ColoredPiece::new(color, piece).code());
            codes |= u32::from(code) << (4 * number);
        }
        Ok(PackedBoard {
            occupied: board.occupied().0,
            codes,
            side: board.side_to_move(),
            passing: board.en_passant().map_or(NOT_PASSING, |file| file as u8),
        })
    }
}

impl From<&PackedBoard> for Board {
    fn from(packed: &PackedBoard) -> Board {
        let mut builder = BoardBuilder::empty();
        builder.side_to_move = packed.side;
        for (square, piece) in BitBoard(packed.occupied).into_iter().zip(packed.pieces()) {
            *builder.square_mut(square) = Some((piece.piece(), piece.color()));
        }
        let rank = Rank::Sixth.relative_to(packed.side);
        let passing = File::try_index(packed.passing.into());
        builder.en_passant = passing.map(|file| Square::new(file, rank));
        builder.build().expect("it was a legal position")
    }
}

impl PackedBoard {
    /// The number of pieces, 2 to 7.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always kings")]
    pub const fn len(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The pieces in the order of squares, a1 first.
    pub fn pieces(&self) -> impl Iterator<Item = ColoredPiece> + '_ {
        let codes = (0..self.len()).map(|number| (self.codes >> (4 * number) & 15) as u8);
        codes.filter_map(ColoredPiece::from_code)
    }

    /// How many there are of each piece, four bits for each code.
    #[inline]
    pub(super) fn counts(&self) -> u64 {
        (0..MOST_PIECES).fold(0, |counts, number| {
            counts + (1 << (4 * (self.codes >> (4 * number) & 15)))
        }) >> 4
    }

    /// The material, unless it is two kings alone, and the position as its table sees it.
    #[must_use]
    pub fn placed(&self, endgames: &Endgames) -> Option<(Arc<Endgame>, Placed)> {
        let (material, exchanged) = Material::of_pieces(self.pieces())?;
        let endgame = endgames.get(material);
        let placed = self.place(&endgame, exchanged);
        Some((endgame, placed))
    }

    /// The position as its table sees it, whose first side is black if the colours are exchanged.
    #[inline]
    pub(super) fn place(&self, endgame: &Endgame, exchanged: bool) -> Placed {
        // The next slot of each code.
        let mut slots = endgame.first_slots(exchanged);
        let mut squares = 0;
        let mut codes = self.codes;
        for square in BitBoard(self.occupied) {
            let shift = 4 * (codes & 15);
            codes >>= 4;
            squares |= (square as u64) << (8 * (slots >> shift & 15));
            slots += 1 << shift;
        }
        let placed = Placed::new(squares, self.side);
        let placed = placed.passing(Some(self.passing).filter(|&file| file < NOT_PASSING));
        let placed = if exchanged {
            // The pieces are in their slots already.
            placed.exchanged(0, self.len())
        } else {
            placed
        };
        endgame.normal(placed)
    }
}
