//! Positions that are confined to a set, the dual of moves: what is removed is a union of single moves.

use std::collections::HashSet;

use tbindex::Color;
use tbindex::bitbase::{Direction, Row, Slice};
use tbindex::proofs::bitbases::confine;

use super::board::{Board, bits_of_rows};
use super::feeds::{self, Symbols, complement};
use super::moves::{boards, describe, shown};
use super::{SYMBOLS, every, sets};
use crate::Theorem;

/// Compares the confined positions of a slice with those of the pieces one by one, and returns the number of positions.
///
/// The set is the complement of inputs, so that an input says that a position is outside. Candidates are the
/// complements of further inputs. A position is confined if it is a candidate and none of those that its side's
/// moves lead to is outside: the complement of one union. Placements in which pieces share squares have to be in
/// the set, so those inputs are not looked at.
fn check(board: &Board, set: &[Row], slice: usize, side: Color) -> Result<usize, String> {
    feeds::forget();
    let stride = board.stride();
    let candidates = board.domain.slices() * stride;
    let mut rows = board.words(candidates / 64, 1, complement);
    let of_slice = Slice::new(&board.domain, slice);
    confine(Symbols, &of_slice, side, set, &mut rows);
    let mut positions = 0;
    let all = board.placements(slice).zip(bits_of_rows(&rows));
    for ((bit, placement), found) in all.filter(|((_, at), _)| board.pieces.is_distinct(*at)) {
        positions += 1;
        let fed = board.fed(bit, placement, side, Direction::Backward);
        let distinct = |input: &u32| board.is_distinct(*input);
        let men = fed
            .men
            .into_iter()
            .filter(distinct)
            .map(|to| board.class(to));
        let kings = fed.kings.into_iter().filter(distinct);
        let expected: HashSet<u32> = men.chain(kings).collect();
        let own = (candidates + bit as usize % stride) as u32;
        // A result that is not the complement of a union is wrong in any case.
        let right = found != feeds::MIXED
            && found & 1 == 1
            && sets::with(|sets| {
                let members = sets.members(found >> 1);
                let inputs = members.iter().filter(|&&member| member < candidates as u32);
                let inputs = inputs.copied().filter(distinct);
                let classes: HashSet<u32> = inputs.map(|input| board.class(input)).collect();
                members.contains(&own) && classes == expected
            });
        if !right {
            return Err(format!(
                "{side:?}, {}: {} instead of the moves {expected:?}",
                board.describe(bit),
                describe(found)
            ));
        }
    }
    Ok(positions)
}

fn both_sides(board: &Board, slices: &[usize]) -> Result<usize, String> {
    let set = board.complements();
    let of_slice = |&slice: &usize| Color::ALL.map(|side| check(board, &set, slice, side));
    slices.iter().flat_map(of_slice).sum()
}

pub(super) fn theorems() -> Vec<Theorem> {
    let mut all = vec![Theorem::new(
        "confined-sample",
        "In slices of 2 to 5 pieces, a candidate is confined to a set if no move of a piece leads out of it.",
        SYMBOLS,
        true,
        || {
            shown(
                boards(&["", "R", "Rb", "Cq"]),
                |n| every(n / 3, n, 112),
                both_sides,
            )
        },
    )];
    for men in ["Qr", "Rq", "Bn", "Nb"] {
        all.push(Theorem::new(
            format!("confined-K{men}vK"),
            format!(
                "In every slice of K{men}vK, exactly those candidates are confined to a set from which no move of a \
                 piece leads out of it."
            ),
            SYMBOLS,
            false,
            move || shown(boards(&[men]), |n| 0..n, both_sides),
        ));
    }
    all.push(Theorem::new(
        "confined-5",
        "This holds in slices of 5 pieces, for each place that a man can have.",
        SYMBOLS,
        false,
        || {
            let men = ["QrB", "nBR", "Cqn"];
            shown(boards(&men), |n| every(n / 2, n, n - 1), both_sides)
        },
    ));
    all
}
