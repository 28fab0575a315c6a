//! Positions of chess and with short-range pieces, as a game has them.

use std::sync::Arc;

use syzygy_tables::batch::PackedBoard;
use tbindex::{CastlingRights, Color, EpdLine, Fen, Material, PieceType, Position, Rights, Square};

use crate::chess::board::{
    BoardError, IllegalReason, castling_of, cozy_color, en_passant_moves, kind_of, men_of,
    position_of, side_of, square_of, to_cozy,
};
use crate::chess::piece_set::{Endgame, Letters, PieceSet};
use crate::chess::short_range_board::ShortRangeBoard;

/// A legal position, perhaps with short-range pieces, with castling rights, the right to capture en passant, if a legal move uses
/// it, the fifty-move counter and the number of the move.
#[derive(Clone, Debug)]
pub struct GamePosition {
    board: Board,
    counter: u16,
    move_number: u32,
}

/// A legal move, and the position after it.
#[derive(Clone, Debug)]
pub struct Move {
    /// The piece that moves. Where letters stand for short-range pieces, it is one of these.
    pub piece: PieceType,
    /// The square that it leaves.
    pub from: Square,
    /// The square that it goes to.
    pub to: Square,
    /// The piece that a pawn becomes.
    pub promotion: Option<PieceType>,
    /// Whether the move is a capture.
    pub capture: bool,
    /// Whether the move is a capture or a move of a pawn.
    pub zeroing: bool,
    /// The position after the move.
    pub after: GamePosition,
}

/// A board with the pieces on their squares.
#[derive(Clone, Debug)]
enum Board {
    Chess(cozy_chess::Board),
    ShortRange(ShortRangeBoard, Arc<Letters>),
}

/// A position of a batch, with a counter of 0, at move 1.
impl From<&PackedBoard> for GamePosition {
    fn from(packed: &PackedBoard) -> GamePosition {
        GamePosition::of_chess(packed.into())
    }
}

impl GamePosition {
    fn of_chess(board: cozy_chess::Board) -> GamePosition {
        GamePosition {
            board: Board::Chess(with_usable_right(board)),
            counter: 0,
            move_number: 1,
        }
    }

    /// The position of chess with a counter of 0, at move 1, if it is legal. A pawn that has just made two steps can be captured
    /// on the square `en_passant`, if that is given: it has to be the square that such a pawn has passed.
    #[must_use]
    pub fn new(position: &Position, en_passant: Option<Square>) -> Option<GamePosition> {
        let board = to_cozy(position, en_passant, CastlingRights::NONE)?;
        Some(GamePosition::of_chess(board))
    }

    /// Reads a FEN or a line of EPD with its [counters](EpdLine::counters), in which letters may stand for short-range pieces.
    /// Rights that can't be are [dropped](Rights::Keep).
    ///
    /// # Errors
    /// If it is no FEN of a legal position with a counter of 0 to 150 plies, or has castling rights of Chess960.
    pub fn parse(fen: &str, letters: &Letters) -> Result<GamePosition, BoardError> {
        GamePosition::parse_with(fen, letters, Rights::Keep)
    }

    /// Reads a FEN, with its rights treated as told.
    ///
    /// # Errors
    /// As of [`parse`](GamePosition::parse), or if there are rights that are refused. With short-range pieces any right is.
    pub fn parse_with(
        fen: &str,
        letters: &Letters,
        rights: Rights,
    ) -> Result<GamePosition, BoardError> {
        let line = EpdLine::new(fen);
        let board = match letters.is_empty() {
            true => {
                let read = Fen::try_from(line)?.with_rights(rights)?;
                Board::Chess(with_usable_right(chess_board(&read)?))
            }
            false => {
                let board = ShortRangeBoard::parse(fen, letters)?;
                Board::ShortRange(board, Arc::new(letters.clone()))
            }
        };
        let (counter, move_number) = line.counters()?;
        Ok(GamePosition {
            board,
            counter,
            move_number,
        })
    }

    /// The same position with another counter, of up to 150 plies.
    ///
    /// # Panics
    /// If the counter is greater.
    #[must_use]
    pub fn with_counter(self, counter: u16) -> GamePosition {
        let most = EpdLine::MOST_PLIES;
        assert!(counter <= most, "the counter is {counter}");
        GamePosition { counter, ..self }
    }

    /// The position as batches take it, or `None` if it has short-range pieces, more than seven men, or castling rights.
    #[must_use]
    pub fn packed(&self) -> Option<PackedBoard> {
        match &self.board {
            Board::Chess(board) => PackedBoard::try_from(board).ok(),
            Board::ShortRange(board, _) => {
                // When all short-range pieces are captured, the others are those of chess.
                let endgame = self.endgame();
                let is_chess = endgame.own().piece_set.is_chess();
                let position = is_chess.then(|| endgame.in_own_letters(&board.position()))?;
                let board = to_cozy(&position, None, CastlingRights::NONE)?;
                PackedBoard::try_from(&board).ok()
            }
        }
    }

    /// The number of plies since the last capture or move of a pawn.
    #[must_use]
    pub fn counter(&self) -> u16 {
        self.counter
    }

    /// The number of the move, which grows after each of Black's.
    #[must_use]
    pub fn move_number(&self) -> u32 {
        self.move_number
    }

    /// The board, if there are no short-range pieces.
    pub(crate) fn chess(&self) -> Option<&cozy_chess::Board> {
        match &self.board {
            Board::Chess(board) => Some(board),
            Board::ShortRange(..) => None,
        }
    }

    /// The pieces on their squares, in the letters of the [endgame](GamePosition::endgame).
    #[must_use]
    pub fn position(&self) -> Position {
        match &self.board {
            Board::Chess(board) => position_of(board),
            Board::ShortRange(board, _) => board.position(),
        }
    }

    /// The pieces that are there.
    ///
    /// # Panics
    /// Never, as a legal position has one king a side.
    #[must_use]
    pub fn endgame(&self) -> Endgame {
        let piece_set = match &self.board {
            Board::Chess(_) => PieceSet::CHESS,
            Board::ShortRange(board, _) => board.piece_set,
        };
        let pieces = self.position();
        let pieces = pieces.occupied().map(|(piece, _)| piece);
        Endgame {
            material: Material::from_pieces(pieces).expect("one king a side"),
            piece_set,
        }
    }

    /// Whether no sequence of moves leads to a checkmate by either side, of the pieces alone: two kings, one minor piece
    /// more, or bishops that all stand on squares of one colour.
    #[must_use]
    pub fn is_insufficient(&self) -> bool {
        self.chess().is_some_and(|board| {
            let men = men_of(board);
            is_insufficient((men.as_slice().iter()).map(|&(piece, square)| (piece.kind, square)))
        })
    }

    /// The position as a FEN, with its counters and castling rights, and with the square on which a pawn can be captured en
    /// passant, if any can.
    #[must_use]
    pub fn fen(&self) -> String {
        let fen = match &self.board {
            Board::Chess(board) => {
                let able = en_passant_moves(board).0.into_iter().next();
                let square = able.map_or_else(|| "-".to_owned(), |step| step.to.to_string());
                let fen = self.position().to_string();
                fen.replace(" - - ", &format!(" {} {square} ", self.castling()))
            }
            Board::ShortRange(board, letters) => letters.fen(&board.position(), board.piece_set),
        };
        let placed = fen.strip_suffix("0 1").unwrap_or(&fen);
        format!("{placed}{} {}", self.counter, self.move_number)
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        match &self.board {
            Board::Chess(board) => !board.checkers().is_empty(),
            Board::ShortRange(board, _) => board.is_check(board.side),
        }
    }

    /// The castling rights.
    #[must_use]
    pub fn castling(&self) -> CastlingRights {
        self.chess().map_or(CastlingRights::NONE, castling_of)
    }

    /// Whether there is a legal move.
    #[must_use]
    pub fn can_move(&self) -> bool {
        match &self.board {
            Board::Chess(board) => board.generate_moves(|_| true),
            Board::ShortRange(board, _) => {
                let mut can_move = false;
                board.for_each_move(|_, _, _| can_move = true);
                can_move
            }
        }
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut all = Vec::new();
        let side = match &self.board {
            Board::Chess(board) => side_of(board),
            Board::ShortRange(board, _) => board.side,
        };
        let move_number = (self.move_number).saturating_add(u32::from(side == Color::Black));
        let mut add = |piece: PieceType, [from, to]: [Square; 2], promotion, capture, board| {
            let zeroing = capture || piece == PieceType::Pawn;
            let next = EpdLine::MOST_PLIES.min(self.counter + 1);
            let counter = if zeroing { 0 } else { next };
            all.push(Move {
                piece,
                from,
                to,
                promotion,
                capture,
                zeroing,
                after: GamePosition {
                    board,
                    counter,
                    move_number,
                },
            });
        };
        match &self.board {
            Board::Chess(board) => {
                board.generate_moves(|moves| {
                    for step in moves {
                        let mut after = board.clone();
                        after.play_unchecked(step);
                        let capture = after.occupied().len() < board.occupied().len();
                        // A king that castles takes its rook there.
                        let castles = board.colors(cozy_color(side)).has(step.to);
                        let to = if castles {
                            after.king(cozy_color(side))
                        } else {
                            step.to
                        };
                        let squares = [step.from, to].map(square_of);
                        let promotion = step.promotion.map(kind_of);
                        let after = Board::Chess(with_usable_right(after));
                        add(kind_of(moves.piece), squares, promotion, capture, after);
                    }
                    false
                });
            }
            Board::ShortRange(board, letters) => board.for_each_move(|piece, squares, after| {
                let capture = after.men().len() < board.men().len();
                let after = Board::ShortRange(after, Arc::clone(letters));
                add(piece, squares, None, capture, after);
            }),
        }
        all
    }

    /// The letter of a piece.
    pub(super) fn letter(&self, piece: PieceType) -> char {
        match &self.board {
            Board::Chess(_) => piece.letter(),
            Board::ShortRange(board, letters) => letters.letter(board.piece_set.walk(piece)),
        }
    }
}

/// The position without a right to capture en passant that no legal move uses.
fn with_usable_right(board: cozy_chess::Board) -> cozy_chess::Board {
    if board.en_passant().is_none() || !en_passant_moves(&board).0.is_empty() {
        return board;
    }
    let mut builder = cozy_chess::BoardBuilder::from_board(&board);
    builder.en_passant = None;
    builder.build().unwrap_or(board)
}

/// Whether no sequence of moves of these men leads to a checkmate: two kings, one minor piece more, or bishops that all stand on
/// squares of one colour.
pub(crate) fn is_insufficient(men: impl Iterator<Item = (PieceType, Square)>) -> bool {
    let (mut minor, mut bishops) = (0, [0; 2]);
    for (kind, square) in men {
        match kind {
            PieceType::King => {}
            PieceType::Bishop => {
                minor += 1;
                bishops[(square.file() as usize + square.rank() as usize) % 2] += 1;
            }
            PieceType::Knight => minor += 1,
            _ => return false,
        }
    }
    minor < 2 || bishops.contains(&minor)
}

/// The board of a FEN, whose rights can be.
fn chess_board(fen: &Fen) -> Result<cozy_chess::Board, BoardError> {
    let &Fen {
        position,
        castling,
        en_passant,
    } = fen;
    let count = position.occupied().count();
    if count > tbindex::bitbase::MOST_PIECES {
        return Err(BoardError::Count(count));
    }
    if castling.chess960 {
        return Err(BoardError::Chess960);
    }
    let board = to_cozy(&position, en_passant, castling);
    // A pawn that passed the square may have left its king in check.
    if let Some(board) = board.or_else(|| to_cozy(&position, None, castling)) {
        return Ok(board);
    }
    position.material()?;
    Err(BoardError::Illegal(IllegalReason::of(&position)))
}
