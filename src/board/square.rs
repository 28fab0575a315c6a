//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use super::names::NameError;

/// One of the eight files (columns), `A` on white's left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say all there is to say")]
pub enum File {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
}

impl File {
    /// All files from `A` to `H`.
    pub(crate) const ALL: [File; 8] = [
        File::A,
        File::B,
        File::C,
        File::D,
        File::E,
        File::F,
        File::G,
        File::H,
    ];
}

/// One of the eight ranks (rows), `First` at white's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say all there is to say")]
pub enum Rank {
    First,
    Second,
    Third,
    Fourth,
    Fifth,
    Sixth,
    Seventh,
    Eighth,
}

impl Rank {
    /// All ranks from the first to the eighth.
    pub(crate) const ALL: [Rank; 8] = [
        Rank::First,
        Rank::Second,
        Rank::Third,
        Rank::Fourth,
        Rank::Fifth,
        Rank::Sixth,
        Rank::Seventh,
        Rank::Eighth,
    ];

    /// The rank's digit, `1` to `8`.
    #[must_use]
    pub(crate) const fn digit(self) -> char {
        (b'1' + self as u8) as char
    }
}

/// One of the 64 squares, numbered rank by rank from white's left: a1 = 0, b1 = 1, … h8 = 63.
///
/// ```
/// use tbindex::{File, Rank, Square};
/// let square: Square = "f6".parse()?;
/// assert_eq!(square, Square::at(File::F, Rank::Sixth));
/// assert_eq!(square.index(), 0o55);
/// # Ok::<(), tbindex::NameError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The square a1, number 0.
    pub const A1: Square = Square(0);

    /// The square with this number.
    ///
    /// # Panics
    /// If `number` is greater than 63.
    #[must_use]
    #[inline]
    pub const fn new(number: u8) -> Square {
        assert!(number < 64, "a square's number is 0 to 63");
        Square(number)
    }

    /// The square with this number, or `None` above 63.
    #[must_use]
    #[inline]
    pub(crate) const fn from_number(number: u8) -> Option<Square> {
        if number < 64 {
            Some(Square(number))
        } else {
            None
        }
    }

    /// The square whose number is the low six bits of `bits`.
    #[must_use]
    #[inline]
    pub(crate) const fn from_low_bits(bits: u8) -> Square {
        Square(bits & 63)
    }

    /// The square on this file and rank.
    #[must_use]
    #[inline]
    pub const fn at(file: File, rank: Rank) -> Square {
        Square(8 * rank as u8 + file as u8)
    }

    /// The square `files` to the right and `ranks` up, or `None` off the board.
    #[must_use]
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Square> {
        let (file, rank) = (
            (self.0 & 7) as i16 + files as i16,
            (self.0 >> 3) as i16 + ranks as i16,
        );
        if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
            Some(Square((8 * rank + file) as u8))
        } else {
            None
        }
    }

    /// The square's number, 0 to 63, as a `u8`.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The square's number, 0 to 63, for indexing arrays.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The square's file.
    #[must_use]
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[(self.0 & 7) as usize]
    }

    /// The square's rank.
    #[must_use]
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[(self.0 >> 3) as usize]
    }

    /// All 64 squares in the order of their numbers.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator + Clone {
        (0u8..64).map(Square)
    }
}

impl TryFrom<u8> for Square {
    type Error = NameError;

    fn try_from(number: u8) -> Result<Square, NameError> {
        let error = || NameError::new(&number.to_string(), "square's number", "0 to 63");
        Square::from_number(number).ok_or_else(error)
    }
}

impl FromStr for Square {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Square, NameError> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square(8 * (rank - b'1') + (file - b'a')))
            }
            _ => {
                let expected = "a file a-h and a rank 1-8, such as e4";
                Err(NameError::new(text, "square", expected))
            }
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` and not `write!`, so that width and alignment are honoured.
        let text = [b'a' + (self.0 & 7), b'1' + (self.0 >> 3)];
        f.pad(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
