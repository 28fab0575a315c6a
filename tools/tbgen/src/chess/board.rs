//! Boards of a chess library that shares no code with the generator, and why a position has none.

use cozy_chess::BitBoard;
use syzygy_tables::ColoredPiece;
use tbindex::{
    CastlingRights, Color, FenError, Leaper, MaterialError, Piece, PieceType, Position, Square,
};

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
    builder.en_passant = en_passant.map(cozy_square);
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

pub(crate) fn cozy_square(square: Square) -> cozy_chess::Square {
    cozy_chess::Square::index(square.index())
}

pub(crate) fn square_of(square: cozy_chess::Square) -> Square {
    Square::from_low_bits(square as u8)
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
                men.push((Piece::new(color, kind), square_of(square)));
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

/// The squares that a man other than a pawn attacks.
pub(crate) fn attacks(kind: PieceType, square: cozy_chess::Square, occupied: BitBoard) -> BitBoard {
    let along_lines = || cozy_chess::get_rook_moves(square, occupied);
    let aslant = || cozy_chess::get_bishop_moves(square, occupied);
    match kind {
        PieceType::King => cozy_chess::get_king_moves(square),
        PieceType::Queen => along_lines() | aslant(),
        PieceType::Rook => along_lines(),
        PieceType::Bishop => aslant(),
        PieceType::Knight => cozy_chess::get_knight_moves(square),
        PieceType::Pawn => BitBoard::EMPTY,
    }
}
