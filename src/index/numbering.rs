//! The two numberings of the board's squares.

use std::fmt;

use super::planes::{alternate_to_natural, natural_to_alternate};
use crate::board::{Square, drawing};

/// A map of the squares to six-bit codes, a high and a low octal digit each.
///
/// ```
/// use tbindex::{Numbering, Square};
/// let square: Square = "d2".parse()?;
/// assert_eq!(Numbering::Natural.code(square), 0o13);
/// assert_eq!(Numbering::Alternate.code(square), 0o40);
/// # Ok::<(), tbindex::NameError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Numbering {
    /// High digit = rank, low digit = file: the code is the square's number.
    #[default]
    Natural = 0,
    /// High digit = the square's orbit under the board's symmetries, low digit = its place in it.
    ///
    /// Low bit 1 is the right half of the board, low bit 2 the upper half. With the square folded
    /// into the a1–d1–d4–a4 quarter, low bit 0 says that it lies above the a1–h8 diagonal. A square
    /// *on* a long diagonal has high digit 6 or 7, and its low bit 0 only tells two squares of the
    /// folded diagonal apart. No symmetry ever changes a high digit.
    Alternate = 1,
}

impl Numbering {
    /// Both numberings.
    pub const ALL: [Numbering; 2] = [Numbering::Natural, Numbering::Alternate];

    /// The code of a square, 0 to 63.
    ///
    /// ```
    /// # use tbindex::{Numbering, Square, Symmetry};
    /// // A symmetry changes low digits alone.
    /// let square: Square = "b3".parse()?;
    /// let high = Symmetry::ALL.map(|symmetry| Numbering::Alternate.code(symmetry.apply(square)) >> 3);
    /// assert_eq!(high, [3; 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn code(self, square: Square) -> u8 {
        let number = u32::from(square.number());
        match self {
            Numbering::Natural => square.number(),
            Numbering::Alternate => natural_to_alternate((), number, 1, 3) as u8,
        }
    }

    /// The square whose code is the low six bits of `code`.
    #[inline]
    pub(crate) fn square(self, code: u8) -> Square {
        let code = u32::from(code & 63);
        Square::from_low_bits(match self {
            Numbering::Natural => code as u8,
            Numbering::Alternate => alternate_to_natural((), code, 1, 3) as u8,
        })
    }

    /// The board with every square's code in octal, as the domain's literature draws it.
    ///
    /// ```
    /// # use tbindex::Numbering;
    /// let picture = Numbering::Alternate.picture();
    /// assert_eq!(picture.lines().next(), Some("8| 64 04 14 24 26 16 06 66"));
    /// ```
    #[must_use]
    pub fn picture(self) -> String {
        drawing(|square| format!("{:02o}", self.code(square)))
    }
}

/// Writes `natural` or `alternate`.
impl fmt::Display for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Numbering::Natural => "natural",
            Numbering::Alternate => "alternate",
        })
    }
}

crate::board::read_names!(Numbering, "numbering");
