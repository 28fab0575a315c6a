//! All placements of a material's pieces.

use crate::material::Material;
use crate::numbering::PackedSquares;

/// The bits of a square.
const SQUARE_BITS: usize = 6;
pub(super) const EACH: u64 = 0x0001_0101_0101_0101;

/// The placements of pieces up to symmetry, numbered without gaps between squares. Where the first piece stands on a
/// diagonal, some are counted twice.
pub(super) struct Placements {
    pieces: usize,
    pawns: bool,
    /// The squares of the first piece, and the number of each.
    firsts: Vec<u8>,
    numbers: [u8; 64],
}

impl Placements {
    pub(super) fn new(material: Material) -> Placements {
        let pawns = material.has_pawns();
        let first = |&square: &u8| fold(square.into(), pawns) == square.into();
        let firsts: Vec<u8> = (0..64).filter(first).collect();
        let mut numbers = [0; 64];
        for (number, &square) in (0..).zip(&firsts) {
            numbers[usize::from(square)] = number;
        }
        Placements {
            pieces: material.len(),
            pawns,
            firsts,
            numbers,
        }
    }

    /// How many there are, or the most that a number can be.
    pub(super) fn len(&self) -> usize {
        let others = 1usize.checked_shl((SQUARE_BITS * (self.pieces - 1)) as u32);
        others.map_or(usize::MAX, |others| {
            self.firsts.len().saturating_mul(others)
        })
    }

    /// The squares of a placement.
    pub(super) fn squares(&self, number: usize) -> PackedSquares {
        let others = self.pieces - 1;
        let first = self.firsts[number >> (SQUARE_BITS * others)];
        (0..others).fold(first.into(), |squares, piece| {
            squares | ((number >> (SQUARE_BITS * piece) & 63) as u64) << (8 * piece + 8)
        })
    }

    /// The number of squares, of which the first one is below 64.
    #[inline]
    pub(super) fn number(&self, squares: PackedSquares) -> usize {
        let squares = fold(squares, self.pawns);
        let others = self.pieces - 1;
        let first = usize::from(self.numbers[(squares & 63) as usize]) << (SQUARE_BITS * others);
        (0..others).fold(first, |number, piece| {
            number | ((squares >> (8 * piece + 8) & 63) as usize) << (SQUARE_BITS * piece)
        })
    }
}

/// The bytes of so many pieces.
pub(super) const fn pieces_mask(pieces: usize) -> PackedSquares {
    (1 << (8 * pieces)) - 1
}

/// The image of squares whose first one is on the files a to d, and without pawns in the triangle a1–d1–d4.
#[inline]
fn fold(squares: PackedSquares, pawns: bool) -> PackedSquares {
    let mut x = squares ^ ((squares >> 2 & 1) * (7 * EACH));
    if !pawns {
        x ^= (x >> 5 & 1) * (56 * EACH);
        let exchanged = (x >> 3 & (7 * EACH)) | (x & (7 * EACH)) << 3;
        x = if x & 63 > exchanged & 63 {
            exchanged
        } else {
            x
        };
    }
    x
}
