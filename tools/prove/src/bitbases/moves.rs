//! All moves of a side: those of its men, and of its king, which lead from slice to slice.

use tbindex::bitbase::{Bitbase, Direction, Man, Row, Slice};
use tbindex::proofs::bitbases::{Sink, Source, add_king_moves, add_man_moves};
use tbindex::{Color, Piece, PieceType, Square};

use super::board::{Board, bits_of_rows, single_steps};
use super::feeds::{self, Bit, Symbols};
use super::{SYMBOLS, every, sets};
use crate::Theorem;

/// Compares the moves of a side to a slice with those of the pieces one by one, and returns the number of positions.
/// `inputs` are those of the whole domain.
fn check(
    board: &Board,
    inputs: &Bitbase,
    slice: usize,
    side: Color,
    way: Direction,
) -> Result<usize, String> {
    feeds::forget();
    let domain = &board.domain;
    let of_slice = Slice::new(domain, slice);
    let rows = &mut vec![Row::EMPTY; domain.rows()];
    let dirty = &mut vec![0; domain.slabs()];
    let mut sink = Sink {
        rows,
        several: &mut [],
        dirty,
    };
    let own = Source::full(domain, inputs.slice(slice));
    let men = domain.men().iter().enumerate();
    for (man, _) in men.filter(|(_, man)| man.color == side) {
        add_man_moves(Symbols, &of_slice, man, way, own, &mut sink);
    }
    add_king_moves(Symbols, &of_slice, side, inputs.into(), &mut sink);
    let found = bits_of_rows(rows);
    let mut positions = 0;
    let all = board.placements(slice).zip(found);
    for ((bit, placement), found) in all.filter(|((_, at), _)| board.pieces.is_distinct(*at)) {
        positions += 1;
        let fed = board.fed(bit, placement, side, way);
        let right = found & 1 == 0
            && sets::with(|sets| {
                let members = sets.members(found >> 1);
                let is_right =
                    |member| fed.men.contains(member) || fed.kings.contains(&board.class(*member));
                let has = |input: &u32| members.binary_search(input).is_ok();
                let classes = || members.iter().map(|&member| board.class(member));
                members.iter().all(is_right)
                    && fed.men.iter().all(has)
                    && fed
                        .kings
                        .iter()
                        .all(|king| classes().any(|class| class == *king))
            });
        if !right {
            return Err(format!(
                "{side:?} {way:?} to {}: {} instead of {:?} and the classes {:?}",
                board.describe(bit),
                describe(found),
                fed.men,
                fed.kings
            ));
        }
    }
    Ok(positions)
}

pub(super) fn describe(bit: Bit) -> String {
    if bit == feeds::MIXED {
        return "neither a union nor its complement".to_owned();
    }
    let complement = ["", "the complement of "][bit as usize & 1];
    sets::with(|sets| format!("{complement}{:?}", sets.members(bit >> 1)))
}

/// Checks both sides, both ways, in slices of a board.
fn both_sides(board: &Board, slices: &[usize]) -> Result<usize, String> {
    let mut inputs = Bitbase::try_new(&board.domain).map_err(|error| error.to_string())?;
    inputs.rows_mut().copy_from_slice(&board.inputs());
    let ways = [Direction::Forward, Direction::Backward];
    let cases = slices.iter().flat_map(|&slice| {
        Color::ALL.map(|side| ways.map(|way| check(board, &inputs, slice, side, way)))
    });
    cases.flatten().sum()
}

/// The sum of what is shown in some slices of boards, each of which is told by its name.
pub(super) fn shown<I: Iterator<Item = usize>>(
    boards: impl IntoIterator<Item = (String, Board)>,
    slices: impl Fn(usize) -> I,
    check: fn(&Board, &[usize]) -> Result<usize, String>,
) -> Result<String, String> {
    let (mut count, mut positions) = (0, 0);
    for (name, board) in boards {
        let slices: Vec<usize> = slices(board.domain.slices()).collect();
        positions += check(&board, &slices).map_err(|error| format!("{name}: {error}"))?;
        count += 1;
    }
    Ok(format!("{count} boards, {positions} positions"))
}

/// The boards of men by their letters.
pub(super) fn boards(men: &[&str]) -> impl Iterator<Item = (String, Board)> {
    let board = |men: &&str| (format!("K{men}vK"), Board::of(men, &[]));
    men.iter().map(board)
}

/// Boards of leapers with a single step, two and three of each.
fn leapers() -> impl Iterator<Item = (String, Board)> {
    let men = single_steps().flat_map(|man| [vec![man; 2], vec![man; 3]]);
    men.map(|men: Vec<Man>| (format!("{men:?}"), Board::new(&men, &[])))
}

/// Boards of two sliders and a fixed piece, which stands on each square.
fn blockers() -> impl Iterator<Item = (String, Board)> {
    let blocker = Piece::new(Color::Black, PieceType::Knight);
    let squares = |men: &'static str| Square::all().map(move |square| (men, square));
    let all = ["QQ", "RR", "BB"].into_iter().flat_map(squares);
    all.map(move |(men, square)| {
        let board = Board::of(men, &[(blocker, square)]);
        (format!("{men}, {square}"), board)
    })
}

pub(super) fn theorems() -> Vec<Theorem> {
    let statement = |slices: &str, men: &str| {
        format!(
            "In {slices}, the moves of a side with its king, forth and back, {men}, are unions of those of each piece."
        )
    };
    let mut all = vec![Theorem::new(
        "moves-sample",
        statement(
            "slices of 2 to 4 pieces",
            "twins taken as one where kings move",
        ),
        SYMBOLS,
        true,
        || {
            let men = ["", "R", "Rb", "Cn", "QQ"];
            shown(boards(&men), |n| every(n / 3, n, 71), both_sides)
        },
    )];
    for men in ["", "R", "Qr", "Rq", "Bn", "Nb"] {
        all.push(Theorem::new(
            format!("moves-K{men}vK"),
            statement(&format!("every slice of K{men}vK"), "of either man"),
            SYMBOLS,
            false,
            move || shown(boards(&[men]), |n| 0..n, both_sides),
        ));
    }
    all.push(Theorem::new(
        "moves-crab",
        statement(
            "every ninth slice of two crabs",
            "leapers that no symmetry keeps",
        ),
        SYMBOLS,
        false,
        || shown(boards(&["Cc"]), |n| (0..n).step_by(9), both_sides),
    ));
    all.push(Theorem::new(
        "moves-5",
        statement("2 slices of 5 pieces", "of each kind in each place"),
        SYMBOLS,
        false,
        || {
            let men = ["QQQ", "RRR", "BBB", "NNN", "CCC", "QrB"];
            shown(boards(&men), |n| every(n / 2, n, 38), both_sides)
        },
    ));
    all.push(Theorem::new(
        "moves-steps",
        statement(
            "slices of 4 and 5 pieces",
            "each of the 24 leapers with a single step",
        ),
        SYMBOLS,
        false,
        || shown(leapers(), |n| every(n / 2, n, 131), both_sides),
    ));
    all.push(Theorem::new(
        "moves-blockers",
        statement(
            "slices of 5 pieces",
            "with a fixed piece on each of the 64 squares",
        ),
        SYMBOLS,
        false,
        || shown(blockers(), |n| every(n / 4, n, 61), both_sides),
    ));
    all
}
