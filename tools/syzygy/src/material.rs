//! Which pieces a table is about, and its name.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::str::FromStr;

use cozy_chess::{Board, Color, Piece};

/// The most pieces of a table, kings included.
pub const MOST_PIECES: usize = 7;

/// The kinds of pieces in the order of names.
pub(crate) const NAME_ORDER: [Piece; 6] = [
    Piece::King,
    Piece::Queen,
    Piece::Rook,
    Piece::Bishop,
    Piece::Knight,
    Piece::Pawn,
];

/// A piece with its colour, as files write it: pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6, and 8 more for
/// a black piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColoredPiece(u8);

impl ColoredPiece {
    /// The piece of that colour and kind.
    #[must_use]
    pub const fn new(color: Color, piece: Piece) -> ColoredPiece {
        ColoredPiece(piece as u8 + 1 + 8 * color as u8)
    }

    /// The piece that has a code, or `None` if the code is none of a piece.
    #[must_use]
    pub const fn from_code(code: u8) -> Option<ColoredPiece> {
        if code < 16 && code & 7 >= 1 && code & 7 <= 6 {
            Some(ColoredPiece(code))
        } else {
            None
        }
    }

    /// The code, 1 to 14.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The colour.
    #[must_use]
    pub const fn color(self) -> Color {
        if self.0 < 8 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// The piece, or the like one of the other colour.
    pub(crate) fn turned(self, exchanged: bool) -> ColoredPiece {
        ColoredPiece(self.0 ^ u8::from(exchanged) << 3)
    }

    /// The kind.
    #[must_use]
    pub const fn piece(self) -> Piece {
        match self.0 & 7 {
            1 => Piece::Pawn,
            2 => Piece::Knight,
            3 => Piece::Bishop,
            4 => Piece::Rook,
            5 => Piece::Queen,
            _ => Piece::King,
        }
    }
}

/// The letter of the kind, upper case for white.
impl fmt::Debug for ColoredPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = self.piece().to_string();
        match self.color() {
            Color::White => f.write_str(&letter.to_uppercase()),
            Color::Black => f.write_str(&letter),
        }
    }
}

/// The reason why a text is no name of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no material of 3 to 7 pieces, such as KQRvKB")]
pub struct MaterialError {
    name: String,
}

/// The pieces of a table: those of the first side, which the table calls white, and those of the second.
///
/// The first side is the one with more pieces, or with equal numbers the one whose name comes first in the order
/// K Q R B N P. So [`Material::of`] says whether a position has its colours the other way round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Material {
    /// Four bits for the number of each kind: king highest, pawn lowest. Above them the number of all.
    sides: [u32; 2],
}

/// In one word: what both sides have beside kings takes forty bits.
impl Hash for Material {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.sides[0]) << 20 ^ u64::from(self.sides[1]));
    }
}

/// Values of materials.
pub(crate) type MaterialMap<V> = HashMap<Material, V, BuildHasherDefault<MaterialHasher>>;

/// One multiplication mixes the word of a material enough, in the upper bits of the product.
#[derive(Default)]
pub(crate) struct MaterialHasher(u64);

impl Hasher for MaterialHasher {
    fn finish(&self) -> u64 {
        self.0.rotate_left(20)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

const KIND_BITS: u32 = 4;
const TOTAL_SHIFT: u32 = 6 * KIND_BITS;

const fn kind_shift(piece: Piece) -> u32 {
    piece as u32 * KIND_BITS
}

impl Material {
    /// The material that has these numbers of pieces, and whether its colours are exchanged; kings not counted.
    pub(crate) fn of_counts(mut count: impl FnMut(Color, Piece) -> u32) -> (Material, bool) {
        let mut side = |color| {
            let king = 1 << TOTAL_SHIFT | 1 << kind_shift(Piece::King);
            NAME_ORDER[1..].iter().fold(king, |side, &piece| {
                let count = count(color, piece);
                side + (count << TOTAL_SHIFT) + (count << kind_shift(piece))
            })
        };
        let sides = [side(Color::White), side(Color::Black)];
        let exchanged = sides[0] < sides[1];
        let sides = if exchanged {
            [sides[1], sides[0]]
        } else {
            sides
        };
        (Material { sides }, exchanged)
    }

    /// The material of a position, and whether the position's black is the table's white.
    ///
    /// The position may have any number of pieces; there are tables for 3 to 7.
    #[must_use]
    pub fn of(board: &Board) -> (Material, bool) {
        Material::of_counts(|color, piece| board.colored_pieces(color, piece).len())
    }

    /// The material of a list of pieces, and whether its black is the table's white; `None` if there are not two
    /// kings and one to five other pieces.
    pub fn of_pieces(pieces: impl IntoIterator<Item = ColoredPiece>) -> Option<(Material, bool)> {
        let mut counts = [[0u32; 6]; 2];
        let mut all = 0;
        for piece in pieces {
            counts[piece.color() as usize][piece.piece() as usize] += 1;
            all += 1;
        }
        let kings = counts.map(|side| side[Piece::King as usize]);
        ((3..=MOST_PIECES).contains(&all) && kings == [1, 1])
            .then(|| Material::of_counts(|color, piece| counts[color as usize][piece as usize]))
    }

    /// The number of pieces of a colour and kind. White is the first side.
    #[must_use]
    pub const fn count(&self, color: Color, piece: Piece) -> usize {
        (self.sides[color as usize] >> kind_shift(piece) & 15) as usize
    }

    /// The number of all pieces, kings included.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always kings")]
    pub const fn len(&self) -> usize {
        ((self.sides[0] >> TOTAL_SHIFT) + (self.sides[1] >> TOTAL_SHIFT)) as usize
    }

    /// Whether both sides have the same pieces.
    #[must_use]
    pub const fn is_symmetric(&self) -> bool {
        self.sides[0] == self.sides[1]
    }

    /// The sides to move of positions that differ: if both have the same pieces, white's alone.
    #[must_use]
    pub const fn sides_to_move(&self) -> &'static [Color] {
        match self.is_symmetric() {
            true => &[Color::White],
            false => &[Color::White, Color::Black],
        }
    }

    /// The files of leading pawns that have sub-tables; without pawns `None` alone.
    pub(crate) fn leading_files(&self) -> Vec<Option<u8>> {
        match self.has_pawns() {
            true => (0..4).map(Some).collect(),
            false => vec![None],
        }
    }

    /// Whether there are pawns.
    #[must_use]
    pub const fn has_pawns(&self) -> bool {
        self.count(Color::White, Piece::Pawn) + self.count(Color::Black, Piece::Pawn) > 0
    }

    /// The colour of the leading pawns, those that choose the sub-table: the side with fewer pawns but at least
    /// one, white with equal numbers. `None` without pawns.
    #[must_use]
    pub const fn leading_color(&self) -> Option<Color> {
        let white = self.count(Color::White, Piece::Pawn);
        let black = self.count(Color::Black, Piece::Pawn);
        match (white, black) {
            (0, 0) => None,
            (0, _) => Some(Color::Black),
            (_, 0) => Some(Color::White),
            _ if black < white => Some(Color::Black),
            _ => Some(Color::White),
        }
    }

    /// The pieces in the order of the name: white's king, queens, rooks, bishops, knights and pawns, then black's.
    pub fn pieces(&self) -> impl Iterator<Item = ColoredPiece> + '_ {
        [Color::White, Color::Black]
            .into_iter()
            .flat_map(move |color| {
                NAME_ORDER.into_iter().flat_map(move |piece| {
                    std::iter::repeat_n(ColoredPiece::new(color, piece), self.count(color, piece))
                })
            })
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut color = Color::White;
        for piece in self.pieces() {
            if piece.color() != color {
                color = piece.color();
                f.write_str("v")?;
            }
            write!(f, "{}", piece.piece().to_string().to_uppercase())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads a name. The sides and the pieces of a side may stand in any order.
impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(name: &str) -> Result<Material, MaterialError> {
        let parse = || {
            let (white, black) = name.split_once('v')?;
            let side = |letters: &str, color| {
                letters
                    .chars()
                    .map(|letter| {
                        let piece = NAME_ORDER["KQRBNP".find(letter)?];
                        Some(ColoredPiece::new(color, piece))
                    })
                    .collect::<Option<Vec<_>>>()
            };
            let mut pieces = side(white, Color::White)?;
            pieces.extend(side(black, Color::Black)?);
            Some(Material::of_pieces(pieces)?.0)
        };
        parse().ok_or_else(|| MaterialError {
            name: name.to_string(),
        })
    }
}
