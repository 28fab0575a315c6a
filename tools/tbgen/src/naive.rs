//! Positions with short-range pieces, and a move generator that looks at one square after the other. It shares no code
//! with the one that makes tables.

use std::collections::BTreeSet;

use tbindex::bitbase::Walk;
use tbindex::{Color, Fen, FenError, File, PieceType, Position, Rank, Square};

use crate::cast::{Cast, Endgame, EndgameError, Letters};
use crate::error::ProbeError;
use crate::library::Library;
use crate::table::Table;
use crate::value::Value;
use crate::verify::{Sample, VerifyError, for_each_position, implied};

/// A legal position, perhaps with short-range pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortRangeBoard {
    position: Position,
    cast: Cast,
}

/// A legal move.
#[derive(Clone, Debug)]
pub struct ShortRangeMove {
    /// The squares from and to, `a1b2`.
    pub name: String,
    /// Whether the move is a capture.
    pub capture: bool,
    /// The position after the move.
    pub after: ShortRangeBoard,
}

/// Why a FEN is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// A letter on the board is unknown.
    #[error("the board has a {0:?}: expected K, Q, R, B, N, or a letter that --piece gives")]
    Letter(char),
    /// A letter is given, and no piece on the board has it.
    #[error("there is no piece {0} on the board")]
    Unused(char),
    /// The pieces have no table.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// The rest of the FEN is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The position has rights that tables don't know.
    #[error("the FEN has castling or en-passant rights, which short-range tables don't know")]
    Rights,
    /// The position is not legal.
    #[error("the position is not legal: the side not to move is in check, or the kings touch")]
    Illegal,
}

const KING: [(i8, i8); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [(i8, i8); 8] = [
    (-2, -1),
    (-2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
    (2, -1),
    (2, 1),
];

fn offset(from: Square, (files, ranks): (i8, i8)) -> Option<Square> {
    let (file, rank) = (from.file() as i8 + files, from.rank() as i8 + ranks);
    let inside = (0..8).contains(&file) && (0..8).contains(&rank);
    inside.then(|| Square::at(File::new(file as u8), Rank::new(rank as u8)))
}

impl ShortRangeBoard {
    /// The position in letters of a cast, if it is legal.
    #[must_use]
    pub fn new(position: Position, cast: Cast) -> Option<ShortRangeBoard> {
        let board = ShortRangeBoard { position, cast };
        let [white, black] = Color::ALL.map(|color| board.king(color));
        let (white, black) = (white?, black?);
        let touch = KING.iter().any(|&step| offset(white, step) == Some(black));
        (!touch && !board.is_check(!position.side)).then_some(board)
    }

    /// Reads a FEN in which letters stand for short-range pieces.
    ///
    /// # Errors
    /// If it is no FEN of a legal position of 3 to 5 pieces without pawns.
    pub fn parse(fen: &str, letters: &Letters) -> Result<ShortRangeBoard, BoardError> {
        let (board, rest) = fen.trim().split_once(' ').unwrap_or((fen.trim(), ""));
        let (mut men, mut used) = (Vec::new(), BTreeSet::new());
        for letter in board.chars().filter(|c| c.is_alphabetic()) {
            let walk = letters.walk(letter).ok_or(BoardError::Letter(letter))?;
            let color = match letter.is_uppercase() {
                true => Color::White,
                false => Color::Black,
            };
            used.insert(letter.to_ascii_uppercase());
            men.push((color, walk));
        }
        if let Some(letter) = letters.unused(&used) {
            return Err(BoardError::Unused(letter));
        }
        let cast = Endgame::of(&men)?.cast;
        // The same FEN with the letters of the cast.
        let board: String = board
            .chars()
            .map(|c| match letters.walk(c).and_then(|walk| cast.kind(walk)) {
                Some(kind) if c.is_uppercase() => kind.letter().to_ascii_uppercase(),
                Some(kind) => kind.letter().to_ascii_lowercase(),
                None => c,
            })
            .collect();
        let fen: Fen = format!("{board} {rest}").parse()?;
        if fen.has_rights() {
            return Err(BoardError::Rights);
        }
        ShortRangeBoard::new(fen.position, cast).ok_or(BoardError::Illegal)
    }

    /// The position, in the letters of its cast.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What the letters stand for.
    #[must_use]
    pub fn cast(&self) -> Cast {
        self.cast
    }

    /// The pieces that are there.
    ///
    /// # Errors
    /// None, as a legal position has one king a side.
    pub fn endgame(&self) -> Result<Endgame, ProbeError> {
        Ok(Endgame {
            material: self.position.material()?,
            cast: self.cast,
        })
    }

    fn king(&self, color: Color) -> Option<Square> {
        let mut pieces = self.position.occupied();
        let king = pieces.find(|(piece, _)| piece.kind == PieceType::King && piece.color == color);
        king.map(|(_, square)| square)
    }

    /// The squares that the piece on a square attacks.
    fn attacks(&self, from: Square) -> Vec<Square> {
        let Some(piece) = self.position.board[from.index()] else {
            return Vec::new();
        };
        let forwards = if piece.color == Color::White { 1 } else { -1 };
        let leaps = |steps: &[(i8, i8)]| -> Vec<Square> {
            steps
                .iter()
                .filter_map(|&step| offset(from, step))
                .collect()
        };
        let slides = |straight: bool, diagonal: bool| -> Vec<Square> {
            let mut all = Vec::new();
            let rays = KING.iter().filter(|&&(files, ranks)| match files * ranks {
                0 => straight,
                _ => diagonal,
            });
            for &ray in rays {
                let mut at = from;
                while let Some(next) = offset(at, ray) {
                    all.push(next);
                    if self.position.board[next.index()].is_some() {
                        break;
                    }
                    at = next;
                }
            }
            all
        };
        match self.cast.walk(piece.kind) {
            Walk::Leaper(leaper) => {
                let steps = leaper
                    .steps()
                    .map(|step| (step.files, forwards * step.ranks));
                leaps(&steps.collect::<Vec<_>>())
            }
            Walk::Chess(PieceType::King) => leaps(&KING),
            Walk::Chess(PieceType::Knight) => leaps(&KNIGHT),
            Walk::Chess(PieceType::Queen) => slides(true, true),
            Walk::Chess(PieceType::Rook) => slides(true, false),
            Walk::Chess(PieceType::Bishop) => slides(false, true),
            Walk::Chess(PieceType::Pawn) => Vec::new(),
        }
    }

    /// Whether the king of a side is attacked.
    #[must_use]
    pub fn is_check(&self, side: Color) -> bool {
        let king = self.king(side);
        let mut pieces = self.position.occupied();
        pieces.any(|(piece, square)| {
            piece.color != side && self.attacks(square).into_iter().any(|to| Some(to) == king)
        })
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<ShortRangeMove> {
        let side = self.position.side;
        let mut all = Vec::new();
        for (piece, from) in self
            .position
            .occupied()
            .filter(|(piece, _)| piece.color == side)
        {
            for to in self.attacks(from) {
                let taken = self.position.board[to.index()];
                if taken.is_some_and(|taken| taken.color == side) {
                    continue;
                }
                let mut after = Position {
                    side: !side,
                    ..self.position
                };
                after.board[from.index()] = None;
                after.board[to.index()] = Some(piece);
                if let Some(after) = ShortRangeBoard::new(after, self.cast) {
                    all.push(ShortRangeMove {
                        name: format!("{from}{to}"),
                        capture: taken.is_some(),
                        after,
                    });
                }
            }
        }
        all
    }
}

/// Checks that every value of a table is the one that the position's legal moves imply, by the generator of this file.
/// The smaller tables in the library are in the letters of the table's cast. Returns the number of legal positions that
/// were checked.
///
/// # Errors
/// If a value is wrong (the error has one such position), or if a table is missing to which captures lead.
pub fn verify_short_range(
    table: &Table,
    library: &Library,
    sample: Sample,
) -> Result<u64, VerifyError> {
    let cast = table.shape().cast();
    let letters = Letters::for_leapers(&table.shape().endgame().leapers());
    for_each_position(table, sample, |slot, position| {
        let found = table.value_at(slot).map_err(ProbeError::from)?;
        let fen = || letters.fen(position, cast);
        let Some(board) = ShortRangeBoard::new(*position, cast) else {
            return if found == Value::DRAW {
                Ok(false)
            } else {
                Err(VerifyError::IllegalValue(fen()))
            };
        };
        let mut children = Vec::new();
        for step in board.moves() {
            let position = step.after.position();
            let value = match step.capture {
                false => table.value(position)?,
                true => library.value(position)?,
            };
            children.push((value, step.capture));
        }
        let check = board.is_check(position.side);
        let expected = implied(table.metric(), check, children);
        if expected == found {
            return Ok(true);
        }
        Err(VerifyError::Value {
            position: fen(),
            found,
            expected: expected.to_string(),
            source_name: "what its moves lead to",
        })
    })
}
