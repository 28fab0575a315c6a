//! A legal position on the board of a chess library that shares no code with the generator.

use syzygy_tables::ColoredPiece;
use syzygy_tables::batch::PackedBoard;
use tbindex::{
    CastlingRights, Color, FenError, Leaper, MaterialError, Piece, PieceType, Position, Square,
};

use crate::chess::notation::Move;
use crate::chess::piece_set::EndgameError;

/// The most pieces on a board here.
const MOST: usize = tbindex::bitbase::MOST_PIECES;

/// Pieces and their squares, without a board around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Men {
    pub(crate) all: [(Piece, Square); MOST],
    count: usize,
}

impl Men {
    pub(crate) const NONE: Men = Men {
        all: [(Piece::new(Color::White, PieceType::King), Square::A1); MOST],
        count: 0,
    };

    pub(crate) fn push(&mut self, man: (Piece, Square)) {
        self.all[self.count] = man;
        self.count += 1;
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.all[at..self.count].rotate_left(1);
        self.count -= 1;
    }

    pub(crate) fn as_slice(&self) -> &[(Piece, Square)] {
        &self.all[..self.count]
    }

    /// The position that they make.
    pub(crate) fn position(&self, side: Color) -> Position {
        let mut board = [None; 64];
        for &(piece, square) in self.as_slice() {
            board[square.index()] = Some(piece);
        }
        Position { board, side }
    }
}

pub(crate) fn cozy_color(color: Color) -> cozy_chess::Color {
    cozy_chess::Color::ALL[color as usize]
}

/// The other crate has the kinds of pieces in the opposite order.
fn cozy_kind(kind: PieceType) -> cozy_chess::Piece {
    cozy_chess::Piece::ALL[PieceType::Pawn as usize - kind as usize]
}

/// The position on the other crate's board, if it is legal.
pub(crate) fn to_cozy(
    position: &Position,
    en_passant: Option<Square>,
    castling: CastlingRights,
) -> Option<cozy_chess::Board> {
    let mut builder = cozy_chess::BoardBuilder::empty();
    for color in Color::ALL {
        let rights = builder.castle_rights_mut(cozy_color(color));
        rights.short = castling.king_side[color as usize].then_some(cozy_chess::File::H);
        rights.long = castling.queen_side[color as usize].then_some(cozy_chess::File::A);
    }
    builder.side_to_move = cozy_color(position.side);
    builder.en_passant = en_passant.map(|square| cozy_chess::Square::index(square.index()));
    for (piece, square) in position.occupied() {
        let piece = (cozy_kind(piece.kind), cozy_color(piece.color));
        builder.board[square.index()] = Some(piece);
    }
    // The builder accepts kings that touch. That is a check by a king.
    builder.build().ok().filter(|board| {
        let near = cozy_chess::get_king_moves(board.king(cozy_chess::Color::White));
        !near.has(board.king(cozy_chess::Color::Black))
    })
}

pub(crate) fn color_of(color: cozy_chess::Color) -> Color {
    Color::ALL[color as usize]
}

pub(crate) fn kind_of(piece: cozy_chess::Piece) -> PieceType {
    PieceType::ALL[PieceType::Pawn as usize - piece as usize]
}

pub(crate) fn piece_of(piece: ColoredPiece) -> Piece {
    Piece::new(color_of(piece.color()), kind_of(piece.piece()))
}

pub(crate) fn side_of(board: &cozy_chess::Board) -> Color {
    color_of(board.side_to_move())
}

pub(crate) fn men_of(board: &cozy_chess::Board) -> Men {
    let mut men = Men::NONE;
    for color in Color::ALL {
        for kind in PieceType::ALL {
            for square in board.colored_pieces(cozy_color(color), cozy_kind(kind)) {
                let square = Square::from_low_bits(square as u8);
                men.push((Piece::new(color, kind), square));
            }
        }
    }
    men
}

/// The castling rights on a board, which has no others than those of rooks in corners.
pub(crate) fn castling_of(board: &cozy_chess::Board) -> CastlingRights {
    let of = |color| board.castle_rights(cozy_color(color));
    CastlingRights {
        king_side: Color::ALL.map(|color| of(color).short.is_some()),
        queen_side: Color::ALL.map(|color| of(color).long.is_some()),
        chess960: false,
    }
}

/// The position on a board.
pub(crate) fn position_of(board: &cozy_chess::Board) -> Position {
    men_of(board).position(side_of(board))
}

/// Why a position is not legal that has one king of each side, and pawns on ranks 2 to 7 alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalReason {
    /// The kings are on neighbouring squares.
    #[error("the kings touch")]
    KingsTouch,
    /// The side that is not to move is in check.
    #[error("the side not to move is in check")]
    Check,
}

/// Why a FEN is no position that tables know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The FEN can't be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The pieces are no material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// There are castling rights with rooks that do not stand in corners.
    #[error("the FEN has castling rights of Chess960: expected - or letters of KQkq")]
    Chess960,
    /// There are too many pieces.
    #[error("the position has {0} pieces: expected at most {MOST}")]
    Count(usize),
    /// The position is not legal.
    #[error("the position is not legal: {0}")]
    Illegal(IllegalReason),
    /// The fifty-move counter is wrong.
    #[error("the fifty-move counter is {0:?}: expected 0 to 150 plies")]
    Counter(String),
    /// The number of the move is wrong.
    #[error("the number of the move is {0:?}: expected one such as 1")]
    MoveNumber(String),
    /// There is something behind the number of the move.
    #[error("there is {0:?} after the number of the move")]
    Rest(String),
    /// A letter on the board is unknown.
    #[error("the board has a {0:?}: expected K, Q, R, B, N, or the letter of a short-range piece")]
    Letter(char),
    /// A letter is given, and no piece on the board has it.
    #[error("there is no piece {0} on the board")]
    Unused(char),
    /// The short-range pieces have no table.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// There are short-range pieces, and rights that their tables don't know.
    #[error("the FEN has castling or en-passant rights, which short-range tables don't know")]
    Rights,
}

impl IllegalReason {
    /// The reason why a position is not legal. It must not be legal.
    #[must_use]
    pub fn of(position: &Position) -> IllegalReason {
        let kings = (position.occupied()).filter(|man| man.0.kind == PieceType::King);
        let kings: Vec<Square> = kings.map(|man| man.1).collect();
        match kings[..] {
            [a, b] if Leaper::KING.attacks(a).contains(b) => IllegalReason::KingsTouch,
            _ => IllegalReason::Check,
        }
    }
}

/// A legal position on the board of a chess library that shares no code with the generator.
#[derive(Clone, Debug)]
pub struct Board {
    board: cozy_chess::Board,
}

/// A position of a batch.
impl From<&PackedBoard> for Board {
    fn from(packed: &PackedBoard) -> Board {
        let board = packed.into();
        Board { board }
    }
}

impl Board {
    /// The position, if it is legal. A pawn that has just made two steps can be captured on the square
    /// `en_passant`, if that is given: it has to be the square that such a pawn has passed.
    #[must_use]
    pub fn new(position: &Position, en_passant: Option<Square>) -> Option<Board> {
        let board = to_cozy(position, en_passant, CastlingRights::NONE)?;
        Some(Board { board })
    }

    /// The position with castling rights, if it is legal. Rights without their king or rook, and those of Chess960, are dropped.
    pub(crate) fn with_castling(
        position: &Position,
        en_passant: Option<Square>,
        castling: CastlingRights,
    ) -> Option<Board> {
        let board = to_cozy(position, en_passant, castling.possible(position))?;
        Some(Board { board })
    }

    /// The castling rights.
    #[must_use]
    pub fn castling(&self) -> CastlingRights {
        castling_of(&self.board)
    }

    pub(crate) fn cozy(&self) -> &cozy_chess::Board {
        &self.board
    }

    /// The position, without castling rights and the right to capture en passant.
    #[must_use]
    pub fn position(&self) -> Position {
        position_of(&self.board)
    }

    /// The position as a FEN, with castling rights, and with the square on which a pawn can be captured en passant, if any can.
    #[must_use]
    pub fn fen(&self) -> String {
        let able = en_passant_moves(&self.board).0.into_iter().next();
        let square = able.map_or_else(|| "-".to_owned(), |step| step.to.to_string());
        let fen = self.position().to_string();
        fen.replace(" - - ", &format!(" {} {square} ", self.castling()))
    }

    /// Whether the side to move is in check.
    pub(crate) fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    /// Whether a legal move captures en passant.
    pub(crate) fn can_capture_en_passant(&self) -> bool {
        !en_passant_moves(&self.board).0.is_empty()
    }

    /// Whether there is a legal move.
    pub(crate) fn can_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move<Board>> {
        let square = |square| Square::from_low_bits(square as u8);
        let mut all = Vec::new();
        self.board.generate_moves(|moves| {
            for step in moves {
                let mut after = self.board.clone();
                after.play_unchecked(step);
                let capture = after.occupied().len() < self.board.occupied().len();
                // A king that castles takes its rook there.
                let castles = self.board.colors(self.board.side_to_move()).has(step.to);
                let to = match castles {
                    true => after.king(self.board.side_to_move()),
                    false => step.to,
                };
                all.push(Move {
                    piece: kind_of(moves.piece),
                    from: square(step.from),
                    to: square(to),
                    promotion: step.promotion.map(kind_of),
                    capture,
                    zeroing: capture || moves.piece == cozy_chess::Piece::Pawn,
                    after: Board { board: after },
                });
            }
            false
        });
        all
    }
}

/// The captures en passant, and whether there is another legal move.
pub(crate) fn en_passant_moves(board: &cozy_chess::Board) -> (Vec<cozy_chess::Move>, bool) {
    let (mut captures, mut others) = (Vec::new(), false);
    if board.en_passant().is_none() {
        return (captures, true);
    }
    board.generate_moves(|moves| {
        for step in moves {
            let sideways = step.from.file() != step.to.file();
            let pawn = moves.piece == cozy_chess::Piece::Pawn;
            if pawn && sideways && !board.occupied().has(step.to) {
                captures.push(step);
            } else {
                others = true;
            }
        }
        false
    });
    (captures, others)
}
