//! The squares of the pieces of an order, and their images.

pub(super) use crate::bitbase::MOST_PIECES;
use crate::board::{Square, Symmetry};

/// The squares of the pieces of an order, by their numbers there.
pub(super) type Squares = [u8; MOST_PIECES];

/// The leading men of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberedPlacement {
    pub(super) number: usize,
    pub(super) code: u8,
}

/// The images of all squares under the symmetry with a code.
pub(super) static IMAGES: [[u8; 64]; 8] = {
    let mut images = [[0; 64]; 8];
    let mut code = 0;
    while code < 8 {
        let mut square = 0;
        while square < 64 {
            let symmetry = Symmetry::from_code(code as u8);
            images[code][square] = symmetry.apply(Square::new(square as u8)).number();
            square += 1;
        }
        code += 1;
    }
    images
};

/// The squares with smaller numbers.
#[inline(always)]
pub(super) const fn below(square: u8) -> u64 {
    (1 << (square & 63)) - 1
}
