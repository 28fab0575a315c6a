//! A legal position on the board of a chess library that shares no code with the generator.

use tbindex::{Color, Piece, PieceType, Position, Square};

/// The most pieces on a board here.
const MOST: usize = tbindex::bitbase::MOST_PIECES;

/// Pieces and their squares, without a board around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Men {
    men: [(Piece, Square); MOST],
    count: usize,
}

impl Men {
    pub(crate) fn as_slice(&self) -> &[(Piece, Square)] {
        &self.men[..self.count]
    }
}

const KINDS: [(cozy_chess::Piece, PieceType); 6] = [
    (cozy_chess::Piece::King, PieceType::King),
    (cozy_chess::Piece::Queen, PieceType::Queen),
    (cozy_chess::Piece::Rook, PieceType::Rook),
    (cozy_chess::Piece::Bishop, PieceType::Bishop),
    (cozy_chess::Piece::Knight, PieceType::Knight),
    (cozy_chess::Piece::Pawn, PieceType::Pawn),
];

fn cozy_color(color: Color) -> cozy_chess::Color {
    match color {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

/// The position on the other crate's board, if it is legal.
pub(crate) fn to_cozy(
    position: &Position,
    en_passant: Option<Square>,
) -> Option<cozy_chess::Board> {
    let mut builder = cozy_chess::BoardBuilder::empty();
    builder.side_to_move = cozy_color(position.side);
    builder.en_passant = en_passant.map(|square| cozy_chess::Square::index(square.index()));
    for (piece, square) in position.occupied() {
        let kind = KINDS.iter().find(|kind| kind.1 == piece.kind)?.0;
        builder.board[square.index()] = Some((kind, cozy_color(piece.color)));
    }
    // The builder accepts kings that touch. That is a check by a king.
    builder.build().ok().filter(|board| {
        let near = cozy_chess::get_king_moves(board.king(cozy_chess::Color::White));
        !near.has(board.king(cozy_chess::Color::Black))
    })
}

pub(crate) fn side_of(board: &cozy_chess::Board) -> Color {
    match board.side_to_move() {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

pub(crate) fn men_of(board: &cozy_chess::Board) -> Men {
    let mut men = Men {
        men: [(Piece::new(Color::White, PieceType::King), Square::A1); MOST],
        count: 0,
    };
    for color in Color::ALL {
        for (kind, piece) in KINDS {
            for square in board.colored_pieces(cozy_color(color), kind) {
                let square = Square::from_low_bits(square as u8);
                men.men[men.count] = (Piece::new(color, piece), square);
                men.count += 1;
            }
        }
    }
    men
}

/// The position on a board.
pub(crate) fn position_of(of: &cozy_chess::Board) -> Position {
    let mut board = [None; 64];
    for &(piece, square) in men_of(of).as_slice() {
        board[square.index()] = Some(piece);
    }
    let side = side_of(of);
    Position { board, side }
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

impl IllegalReason {
    /// The reason why a position is not legal. It must not be legal.
    #[must_use]
    pub fn of(position: &Position) -> IllegalReason {
        let kings = position
            .occupied()
            .filter(|(piece, _)| piece.kind == PieceType::King);
        let kings: Vec<Square> = kings.map(|(_, square)| square).collect();
        let touch = |a: Square, b: Square| {
            let files = (a.file() as i8 - b.file() as i8).abs();
            let ranks = (a.rank() as i8 - b.rank() as i8).abs();
            files.max(ranks) == 1
        };
        match kings[..] {
            [a, b] if touch(a, b) => IllegalReason::KingsTouch,
            _ => IllegalReason::Check,
        }
    }
}

/// A legal position on the board of a chess library that shares no code with the generator.
#[derive(Clone, Debug)]
pub struct Board {
    board: cozy_chess::Board,
}

/// A legal move.
#[derive(Clone, Debug)]
pub struct Move {
    /// The move as UCI engines write it, `a1b2`.
    pub name: String,
    /// Whether the move is a capture.
    pub capture: bool,
    /// Whether the move is a capture or a move of a pawn.
    pub zeroing: bool,
    /// The position after the move.
    pub after: Board,
}

impl Board {
    /// The position, if it is legal. A pawn that has just made two steps can be captured on the square
    /// `en_passant`, if that is given: it has to be the square that such a pawn has passed.
    #[must_use]
    pub fn new(position: &Position, en_passant: Option<Square>) -> Option<Board> {
        let board = to_cozy(position, en_passant)?;
        Some(Board { board })
    }

    pub(crate) fn cozy(&self) -> &cozy_chess::Board {
        &self.board
    }

    /// The position, without the right to capture en passant.
    #[must_use]
    pub fn position(&self) -> Position {
        position_of(&self.board)
    }

    /// The position as a FEN, with the square on which a pawn can be captured en passant, if any can.
    #[must_use]
    pub fn fen(&self) -> String {
        let able = en_passant_moves(&self.board).0.into_iter().next();
        let square = able.map_or_else(|| "-".to_owned(), |step| step.to.to_string());
        let position = self.position();
        let side = if position.side == Color::White {
            'w'
        } else {
            'b'
        };
        format!("{} {side} - {square} 0 1", position.placement())
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut all = Vec::new();
        self.board.generate_moves(|moves| {
            for step in moves {
                let mut after = self.board.clone();
                after.play_unchecked(step);
                let capture = after.occupied().len() < self.board.occupied().len();
                all.push(Move {
                    name: step.to_string(),
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
