//! The rules by `cozy-chess`, so that no code of the generator has a part in them.

use cozy_chess as chess;
use tbindex::{Color, Piece, PieceType, Position};

/// A piece on a square.
pub(crate) type Man = (chess::Color, chess::Piece, usize);

/// The board of men, if it is legal.
pub(crate) fn board_of(men: &[Man], side: chess::Color) -> Option<chess::Board> {
    let mut builder = chess::BoardBuilder::empty();
    builder.side_to_move = side;
    for &(color, piece, square) in men {
        if builder.board[square].replace((piece, color)).is_some() {
            return None;
        }
    }
    let board = builder.build().ok()?;
    let [white, black] = chess::Color::ALL.map(|color| board.king(color));
    (!chess::get_king_moves(white).has(black)).then_some(board)
}

/// The kind of a piece.
pub(crate) fn kind(piece: chess::Piece) -> PieceType {
    match piece {
        chess::Piece::King => PieceType::King,
        chess::Piece::Queen => PieceType::Queen,
        chess::Piece::Rook => PieceType::Rook,
        chess::Piece::Bishop => PieceType::Bishop,
        chess::Piece::Knight => PieceType::Knight,
        chess::Piece::Pawn => PieceType::Pawn,
    }
}

fn color(color: chess::Color) -> Color {
    match color {
        chess::Color::White => Color::White,
        chess::Color::Black => Color::Black,
    }
}

/// The position of a board, without its rights.
pub(crate) fn position_of(board: &chess::Board) -> Position {
    let mut squares = [None; 64];
    for side in chess::Color::ALL {
        for piece in chess::Piece::ALL {
            for square in board.colored_pieces(side, piece) {
                squares[square as usize] = Some(Piece::new(color(side), kind(piece)));
            }
        }
    }
    Position {
        board: squares,
        side: color(board.side_to_move()),
    }
}

pub(crate) fn moves(board: &chess::Board) -> Vec<chess::Move> {
    let mut all = Vec::new();
    board.generate_moves(|moves| {
        all.extend(moves);
        false
    });
    all
}
