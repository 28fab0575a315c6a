//! Castling rights, and the ways to treat the rights of a FEN: keep, drop or refuse them.

use std::fmt;
use std::str::FromStr;

use super::{
    Color, Fen, FenError, File, Piece, PieceType, Position, Rank, Square, print_names, read_names,
};

/// The castling rights of a FEN, by default none: whether each side may castle on the king's side and on the queen's, whatever stands there.
///
/// ```
/// use tbindex::{CastlingRights, Color, Fen};
/// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w KQ -".parse()?;
/// assert_eq!(fen.castling.to_string(), "KQ");
/// // No rook is on a1.
/// assert_eq!(fen.castling.possible(&fen.position).to_string(), "K");
/// # Ok::<(), tbindex::FenError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights {
    /// Of White and of Black, on the king's side, with the rook of the h-file.
    pub king_side: [bool; 2],
    /// Of White and of Black, on the queen's side, with the rook of the a-file.
    pub queen_side: [bool; 2],
    /// Whether there is a right with a rook of another file, as Chess960 has.
    pub chess960: bool,
}

impl CastlingRights {
    /// Whether there is no right.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == CastlingRights::default()
    }

    /// The rights whose king stands on the e-file and whose rook stands in the corner, both on their first rank.
    #[must_use]
    pub fn possible(self, position: &Position) -> CastlingRights {
        let stands = |color, kind, file| {
            let rank = match color {
                Color::White => Rank::First,
                Color::Black => Rank::Eighth,
            };
            position.board[Square::at(file, rank).index()] == Some(Piece::new(color, kind))
        };
        let able = |rights: [bool; 2], file| {
            Color::ALL.map(|color| {
                rights[color as usize]
                    && stands(color, PieceType::King, File::E)
                    && stands(color, PieceType::Rook, file)
            })
        };
        CastlingRights {
            king_side: able(self.king_side, File::H),
            queen_side: able(self.queen_side, File::A),
            chess960: self.chess960,
        }
    }
}

/// Rights as FEN, X-FEN and Shredder-FEN write them: `-`, or letters of files or KQ, each once.
impl FromStr for CastlingRights {
    type Err = FenError;

    fn from_str(text: &str) -> Result<CastlingRights, FenError> {
        let mut rights = CastlingRights::default();
        if text == "-" {
            return Ok(rights);
        }
        let twice = |(at, letter): (usize, char)| text[..at].contains(letter);
        if text.is_empty() || text.len() > 4 || text.char_indices().any(twice) {
            let found = text.to_owned();
            return Err(FenError::Castling { found });
        }
        for letter in text.chars() {
            let color = match letter.is_ascii_uppercase() {
                true => Color::White,
                false => Color::Black,
            };
            match letter.to_ascii_uppercase() {
                'K' | 'H' => rights.king_side[color as usize] = true,
                'Q' | 'A' => rights.queen_side[color as usize] = true,
                'B'..='G' => rights.chess960 = true,
                _ => {
                    let found = text.to_owned();
                    return Err(FenError::Castling { found });
                }
            }
        }
        Ok(rights)
    }
}

/// `KQkq`, `K`, `-`. Rights of Chess960 are left out.
impl fmt::Display for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [white_king, black_king] = self.king_side;
        let [white_queen, black_queen] = self.queen_side;
        let all = [
            (white_king, "K"),
            (white_queen, "Q"),
            (black_king, "k"),
            (black_queen, "q"),
        ];
        let mut any = false;
        for (_, letter) in all.into_iter().filter(|right| right.0) {
            any = true;
            f.write_str(letter)?;
        }
        if any { Ok(()) } else { f.write_str("-") }
    }
}

/// A way to treat the castling rights and the en-passant square of a FEN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rights {
    /// Rights that can be are kept, and the others are dropped: castling without its king or rook, and a square that no pawn can
    /// just have passed.
    #[default]
    Keep,
    /// All are dropped.
    Drop,
    /// Any right is an error.
    Refuse,
}

impl Rights {
    /// All three, in the order of their names.
    const ALL: [Rights; 3] = [Rights::Keep, Rights::Drop, Rights::Refuse];

    /// The name: `keep`, `drop` or `refuse`.
    const fn name(self) -> &'static str {
        ["keep", "drop", "refuse"][self as usize]
    }
}

print_names!(Rights);
read_names!(Rights, "way with rights");

impl Fen {
    /// The same position with the rights that are left.
    ///
    /// ```
    /// use tbindex::{Fen, Rights};
    /// let fen: Fen = "4k3/8/8/8/4P3/8/8/4K2R b KQkq d3".parse()?;
    /// let kept = fen.clone().with_rights(Rights::Keep)?;
    /// assert_eq!((kept.castling.to_string(), kept.en_passant), ("K".to_owned(), None));
    /// assert!(fen.with_rights(Rights::Refuse).is_err());
    /// # Ok::<(), tbindex::FenError>(())
    /// ```
    ///
    /// # Errors
    /// If rights are [refused](Rights::Refuse), and there is one.
    pub fn with_rights(self, rights: Rights) -> Result<Fen, FenError> {
        let Fen {
            position,
            castling,
            en_passant,
        } = self;
        let (castling, en_passant) = match rights {
            Rights::Keep => {
                let passed = en_passant.filter(|&square| was_passed(&position, square));
                (castling.possible(&position), passed)
            }
            Rights::Drop => (CastlingRights::default(), None),
            Rights::Refuse if castling.is_empty() && en_passant.is_none() => (castling, None),
            Rights::Refuse => return Err(FenError::Rights),
        };
        Ok(Fen {
            position,
            castling,
            en_passant,
        })
    }
}

/// Whether a pawn of the side that is not to move can just have passed a square: it stands before it, and the square and the one
/// that the pawn came from are empty.
fn was_passed(position: &Position, square: Square) -> bool {
    let (before, behind) = match position.side {
        Color::White => (Rank::Fifth, Rank::Seventh),
        Color::Black => (Rank::Fourth, Rank::Second),
    };
    let at = |rank| position.board[Square::at(square.file(), rank).index()];
    let pawn = Piece::new(!position.side, PieceType::Pawn);
    at(before) == Some(pawn) && at(behind).is_none() && position.board[square.index()].is_none()
}
