//! Which placements are illegal. This has no input but the slice, so every one is compared.

use tbindex::batch::Backend;
use tbindex::bitbase::{Row, Slice};
use tbindex::{Color, Piece, PieceType, Square};

use super::board::Board;
use super::every;
use super::moves::{boards, shown};
use crate::Theorem;

/// Compares the illegal placements of slices, with either side to move and on every backend, with those of the pieces one
/// by one, and returns the number of placements.
fn check(board: &Board, slices: &[usize]) -> Result<usize, String> {
    let mut placements = 0;
    for &slice in slices {
        for side in Color::ALL {
            for backend in Backend::available() {
                let mut rows = vec![Row::EMPTY; board.domain.rows()];
                Slice::new(&board.domain, slice).illegal_into(side, &mut rows, backend);
                let words = rows.iter().flat_map(|row| row.0);
                let bits = words.flat_map(|word| (0..64).map(move |k| word >> k & 1 == 1));
                for ((bit, placement), found) in board.placements(slice).zip(bits) {
                    placements += 1;
                    let is_check = || board.pieces.is_check(placement, !side);
                    if found == (board.pieces.is_distinct(placement) && !is_check()) {
                        let name = board.describe(bit);
                        return Err(format!("{backend}, {side:?} to move, {name}: {found}"));
                    }
                }
            }
        }
    }
    Ok(placements)
}

/// All pairs of men of both sides.
const PAIRS: [&str; 25] = [
    "Qq", "Qr", "Qb", "Qn", "Qc", "Rq", "Rr", "Rb", "Rn", "Rc", "Bq", "Br", "Bb", "Bn", "Bc", "Nq",
    "Nr", "Nb", "Nn", "Nc", "Cq", "Cr", "Cb", "Cn", "Cc",
];

/// Boards of two men and a fixed piece, which stands on each square.
fn fixed() -> impl Iterator<Item = (String, Board)> {
    Square::all().flat_map(|square| {
        [PieceType::Queen, PieceType::Knight].map(|kind| {
            let fixed = [(Piece::new(Color::Black, kind), square)];
            (format!("{kind} on {square}"), Board::of("Br", &fixed))
        })
    })
}

pub(super) fn theorems() -> Vec<Theorem> {
    let method = "exhaustively";
    let of_pairs = |step| move || shown(boards(&PAIRS), |n| every(step, n, 5), check);
    let three = || {
        shown(
            boards(&["QnB", "nBr", "BrQ", "rQn"]),
            |n| every(115, n, 20),
            check,
        )
    };
    let with_fixed = || shown(fixed(), |n| every(n / 2, n, 7), check);
    vec![
        Theorem::new(
            "illegal-sample",
            "In slices of 4 pieces, the illegal placements are those of the pieces, on every backend.",
            method,
            true,
            of_pairs(300),
        ),
        Theorem::new(
            "illegal-4",
            "In every slice of 4 pieces, for every pair of men, the illegal placements are those of the pieces, on \
             every backend.",
            method,
            false,
            of_pairs(1),
        ),
        Theorem::new(
            "illegal-5",
            "In slices of 5 pieces, the illegal placements are those of the pieces, on every backend.",
            method,
            false,
            three,
        ),
        Theorem::new(
            "illegal-fixed",
            "This holds with a fixed piece on every square.",
            method,
            false,
            with_fixed,
        ),
    ]
}
