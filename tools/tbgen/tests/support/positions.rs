//! Random positions.

use tbgen::GamePosition;
use tbindex::{Color, Material, Piece, PieceType, Position, Square};

/// A random legal position of a material, in either colours, often with a pawn that may be captured en passant, and with a
/// fifty-move counter; `random` gives numbers below a limit.
pub(crate) fn random_position(
    material: Material,
    random: &mut impl FnMut(u64) -> u64,
) -> GamePosition {
    loop {
        let (exchanged, side) = (random(2) == 1, Color::ALL[random(2) as usize]);
        // Pawns on one rank capture en passant more often.
        let rank = [None, Some(24 + 8 * random(2))][random(2) as usize];
        let mut board = [None; 64];
        for piece in material.name_order() {
            let piece = if exchanged {
                Piece::new(!piece.color, piece.kind)
            } else {
                piece
            };
            let square = match piece.kind {
                PieceType::Pawn => rank.map_or(8 + random(48), |rank| rank + random(8)),
                _ => random(64),
            };
            board[square as usize] = Some(piece);
        }
        let position = Position { board, side };
        if position.occupied().count() < material.piece_count() {
            continue;
        }
        let passed = passed(&position).filter(|_| random(4) > 0);
        let counter = [0, random(101)][random(2) as usize];
        let with_right = passed.and_then(|square| GamePosition::new(&position, Some(square)));
        let board = with_right.or_else(|| GamePosition::new(&position, None));
        if let Some(board) = board {
            return board.with_counter(counter as u16);
        }
    }
}

/// The square that a pawn of the side that is not to move may have passed.
fn passed(position: &Position) -> Option<Square> {
    let pawn = Piece::new(!position.side, PieceType::Pawn);
    let (over, behind) = match pawn.color {
        Color::White => (16..24, 8),
        Color::Black => (40..48, -8),
    };
    over.into_iter().find_map(|square: i32| {
        let at = |square: i32| position.board[square as usize];
        let passed = at(square + behind) == Some(pawn)
            && at(square).is_none()
            && at(square - behind).is_none();
        passed.then(|| Square::new(square as u8))
    })
}
