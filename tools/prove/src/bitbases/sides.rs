//! All moves of a side: those of its men, and of its king, which lead from slice to slice.

use tbindex::Color;
use tbindex::bitbase::{Bitbase, Direction, Slice};
use tbindex::proofs::bitbases::{Source, add_king_moves, add_man_moves};

use super::board::Board;
use super::feeds::{self, Symbols};
use super::men::{WAYS, bits_added, describe};
use super::pictures::{KINDS, Kind};
use super::{SYMBOLS, every, sets};
use crate::Theorem;

/// For every placement of a slice, the classes of those that a side's moves lead to, or that they come from:
/// ascending. Placements in which two pieces share a square have none.
pub(super) fn expected(
    board: &Board,
    slice: usize,
    side: Color,
    way: Direction,
) -> Vec<Option<Vec<u32>>> {
    let first = (slice * board.stride()) as u32;
    let mut all: Vec<Option<Vec<u32>>> = (0..board.slots())
        .map(|offset| board.is_distinct(slice, offset).then(Vec::new))
        .collect();
    for man in board.men_of(side) {
        board.man_moves(slice, man, way, |offset, inputs| {
            let list = all[offset].as_mut().expect("a position");
            list.extend(inputs.iter().map(|input| board.class(first + input)));
        });
    }
    // A king's move back is a king's move.
    let king_moves = board.king_moves(slice, side);
    for (offset, list) in all.iter_mut().enumerate() {
        let Some(list) = list else { continue };
        for slots in &king_moves {
            let slots = slots.iter();
            let slots = slots.map(|&(slice, symmetry)| board.image(slice, symmetry, offset));
            list.push(slots.min().expect("a move has a slot"));
        }
        list.sort_unstable();
        list.dedup();
    }
    all
}

/// The classes of the inputs that feed a bit, ascending; `keep` tells which inputs count.
pub(super) fn classes(board: &Board, set: u32, mut keep: impl FnMut(u32) -> bool) -> Vec<u32> {
    let mut classes: Vec<u32> = sets::with(|sets| {
        let members = sets.members(set).iter().copied();
        members.filter(|&member| keep(member)).collect()
    });
    for member in &mut classes {
        *member = board.class(*member);
    }
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// The set whose words stand for inputs.
pub(super) fn all_inputs(board: &Board) -> Result<Bitbase, String> {
    let mut set = Bitbase::try_new(&board.domain).map_err(|error| error.to_string())?;
    let rows = board.inputs(0, board.slices());
    set.rows_mut().copy_from_slice(&rows);
    Ok(set)
}

/// Compares the moves of a side to a slice with those by picture, and returns the number of positions.
/// `inputs` are those of the whole domain.
pub(super) fn check(
    board: &Board,
    inputs: &Bitbase,
    slice: usize,
    side: Color,
    way: Direction,
) -> Result<usize, String> {
    feeds::forget();
    let of_slice = Slice::new(&board.domain, slice);
    let found = bits_added(board, |sink| {
        let own = Source::full(&board.domain, inputs.slice(slice));
        for man in board.men_of(side) {
            add_man_moves(Symbols, &of_slice, man, way, own, sink);
        }
        add_king_moves(Symbols, &of_slice, side, inputs.into(), sink);
    });
    let mut positions = 0;
    for (offset, expected) in expected(board, slice, side, way).into_iter().enumerate() {
        let Some(expected) = expected else { continue };
        positions += 1;
        let bit = found[offset];
        let is_union = bit & 1 == 0;
        if !is_union || classes(board, bit >> 1, |_| true) != expected {
            return Err(format!(
                "{side:?} {way:?} in slice {slice}, to {}: {} instead of {expected:?}",
                board.describe(slice * board.stride() + offset),
                describe(bit)
            ));
        }
    }
    Ok(positions)
}

/// Men of both sides, as many as there are letters: `QRr` is a white queen, a white rook and a black rook. `C` is
/// a leaper whose moves back are not those forth.
pub(super) fn board_of(men: &str) -> Board {
    let men: Vec<(Kind, Color)> = men
        .chars()
        .map(|man| {
            let color = match man.is_ascii_uppercase() {
                true => Color::White,
                false => Color::Black,
            };
            let kind = "QRBNC".find(man.to_ascii_uppercase()).expect("a man");
            (KINDS[kind](), color)
        })
        .collect();
    Board::new(&men, &[])
}

/// Checks both sides, both ways, in slices of boards.
pub(super) fn check_boards<I: Iterator<Item = usize>>(
    boards: &[&str],
    slices: impl Fn(usize) -> I,
    check: impl Fn(&Board, &[usize]) -> Result<usize, String>,
) -> Result<String, String> {
    let mut positions = 0;
    for men in boards {
        let board = board_of(men);
        let slices: Vec<usize> = slices(board.slices()).collect();
        positions += check(&board, &slices).map_err(|error| format!("K{men}vK: {error}"))?;
    }
    Ok(format!("{} materials, {positions} positions", boards.len()))
}

/// The sum of what a check shows for both sides in all slices.
pub(super) fn for_sides(
    slices: &[usize],
    check: impl Fn(usize, Color) -> Result<usize, String>,
) -> Result<usize, String> {
    let of_slice = |&slice: &usize| Color::ALL.map(|side| check(slice, side));
    slices.iter().flat_map(of_slice).sum()
}

fn both_sides(board: &Board, slices: &[usize]) -> Result<usize, String> {
    let inputs = all_inputs(board)?;
    for_sides(slices, |slice, side| {
        let [forth, back] = WAYS.map(|way| check(board, &inputs, slice, side, way));
        Ok(forth? + back?)
    })
}

pub(super) fn theorems() -> Vec<Theorem> {
    vec![
        Theorem::new(
            "sides-sample",
            "In slices of 2 to 4 pieces, the moves of a side with its king are those by picture, twins taken as one.",
            SYMBOLS,
            true,
            || check_boards(&["", "R", "Rb", "Cn"], |n| every(n / 5, n, 71), both_sides),
        ),
        Theorem::new(
            "sides-4",
            "In every slice of 2, 3 and 4 pieces, the moves of each side with its king, forth and back, are those by \
             picture, twins taken as one.",
            SYMBOLS,
            false,
            || check_boards(&["", "R", "Rb"], |n| 0..n, both_sides),
        ),
        Theorem::new(
            "sides-5",
            "In slices of 5 pieces, the moves of each side with its king are those by picture, twins taken as one.",
            SYMBOLS,
            false,
            || check_boards(&["QrB"], |n| every(n / 3, n, n - 1), both_sides),
        ),
    ]
}
