//! Which placements are illegal. This has no input but the slice, so every one is compared.

use tbindex::batch::Backend;
use tbindex::bitbase::{Row, Slice};
use tbindex::{Color, Piece, PieceType, Square};

use super::board::Board;
use super::every;
use super::pictures::{KINDS, bishop, knight, queen, rook};
use crate::Theorem;

/// Compares the illegal placements of a slice, with either side to move and on every backend, with those by
/// picture, and returns the number of placements.
fn check(board: &Board, slice: usize) -> Result<usize, String> {
    let mut placements = 0;
    for side in Color::ALL {
        let expected: Vec<bool> = (0..board.slots())
            .map(|offset| !board.is_distinct(slice, offset) || board.checks(slice, offset, side))
            .collect();
        for backend in Backend::available() {
            let mut rows = vec![Row::EMPTY; board.domain.rows()];
            Slice::new(&board.domain, slice).illegal_into(side, &mut rows, backend);
            for (offset, &expected) in expected.iter().enumerate() {
                placements += 1;
                let word = rows[offset / 512].0[offset / 64 % 8];
                if (word >> (offset % 64) & 1 == 1) != expected {
                    return Err(format!(
                        "{backend}, {side:?} to move, {}: expected {expected}",
                        board.describe(slice * board.stride() + offset)
                    ));
                }
            }
        }
    }
    Ok(placements)
}

fn check_pairs(step: usize) -> Result<String, String> {
    let (mut placements, mut at) = (0, 0);
    for first in KINDS {
        for second in KINDS {
            let board = Board::new(&[(first(), Color::White), (second(), Color::Black)], &[]);
            at += 1;
            for slice in every(step, board.slices(), 5 * at) {
                placements += check(&board, slice)?;
            }
        }
    }
    Ok(format!("25 pairs of men, {placements} placements"))
}

pub(super) fn theorems() -> Vec<Theorem> {
    let method = "exhaustively";
    vec![
        Theorem::new(
            "illegal-sample",
            "In slices of 4 pieces, the illegal placements are those by picture, on every backend.",
            method,
            true,
            || check_pairs(300),
        ),
        Theorem::new(
            "illegal-4",
            "In every slice of 4 pieces, for every pair of men, the illegal placements are those by picture, on every \
             backend.",
            method,
            false,
            || check_pairs(1),
        ),
        Theorem::new(
            "illegal-5",
            "In slices of 5 pieces and with a fixed piece on every square, the illegal placements are those by \
             picture, on every backend.",
            method,
            false,
            || {
                let mut placements = 0;
                let men = [
                    (queen(), Color::White),
                    (knight(), Color::Black),
                    (bishop(), Color::White),
                    (rook(), Color::Black),
                ];
                for turn in 0..men.len() {
                    let three: Vec<_> = (0..3).map(|k| men[(turn + k) % 4].clone()).collect();
                    let board = Board::new(&three, &[]);
                    for slice in every(115, board.slices(), 31 * turn + 20) {
                        placements += check(&board, slice)?;
                    }
                }
                for square in Square::all() {
                    for kind in [PieceType::Queen, PieceType::Knight] {
                        let fixed = [(Piece::new(Color::Black, kind), square)];
                        let board = Board::new(&men[2..], &fixed);
                        for slice in every(board.slices() / 2, board.slices(), 7 * square.index()) {
                            placements += check(&board, slice)?;
                        }
                    }
                }
                Ok(format!("{placements} placements"))
            },
        ),
    ]
}
