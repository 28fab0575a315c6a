//! Layouts, which say where the digits of an index are.

use tbindex::batch::OutOfRange;
use tbindex::{Layout, LayoutError, Numbering, Symmetry, Word};

use super::status::{
    Failure, Outcome, TBI_ERROR_INDEX, TBI_ERROR_SLOT, TBI_ERROR_SQUARE, TBI_ERROR_WORD,
    guard_value,
};

/// The layout of an index: how many pieces, under which numbering of the squares.
///
/// The six-bit code of every piece's square is a high and a low octal digit; the index has the high
/// digits of all pieces, the leading piece's first, and then the low digits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_layout {
    /// How many pieces, 1 to 10.
    pub pieces: u32,
    /// The numbering of the squares.
    pub numbering: tbi_numbering,
}

/// A numbering of the squares: one of the `TBI_NUMBERING_...`.
pub type tbi_numbering = u32;

/// High digit the rank, low digit the file.
pub const TBI_NUMBERING_NATURAL: tbi_numbering = 0;
/// The numbering under which no symmetry changes a high digit.
pub const TBI_NUMBERING_ALTERNATE: tbi_numbering = 1;

/// A symmetry of the board: one of the `TBI_SYMMETRY_...`. Bit 0 mirrors the files, bit 1 the ranks, bit 2
/// exchanges file and rank before that.
pub type tbi_symmetry = u32;

/// Nothing moves.
pub const TBI_SYMMETRY_IDENTITY: tbi_symmetry = 0;
/// a <-> h: files are mirrored, the flip around the vertical axis.
pub const TBI_SYMMETRY_FLIP_HORIZONTAL: tbi_symmetry = 1;
/// 1 <-> 8: ranks are mirrored, the flip around the horizontal axis.
pub const TBI_SYMMETRY_FLIP_VERTICAL: tbi_symmetry = 2;
/// a1 -> h8.
pub const TBI_SYMMETRY_ROTATE_180: tbi_symmetry = 3;
/// Mirrored along a1-h8.
pub const TBI_SYMMETRY_FLIP_DIAGONAL: tbi_symmetry = 4;
/// Counter-clockwise, a1 -> h1.
pub const TBI_SYMMETRY_ROTATE_270: tbi_symmetry = 5;
/// Clockwise, a1 -> a8.
pub const TBI_SYMMETRY_ROTATE_90: tbi_symmetry = 6;
/// Mirrored along a8-h1.
pub const TBI_SYMMETRY_FLIP_ANTI_DIAGONAL: tbi_symmetry = 7;

/// The bytes of the smallest word that holds an index, 4 or 8, which index files have. 0 if the layout has no
/// piece, or more than 10.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_layout_word_bytes(layout: tbi_layout) -> usize {
    guard_value(0, || match layout.of::<u32>() {
        Ok(_) => Ok(size_of::<u32>()),
        Err(_) => layout.of::<u64>().map(|_| size_of::<u64>()),
    })
}

impl tbi_layout {
    /// The layout in a word.
    pub(crate) fn of<W: Word>(self) -> Outcome<Layout<W>> {
        Ok(Layout::try_new(
            self.pieces as usize,
            numbering(self.numbering)?,
        )?)
    }
}

impl From<Layout<u64>> for tbi_layout {
    fn from(layout: Layout<u64>) -> tbi_layout {
        tbi_layout {
            pieces: layout.pieces() as u32,
            numbering: layout.numbering() as u32,
        }
    }
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        match error {
            LayoutError::Pieces { pieces: 1.., .. } => Failure::new(TBI_ERROR_WORD, error),
            _ => Failure::argument(error),
        }
    }
}

impl From<OutOfRange> for Failure {
    fn from(error: OutOfRange) -> Failure {
        let status = match error {
            OutOfRange::Index { .. } => TBI_ERROR_INDEX,
            OutOfRange::Slot { .. } => TBI_ERROR_SLOT,
            OutOfRange::Square { .. } => TBI_ERROR_SQUARE,
        };
        Failure::new(status, error)
    }
}

/// The numbering of a number.
pub(crate) fn numbering(number: tbi_numbering) -> Outcome<Numbering> {
    Failure::chosen("numbering", number, Numbering::ALL, "TBI_NUMBERING_…")
}

/// The symmetry of a number.
pub(crate) fn symmetry(number: tbi_symmetry) -> Outcome<Symmetry> {
    let all = (0..8).map(Symmetry::from_code);
    Failure::chosen("symmetry", number, all, "TBI_SYMMETRY_…")
}
