//! Positions of a known material, in one word.

use cozy_chess::Color;

use crate::material::MOST_PIECES;
use crate::numbering::{PackedSquares, square_of};

/// A position of a material: byte k is the square of piece k in the order of the name, and the last byte has the side to
/// move and the file on which a pawn may be captured en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed(pub(super) u64);

const BLACK: u64 = 1 << STATE;
const STATE: u32 = 8 * MOST_PIECES as u32;
const SQUARES: u64 = BLACK - 1;
const PASSING: u32 = STATE + 1;
/// The bit of each square that mirrors its rank.
const RANKS: u64 = 0x0038_3838_3838_3838;

/// The bytes below a slot.
const fn below(slot: usize) -> u64 {
    (1 << (8 * slot)) - 1
}

impl Placed {
    /// Squares with a side to move, without en passant.
    #[must_use]
    pub fn new(squares: PackedSquares, side: Color) -> Placed {
        Placed(squares & SQUARES | u64::from(side as u8) << STATE)
    }

    /// These pieces with a pawn on this file that may be captured en passant.
    #[must_use]
    pub fn passing(self, file: Option<u8>) -> Placed {
        let file = file.map_or(0, |file| u64::from(file) + 1);
        Placed(self.0 & (SQUARES | BLACK) | file << PASSING)
    }

    /// The side to move.
    #[must_use]
    pub fn side(self) -> Color {
        match self.0 & BLACK {
            0 => Color::White,
            _ => Color::Black,
        }
    }

    /// The file of a pawn that may be captured en passant.
    #[must_use]
    pub fn en_passant(self) -> Option<u8> {
        ((self.0 >> PASSING) as u8).checked_sub(1)
    }

    /// The squares, and a byte that is none.
    #[must_use]
    pub fn squares(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    pub(super) fn square(self, slot: usize) -> u8 {
        square_of(self.0, slot)
    }

    /// After a move of the piece of a slot: the other side is to move, and nothing may be captured en passant.
    pub(super) fn moved(self, slot: usize, to: u8) -> Placed {
        let others = self.0 & (SQUARES | BLACK) & !(0xff << (8 * slot));
        Placed((others | u64::from(to) << (8 * slot)) ^ BLACK)
    }

    /// Without the piece of a slot: the later ones move up.
    pub(super) fn without(self, slot: usize) -> Placed {
        let (low, high) = (self.0 & below(slot), self.0 & SQUARES & !below(slot));
        Placed(low | high >> 8 & !below(slot) | self.0 & !SQUARES)
    }

    /// With a piece in a slot: the later ones move down.
    pub(super) fn with(self, slot: usize, square: u8) -> Placed {
        let (low, high) = (self.0 & below(slot), self.0 & SQUARES & !below(slot));
        Placed(low | (high << 8 | u64::from(square) << (8 * slot)) & SQUARES | self.0 & !SQUARES)
    }

    /// With colours exchanged and ranks mirrored, where `first` of `len` pieces are white.
    pub(super) fn exchanged(self, first: usize, len: usize) -> Placed {
        let squares = self.0 & SQUARES;
        let swapped = squares >> (8 * first) | (squares & below(first)) << (8 * (len - first));
        Placed((swapped ^ RANKS & below(len)) | (self.0 & !SQUARES ^ BLACK))
    }
}
