//! The moves of one man.

use tbindex::bitbase::{Direction, Row, Slice};
use tbindex::proofs::bitbases::{Sink, Source, add_man_moves};
use tbindex::{Color, Piece, PieceType, Square};

use super::board::Board;
use super::feeds::{self, Bit, Symbols};
use super::pictures::{KINDS, Kind, bishop, knight, queen, rook, single_steps};
use super::{SYMBOLS, every, sets};
use crate::Theorem;

pub(super) const WAYS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// A domain of so many men of a kind.
pub(super) fn men_of(kind: &Kind, count: usize, fixed: &[(Piece, Square)]) -> Board {
    Board::new(&vec![(kind.clone(), Color::White); count], fixed)
}

/// The bits of rows, one after the other.
pub(super) fn bits_of_rows(rows: &[Row]) -> Vec<Bit> {
    let words = rows.iter().flat_map(|row| row.0);
    words.flat_map(feeds::bits_of).collect()
}

/// The bits that are added to the rows of a slice.
pub(super) fn bits_added(board: &Board, add: impl FnOnce(&mut Sink<'_>)) -> Vec<Bit> {
    let rows = &mut vec![Row::EMPTY; board.domain.rows()];
    let dirty = &mut vec![0; board.domain.slabs()];
    let several = &mut [][..];
    add(&mut Sink {
        rows,
        several,
        dirty,
    });
    bits_of_rows(rows)
}

/// Compares the moves of a man in a slice with those by picture, and returns the number of positions.
///
/// If `only` is a man and a square, only placements with him there are inputs; all others are not in the set.
pub(super) fn check(
    board: &Board,
    slice: usize,
    man: usize,
    way: Direction,
    only: Option<(usize, usize)>,
) -> Result<usize, String> {
    feeds::forget();
    let is_input =
        |offset: usize| only.is_none_or(|(other, square)| board.squares(offset)[other] == square);
    let mut from = board.inputs(0, 1);
    if only.is_some() {
        for (at, row) in from.iter_mut().enumerate() {
            if !is_input(512 * at) {
                *row = Row::EMPTY;
            }
        }
    }
    let of_slice = Slice::new(&board.domain, slice);
    let from = Source::full(&board.domain, &from);
    let found = bits_added(board, |sink| {
        add_man_moves(Symbols, &of_slice, man, way, from, sink);
    });
    let (mut positions, mut wrong) = (0, None);
    board.man_moves(slice, man, way, |offset, inputs| {
        let inputs: &[u32] = if is_input(offset) { inputs } else { &[] };
        positions += 1;
        if wrong.is_none() && found[offset] != sets::with(|sets| sets.of(inputs)) << 1 {
            wrong = Some(format!(
                "man {man} {way:?} in slice {slice}, to {}: {} instead of {inputs:?}",
                board.describe(slice * board.stride() + offset),
                describe(found[offset])
            ));
        }
    });
    wrong.map_or(Ok(positions), Err)
}

pub(super) fn describe(bit: Bit) -> String {
    if bit == feeds::MIXED {
        return "neither a union nor its complement".to_owned();
    }
    let complement = ["", "the complement of "][bit as usize & 1];
    sets::with(|sets| format!("{complement}{:?}", sets.members(bit >> 1)))
}

/// Checks the moves of all men of a kind in slices, both ways.
fn check_all(board: &Board, slices: impl Iterator<Item = usize>) -> Result<(usize, usize), String> {
    let (mut runs, mut positions) = (0, 0);
    for slice in slices {
        for man in 0..board.domain.men().len() {
            for way in WAYS {
                runs += 1;
                positions += check(board, slice, man, way, None)?;
            }
        }
    }
    Ok((runs, positions))
}

/// The sum of what some checks have shown.
fn sum(checks: impl IntoIterator<Item = Result<(usize, usize), String>>) -> Result<String, String> {
    let (mut runs, mut positions) = (0, 0);
    for check in checks {
        let check = check?;
        runs += check.0;
        positions += check.1;
    }
    Ok(format!("{runs} relations, {positions} positions"))
}

pub(super) fn theorems() -> Vec<Theorem> {
    let mut all = vec![Theorem::new(
        "moves-sample",
        "In slices of 4 and of 3 pieces, the moves of a queen, rook, bishop, knight and leaper are those by picture.",
        SYMBOLS,
        true,
        move || {
            sum(KINDS.iter().zip(0..).flat_map(|(kind, offset)| {
                let (one, two) = (men_of(&kind(), 1, &[]), men_of(&kind(), 2, &[]));
                let slices = every(two.slices() / 2, two.slices(), 97 * offset + 5);
                let of_one = every(150, one.slices(), offset);
                [check_all(&two, slices), check_all(&one, of_one)]
            }))
        },
    )];
    for kind in KINDS {
        let name = kind().name;
        let of_four = move || {
            let board = men_of(&kind(), 2, &[]);
            // A leaper has no symmetry and 3612 slices, which make no difference to it.
            let step = board.slices() / 400;
            sum([check_all(&board, (0..board.slices()).step_by(step))])
        };
        all.push(Theorem::new(
            format!("moves-4-{name}"),
            format!(
                "In every{} slice of 4 pieces, the moves of a {name} as either man, forth and back, are unions of \
                 its moves by picture.",
                if name == "crab" { " ninth" } else { "" }
            ),
            SYMBOLS,
            false,
            of_four,
        ));
        let of_five = move || {
            let board = men_of(&kind(), 3, &[]);
            let slices = every(board.slices() / 2, board.slices(), 38);
            sum([check_all(&board, slices)])
        };
        all.push(Theorem::new(
            format!("moves-5-{name}"),
            format!(
                "In 2 slices of 5 pieces, the moves of a {name} as each man are those by picture."
            ),
            SYMBOLS,
            false,
            of_five,
        ));
    }
    all.push(Theorem::new(
        "moves-3",
        "In every slice of 3 pieces, the moves of every kind of man are those by picture.",
        SYMBOLS,
        false,
        move || {
            sum(KINDS.map(|kind| {
                let board = men_of(&kind(), 1, &[]);
                check_all(&board, 0..board.slices())
            }))
        },
    ));
    all.push(Theorem::new(
        "moves-steps",
        "The moves of each of the 24 leapers with a single step, as each man of 5 pieces, are those by picture.",
        SYMBOLS,
        false,
        || {
            sum(single_steps().iter().zip(0..).flat_map(|(kind, offset)| {
                let (two, three) = (men_of(kind, 2, &[]), men_of(kind, 3, &[]));
                let slices = every(two.slices() / 3, two.slices(), 131 * offset);
                let slice = (577 * offset) % three.slices();
                let [forward, backward] =
                    WAYS.map(|way| Ok((1, check(&three, slice, 0, way, None)?)));
                [check_all(&two, slices), forward, backward]
            }))
        },
    ));
    all.push(Theorem::new(
        "moves-blockers",
        "With a fixed piece on each of the 64 squares, the moves of queens, rooks and bishops are those by picture.",
        SYMBOLS,
        false,
        || {
            let blocker = Piece::new(Color::Black, PieceType::Knight);
            let kinds = [queen(), rook(), bishop()];
            let squares = |kind| Square::all().map(move |square| (kind, square));
            sum(kinds.iter().flat_map(squares).map(|(kind, square)| {
                let board = men_of(kind, 2, &[(blocker, square)]);
                let step = board.slices() / 4;
                let slices = every(step, board.slices(), 61 * square.index());
                check_all(&board, slices)
            }))
        },
    ));
    all.push(Theorem::new(
        "moves-6",
        "In a slice of 6 pieces, with another man on two squares each, the moves of a queen and a knight as first \
         and second man are those by picture.",
        SYMBOLS,
        false,
        || {
            let men = [(0, 1, 0o33), (0, 1, 0o70), (1, 0, 0o46), (1, 0, 0o02)];
            sum([queen(), knight()].iter().flat_map(|kind| {
                let board = men_of(kind, 4, &[]);
                men.map(|(man, other, square)| {
                    let only = Some((other, square));
                    Ok((1, check(&board, 205, man, Direction::Backward, only)?))
                })
            }))
        },
    ));
    all
}
