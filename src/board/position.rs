//! Positions, and the FEN and EPD lines they are written in.

use std::fmt;
use std::str::FromStr;

use super::{
    CastlingRights, Color, EpdLine, File, Material, MaterialError, Piece, PieceType, Rank, Square,
};

/// The piece on each square, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The piece on each square, by the square's number.
    pub board: [Option<Piece>; 64],
    /// The side to move.
    pub side: Color,
}

impl Position {
    /// The occupied squares, each after the piece on it, in the order of the squares' numbers.
    pub fn occupied(&self) -> impl Iterator<Item = (Piece, Square)> + '_ {
        Square::all().filter_map(|square| self.board[square.index()].map(|p| (p, square)))
    }

    /// The board as the first field of a FEN: `8/8/8/8/8/8/8/K1k5`.
    #[must_use]
    pub fn placement(&self) -> String {
        let mut text = String::new();
        for (k, rank) in self.board.chunks(8).rev().enumerate() {
            if k > 0 {
                text.push('/');
            }
            for run in rank.chunk_by(|a, b| a.is_none() && b.is_none()) {
                text.push(match run[0] {
                    Some(piece) => char::from(piece),
                    None => char::from(b'0' + run.len() as u8),
                });
            }
        }
        text
    }

    /// The material on the board.
    ///
    /// # Errors
    /// If a side does not have exactly one king, or there are more than 21 pieces.
    pub fn material(&self) -> Result<Material, MaterialError> {
        Material::from_pieces(self.occupied().map(|(piece, _)| piece))
    }

    /// This position, or with colours exchanged if its material is not [normal](Material::normal): the position that tables
    /// are made for, as they have the stronger side white.
    ///
    /// ```
    /// use tbindex::Fen;
    /// let fen: Fen = "8/8/8/8/8/1k6/7r/K7 b - -".parse()?;
    /// assert_eq!(fen.position.normal()?.to_string(), "k7/7R/1K6/8/8/8/8/8 w - - 0 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no [material](Position::material).
    pub fn normal(&self) -> Result<Position, MaterialError> {
        let material = self.material()?;
        let swaps = material.normal() != material;
        Ok(if swaps { self.swap_colors() } else { *self })
    }

    /// The same position seen from the other side: colours exchanged, board turned upside down, the
    /// other side to move.
    #[must_use]
    pub fn swap_colors(&self) -> Position {
        let mut board = [None; 64];
        for (piece, square) in self.occupied() {
            board[usize::from(square.number() ^ 0o70)] = Some(piece.swap_color());
        }
        Position {
            board,
            side: !self.side,
        }
    }
}

/// A FEN without castling rights and en passant: `8/8/8/8/8/8/8/K1k5 w - - 0 1`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Color::White => 'w',
            Color::Black => 'b',
        };
        write!(f, "{} {side} - - 0 1", self.placement())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A line of FEN or EPD: a position and its rights. The text after the fourth field is not read, of which [`EpdLine`] has the
/// counters and operations; a missing third or fourth field counts as `-`.
///
/// ```
/// use tbindex::Fen;
/// let fen: Fen = "8/8/8/8/8/8/1Q6/K6k b - - dm 3;".parse()?;
/// assert_eq!(fen.position.material()?.to_string(), "KQvK");
/// assert!(fen.castling.is_empty() && fen.en_passant.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fen {
    /// The board and the side to move.
    pub position: Position,
    /// The castling rights that are given, whatever stands on the squares of king and rook.
    pub castling: CastlingRights,
    /// The en-passant square, if one is given.
    pub en_passant: Option<Square>,
}

/// Why a line is no FEN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The board does not have eight ranks.
    #[error("the board has {found} ranks between slashes: expected 8")]
    Ranks {
        /// The number of ranks that was found.
        found: usize,
    },
    /// A rank does not have eight squares.
    #[error("rank {} has {found} squares: expected 8", rank.digit())]
    RankLength {
        /// The rank.
        rank: Rank,
        /// The number of squares that it has.
        found: usize,
    },
    /// A character on the board is neither a piece nor a number of empty squares.
    #[error("rank {} has {letter:?}: expected a piece KQRBNPkqrbnp or a number 1-8", rank.digit())]
    Letter {
        /// The rank.
        rank: Rank,
        /// The character.
        letter: char,
    },
    /// Two numbers of empty squares stand side by side.
    #[error("rank {} has two numbers side by side: expected their sum", rank.digit())]
    Numbers {
        /// The rank.
        rank: Rank,
    },
    /// A pawn stands on the first or the last rank.
    #[error("a pawn stands on {square}: expected pawns on ranks 2 to 7")]
    PawnOnBackRank {
        /// Its square.
        square: Square,
    },
    /// The second field is neither `w` nor `b`.
    #[error("the side to move is {found:?}: expected w or b")]
    Side {
        /// The field; empty where the line ended.
        found: String,
    },
    /// The third field is no set of castling rights.
    #[error("the castling rights are {found:?}: expected - or letters of KQkq")]
    Castling {
        /// The field.
        found: String,
    },
    /// There are rights, and they are [refused](super::Rights::Refuse).
    #[error("there are castling rights or an en-passant square: expected none")]
    Rights,
    /// The fourth field is no square that a pawn of the other side may just have passed.
    #[error(
        "the en-passant square is {found:?}: expected - or a square of rank 6 with white to move, of rank 3 with black"
    )]
    EnPassant {
        /// The field.
        found: String,
    },
    /// The fifty-move counter is wrong.
    #[error(
        "the fifty-move counter is {found:?}: expected 0 to {} plies",
        EpdLine::MOST_PLIES
    )]
    Counter {
        /// The text in its place.
        found: String,
    },
    /// The number of the move is wrong.
    #[error("the number of the move is {found:?}: expected one such as 1")]
    MoveNumber {
        /// The text in its place.
        found: String,
    },
    /// There is something behind the number of the move.
    #[error(
        "there is {found:?} after the number of the move: expected the end, or operations that end with semicolons"
    )]
    Rest {
        /// The first word of it.
        found: String,
    },
    /// Nobody can tell what belongs to an open quote.
    #[error("a quote of its operations is not closed: expected a \" before the end")]
    Quote,
}

fn parse_board(text: &str) -> Result<[Option<Piece>; 64], FenError> {
    let mut board = [None; 64];
    let found = text.split('/').count();
    if found != 8 {
        return Err(FenError::Ranks { found });
    }
    for (row, rank) in text.split('/').zip(Rank::ALL.into_iter().rev()) {
        let mut file = 0usize;
        let mut after_number = false;
        for letter in row.chars() {
            let is_number = matches!(letter, '1'..='8');
            if is_number && after_number {
                return Err(FenError::Numbers { rank });
            }
            after_number = is_number;
            match (letter, Piece::of_letter(letter)) {
                ('1'..='8', _) => file += letter as usize - '0' as usize,
                (_, Some(piece)) => {
                    if let Some(&at) = File::ALL.get(file) {
                        let square = Square::at(at, rank);
                        if piece.kind == PieceType::Pawn
                            && matches!(rank, Rank::First | Rank::Eighth)
                        {
                            return Err(FenError::PawnOnBackRank { square });
                        }
                        board[square.index()] = Some(piece);
                    }
                    file += 1;
                }
                _ => return Err(FenError::Letter { rank, letter }),
            }
        }
        if file != 8 {
            return Err(FenError::RankLength { rank, found: file });
        }
    }
    Ok(board)
}

impl FromStr for Fen {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Fen, FenError> {
        EpdLine::from(text).try_into()
    }
}

impl TryFrom<EpdLine<'_>> for Fen {
    type Error = FenError;

    fn try_from(line: EpdLine<'_>) -> Result<Fen, FenError> {
        let [board, side, castling, en_passant] = line.fields;
        let board = parse_board(board)?;
        let side = match side {
            "w" => Color::White,
            "b" => Color::Black,
            other => {
                return Err(FenError::Side {
                    found: other.to_owned(),
                });
            }
        };
        let castling = castling.parse()?;
        let passed = match side {
            Color::White => Rank::Sixth,
            Color::Black => Rank::Third,
        };
        let en_passant = match en_passant {
            "-" => None,
            text => match text.parse::<Square>() {
                Ok(square) if square.rank() == passed => Some(square),
                _ => {
                    return Err(FenError::EnPassant {
                        found: text.to_owned(),
                    });
                }
            },
        };
        Ok(Fen {
            position: Position { board, side },
            castling,
            en_passant,
        })
    }
}
