//! Positions of chess and with short-range pieces, as a game has them.

use std::sync::Arc;

use syzygy_tables::batch::PackedBoard;
use tbindex::{CastlingRights, Color, EpdLine, Fen, Piece, PieceType, Position, Rights, Square};

use crate::chess::board::{Board, MOST};
use crate::chess::cozy::{color_of, men_of, pack, square_of};
use crate::chess::error::{BoardError, IllegalReason};
use crate::chess::piece_set::{Endgame, Letters, PieceSet};

/// A legal position, perhaps with short-range pieces, with castling rights, the right to capture en passant, if a legal move uses
/// it, the fifty-move counter and the number of the move.
#[derive(Clone, Debug)]
pub struct GamePosition {
    board: Board,
    /// The letters of the FEN, if some stand for short-range pieces.
    letters: Option<Arc<Letters>>,
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
    /// Whether the move is a capture en passant.
    pub en_passant: bool,
    /// Whether the move is a capture or a move of a pawn.
    pub zeroing: bool,
    /// The position after the move.
    pub after: GamePosition,
}

/// A position of a batch, with a counter of 0, at move 1.
///
/// # Panics
/// If it is no legal position.
impl From<&PackedBoard> for GamePosition {
    fn from(packed: &PackedBoard) -> GamePosition {
        let board = cozy_chess::Board::from(packed);
        let rank = cozy_chess::Rank::Sixth.relative_to(board.side_to_move());
        let mut position = Position {
            board: [None; 64],
            side: color_of(board.side_to_move()),
        };
        for (piece, square) in men_of(&board) {
            position.board[square.index()] = Some(piece);
        }
        let passed =
            (board.en_passant()).map(|file| square_of(cozy_chess::Square::new(file, rank)));
        GamePosition::new(&position, passed).expect("a legal position")
    }
}

impl GamePosition {
    /// The position of chess with a counter of 0, at move 1, if it is legal and has at most 8 pieces. A pawn that has just made
    /// two steps can be captured on the square `en_passant`, if that is given: it has to be the square that such a pawn has passed.
    #[must_use]
    pub fn new(position: &Position, en_passant: Option<Square>) -> Option<GamePosition> {
        Some(GamePosition {
            board: Board::new(
                position,
                en_passant,
                CastlingRights::default(),
                PieceSet::CHESS,
            )?,
            letters: None,
            counter: 0,
            move_number: 1,
        })
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
        let line = EpdLine::from(fen);
        let board = match letters.is_empty() {
            true => chess_board(&Fen::try_from(line)?.with_rights(rights)?)?,
            false => short_range_board(fen, letters)?,
        };
        let (counter, move_number) = line.counters()?;
        Ok(GamePosition {
            board,
            letters: (!letters.is_empty()).then(|| Arc::new(letters.clone())),
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
        if !self.castling().is_empty() {
            return None;
        }
        let (men, side) = (self.board.men().iter().copied(), self.board.side());
        if !self.is_short_range() {
            return pack(men, side, self.board.en_passant());
        }
        // When all short-range pieces are captured, the others are those of chess.
        let endgame = self.endgame();
        let is_chess = endgame.own().piece_set.is_chess();
        let own = endgame.in_own_letters(&self.position());
        is_chess.then(|| pack(own.occupied(), side, None)).flatten()
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

    /// Whether letters stand for short-range pieces.
    pub(crate) fn is_short_range(&self) -> bool {
        self.letters.is_some()
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// The pieces on their squares, in the letters of the [endgame](GamePosition::endgame).
    #[must_use]
    pub fn position(&self) -> Position {
        self.board.position()
    }

    /// The pieces that are there.
    #[must_use]
    pub fn endgame(&self) -> Endgame {
        self.board.endgame()
    }

    /// Whether no sequence of moves leads to a checkmate by either side, of the pieces alone: two kings, one minor piece
    /// more, or bishops that all stand on squares of one colour.
    #[must_use]
    pub fn is_insufficient(&self) -> bool {
        let men = self.board.men().iter();
        !self.is_short_range() && is_insufficient(men.map(|&(piece, square)| (piece.kind, square)))
    }

    /// The position as a FEN, with its counters and castling rights, and with the square on which a pawn can be captured en
    /// passant, if any can.
    #[must_use]
    pub fn fen(&self) -> String {
        let position = self.position();
        let fen = match &self.letters {
            None => {
                let passed = self.board.en_passant();
                let square = passed.map_or_else(|| "-".to_owned(), |square| square.to_string());
                let rights = format!(" {} {square} ", self.castling());
                position.to_string().replace(" - - ", &rights)
            }
            Some(letters) => letters.fen(&position, self.board.piece_set()),
        };
        let placed = fen.strip_suffix("0 1").unwrap_or(&fen);
        format!("{placed}{} {}", self.counter, self.move_number)
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.board.in_check()
    }

    /// The castling rights.
    #[must_use]
    pub fn castling(&self) -> CastlingRights {
        self.board.castling()
    }

    /// Whether there is a legal move.
    #[must_use]
    pub fn can_move(&self) -> bool {
        self.board.can_move()
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let black_moves = self.board.side() == Color::Black;
        let move_number = (self.move_number).saturating_add(u32::from(black_moves));
        let moves = self.board.moves().map(|step| {
            let zeroing = step.zeroing();
            let next = EpdLine::MOST_PLIES.min(self.counter + 1);
            Move {
                piece: step.piece,
                from: step.from,
                to: step.to,
                promotion: step.promotion,
                capture: step.capture,
                en_passant: step.en_passant,
                zeroing,
                after: GamePosition {
                    board: step.after,
                    letters: self.letters.clone(),
                    counter: if zeroing { 0 } else { next },
                    move_number,
                },
            }
        });
        moves.collect()
    }

    /// The letter of a piece.
    pub(super) fn letter(&self, piece: PieceType) -> char {
        match &self.letters {
            None => char::from(piece),
            Some(letters) => letters.letter(self.board.piece_set().walk(piece)),
        }
    }
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
fn chess_board(fen: &Fen) -> Result<Board, BoardError> {
    let &Fen {
        position,
        castling,
        en_passant,
    } = fen;
    let count = position.occupied().count();
    if count > MOST {
        return Err(BoardError::Count(count));
    }
    if castling.chess960 {
        return Err(BoardError::Chess960);
    }
    let board = |en_passant| Board::new(&position, en_passant, castling, PieceSet::CHESS);
    // A pawn that passed the square may have left its king in check.
    if let Some(board) = board(en_passant).or_else(|| board(None)) {
        return Ok(board);
    }
    position.material()?;
    Err(BoardError::Illegal(IllegalReason::of(&position)))
}

/// The board of a FEN of 3 to 5 pieces without pawns, in which letters stand for short-range pieces.
fn short_range_board(fen: &str, letters: &Letters) -> Result<Board, BoardError> {
    let (board, rest) = fen.trim().split_once(' ').unwrap_or((fen.trim(), ""));
    let color = |letter: char| match letter.is_uppercase() {
        true => Color::White,
        false => Color::Black,
    };
    let mut men = Vec::new();
    for letter in board.chars().filter(|c| c.is_alphabetic()) {
        let walk = letters.walk(letter).ok_or(BoardError::Letter(letter))?;
        men.push((color(letter), walk));
    }
    if let Some(letter) = letters.unused(board) {
        return Err(BoardError::Unused(letter));
    }
    let piece_set = Endgame::of(&men)?.piece_set;
    // The same FEN with the letters of the piece set.
    let own = |letter: char| {
        let kind = letters.walk(letter).and_then(|walk| piece_set.kind(walk));
        kind.map_or(letter, |kind| char::from(Piece::new(color(letter), kind)))
    };
    let board: String = board.chars().map(own).collect();
    let fen: Fen = format!("{board} {rest}").parse()?;
    if !fen.castling.is_empty() || fen.en_passant.is_some() {
        return Err(BoardError::Rights);
    }
    Board::new(&fen.position, None, CastlingRights::default(), piece_set)
        .ok_or_else(|| BoardError::Illegal(IllegalReason::of(&fen.position)))
}
