//! Positions that are confined to a set, the dual of moves: what is removed is a union of single moves.

use tbindex::Color;
use tbindex::bitbase::{Direction, Row, Slice};
use tbindex::proofs::bitbases::confine;

use super::board::Board;
use super::feeds::{self, Symbols, complement};
use super::men::{bits_of_rows, describe};
use super::sides::{check_boards, classes, expected, for_sides};
use super::{SYMBOLS, every, sets};
use crate::Theorem;

/// Compares the confined positions of a slice with those by picture, and returns the number of positions.
///
/// The set is the complement of inputs, so that an input says that a position is outside. Candidates are the
/// complements of further inputs. A position is confined if it is a candidate and none of those that its side's
/// moves lead to is outside: the complement of one union. Placements in which pieces share squares have to be in
/// the set, so those inputs are not looked at.
pub(super) fn check(
    board: &Board,
    set: &[Row],
    slice: usize,
    side: Color,
) -> Result<usize, String> {
    feeds::forget();
    let stride = board.stride();
    let expected = expected(board, slice, side, Direction::Backward);
    let candidates = board.slices() * stride;
    let used = board.slots().div_ceil(64);
    let mut rows = vec![Row::EMPTY; board.domain.rows()];
    let words = bytemuck::cast_slice_mut::<Row, u64>(&mut rows);
    for (number, word) in words[..used].iter_mut().enumerate() {
        *word = complement(candidates / 64 + number);
    }
    let of_slice = Slice::new(&board.domain, slice);
    confine(Symbols, &of_slice, side, set, &mut rows);
    let mut positions = 0;
    for (offset, bit) in bits_of_rows(&rows).into_iter().enumerate() {
        let Some(Some(expected)) = expected.get(offset) else {
            continue;
        };
        positions += 1;
        let own = (candidates + offset) as u32;
        let mut is_candidate = false;
        // A result that is not the complement of a union is wrong in any case.
        let is_complement = bit != feeds::MIXED && bit & 1 == 1;
        let set = if is_complement { bit >> 1 } else { sets::EMPTY };
        let found = classes(board, set, |input| {
            is_candidate |= input == own;
            input < candidates as u32
                && board.is_distinct(input as usize / stride, input as usize % stride)
        });
        let moves = expected
            .iter()
            .copied()
            .filter(|&to| board.is_distinct(to as usize / stride, to as usize % stride));
        let right = is_complement && is_candidate && found.iter().copied().eq(moves);
        if !right {
            return Err(format!(
                "{side:?} in slice {slice}, {}: {} instead of the moves {expected:?}",
                board.describe(slice * stride + offset),
                describe(bit)
            ));
        }
    }
    Ok(positions)
}

fn both_sides(board: &Board, slices: &[usize]) -> Result<usize, String> {
    let set = board.complements(0, board.slices());
    for_sides(slices, |slice, side| check(board, &set, slice, side))
}

pub(super) fn theorems() -> Vec<Theorem> {
    let mut all = vec![Theorem::new(
        "confined-sample",
        "In slices of 2 to 5 pieces, a candidate is confined to a set if no move by picture leads out of it.",
        SYMBOLS,
        true,
        || check_boards(&["", "R", "Rb", "Cq"], |n| every(n / 3, n, 112), both_sides),
    )];
    for (name, men) in [
        ("queen-rook", "Qr"),
        ("rook-queen", "Rq"),
        ("bishop-knight", "Bn"),
        ("knight-bishop", "Nb"),
    ] {
        all.push(Theorem::new(
            format!("confined-4-{name}"),
            format!(
                "In every slice of 4 pieces with {}, exactly those candidates are confined to a set from which no \
                 move by picture leads out of it.",
                name.replace('-', " and ")
            ),
            SYMBOLS,
            false,
            move || check_boards(&[men], |n| 0..n, both_sides),
        ));
    }
    all.push(Theorem::new(
        "confined-5",
        "This holds in slices of 5 pieces, for each place that a man can have.",
        SYMBOLS,
        false,
        || {
            check_boards(
                &["QrB", "nBR", "Cqn"],
                |n| every(n / 2, n, n - 1),
                both_sides,
            )
        },
    ));
    all
}
