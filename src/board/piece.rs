//! Pieces, their colours, types and codes.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use super::{NameError, Rank, by_name};

/// The two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say all there is to say")]
pub enum Color {
    White = 0,
    Black = 1,
}

impl Color {
    /// White, then black.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// The other side, where a constant needs it; elsewhere `!color`.
    #[inline]
    pub(crate) const fn other(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// `white` or `black`.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }

    /// The number of ranks by which the side's pawns go forward.
    pub(crate) const fn forward(self) -> i8 {
        match self {
            Color::White => 1,
            Color::Black => -1,
        }
    }

    /// The rank on which the side's pawns begin.
    pub(crate) const fn first_rank(self) -> Rank {
        match self {
            Color::White => Rank::Second,
            Color::Black => Rank::Seventh,
        }
    }

    /// The rank on which the side's pawns promote.
    pub(crate) const fn last_rank(self) -> Rank {
        match self {
            Color::White => Rank::Eighth,
            Color::Black => Rank::First,
        }
    }
}

impl Not for Color {
    type Output = Color;

    /// The other side.
    #[inline]
    fn not(self) -> Color {
        self.other()
    }
}

super::print_names!(Color);

impl FromStr for Color {
    type Err = NameError;

    /// Reads `white` or `black`, or `w` or `b` as FEN has it.
    fn from_str(text: &str) -> Result<Color, NameError> {
        match text {
            "w" => Ok(Color::White),
            "b" => Ok(Color::Black),
            _ => by_name("side", &Color::ALL, text),
        }
    }
}

/// The type of a piece, without its colour; ordered by the order in which a material's name lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say all there is to say")]
pub enum PieceType {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

impl PieceType {
    /// King, queen, rook, bishop, knight, pawn: the order of a material's name.
    pub const ALL: [PieceType; 6] = [
        PieceType::King,
        PieceType::Queen,
        PieceType::Rook,
        PieceType::Bishop,
        PieceType::Knight,
        PieceType::Pawn,
    ];

    /// The capital letter, `KQRBNP`.
    const fn letter(self) -> char {
        match self {
            PieceType::King => 'K',
            PieceType::Queen => 'Q',
            PieceType::Rook => 'R',
            PieceType::Bishop => 'B',
            PieceType::Knight => 'N',
            PieceType::Pawn => 'P',
        }
    }

    pub(super) fn of_letter(letter: char) -> Option<PieceType> {
        PieceType::ALL.into_iter().find(|t| t.letter() == letter)
    }

    /// Whether the piece attacks along files and ranks, or along diagonals if not `straight`.
    pub(crate) const fn slides(self, straight: bool) -> bool {
        match self {
            PieceType::Queen => true,
            PieceType::Rook => straight,
            PieceType::Bishop => !straight,
            _ => false,
        }
    }
}

impl From<PieceType> for char {
    /// The capital letter, `KQRBNP`.
    fn from(kind: PieceType) -> char {
        kind.letter()
    }
}

impl TryFrom<char> for PieceType {
    type Error = NameError;

    /// The type of a capital letter.
    fn try_from(letter: char) -> Result<PieceType, NameError> {
        let error = || NameError::new(&letter.to_string(), "piece's letter", "one of KQRBNP");
        PieceType::of_letter(letter).ok_or_else(error)
    }
}

/// The singular noun, `king`, `queen`, ….
impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PieceType::King => "king",
            PieceType::Queen => "queen",
            PieceType::Rook => "rook",
            PieceType::Bishop => "bishop",
            PieceType::Knight => "knight",
            PieceType::Pawn => "pawn",
        })
    }
}

/// A piece of a colour.
///
/// ```
/// use tbindex::{Color, Piece, PieceType};
/// let knight = Piece::new(Color::Black, PieceType::Knight);
/// assert_eq!((char::from(knight), knight.code()), ('n', 11));
/// assert_eq!(Piece::from_code(11), Some(knight));
/// assert_eq!(Piece::from_code(9), None); // a black pawn that moves up the board is no piece
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The side that it belongs to.
    pub color: Color,
    /// Its type.
    pub kind: PieceType,
}

impl Piece {
    /// The piece of this colour and type.
    #[must_use]
    pub const fn new(color: Color, kind: PieceType) -> Piece {
        Piece { color, kind }
    }

    /// The four-bit code that file headers store: 8 × colour + type, where types are 1 white pawn,
    /// 2 black pawn, 3 knight, 4 bishop, 5 rook, 6 queen, 7 king.
    #[must_use]
    pub const fn code(self) -> u8 {
        let kind = match (self.kind, self.color) {
            (PieceType::Pawn, Color::White) => 1,
            (PieceType::Pawn, Color::Black) => 2,
            (PieceType::Knight, _) => 3,
            (PieceType::Bishop, _) => 4,
            (PieceType::Rook, _) => 5,
            (PieceType::Queen, _) => 6,
            (PieceType::King, _) => 7,
        };
        8 * self.color as u8 + kind
    }

    /// The piece with this [code](Piece::code), or `None` for 0 and 8 (empty squares), 2 and 9 (pawns
    /// that move the wrong way) and everything above 15.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<Piece> {
        let color = match code >> 3 {
            0 => Color::White,
            1 => Color::Black,
            _ => return None,
        };
        let kind = match (code & 7, color) {
            (1, Color::White) | (2, Color::Black) => PieceType::Pawn,
            (3, _) => PieceType::Knight,
            (4, _) => PieceType::Bishop,
            (5, _) => PieceType::Rook,
            (6, _) => PieceType::Queen,
            (7, _) => PieceType::King,
            _ => return None,
        };
        Some(Piece::new(color, kind))
    }

    pub(super) fn of_letter(letter: char) -> Option<Piece> {
        let color = match letter.is_ascii_uppercase() {
            true => Color::White,
            false => Color::Black,
        };
        PieceType::of_letter(letter.to_ascii_uppercase()).map(|kind| Piece::new(color, kind))
    }

    /// The same piece of the other side.
    pub(crate) const fn swap_color(self) -> Piece {
        Piece::new(self.color.other(), self.kind)
    }
}

impl From<Piece> for char {
    /// The letter of FEN: `KQRBNP` for white, `kqrbnp` for black.
    fn from(piece: Piece) -> char {
        match piece.color {
            Color::White => piece.kind.letter(),
            Color::Black => piece.kind.letter().to_ascii_lowercase(),
        }
    }
}

impl TryFrom<char> for Piece {
    type Error = NameError;

    /// The piece of a FEN letter.
    fn try_from(letter: char) -> Result<Piece, NameError> {
        let error = || NameError::new(&letter.to_string(), "piece's letter", "one of KQRBNPkqrbnp");
        Piece::of_letter(letter).ok_or_else(error)
    }
}

/// The FEN letter.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(char::from(*self).encode_utf8(&mut [0; 4]))
    }
}
