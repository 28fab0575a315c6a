//! The lanes of bitbases: eight words, each a board.
//!
//! But for the tests for zero, every bit of a result is one bit of each operand, or two of them joined, so bits alone
//! and in pairs show all of it.

use tbindex::bitbase::Row;
use tbindex::proofs::bitbases::EightBoards;

use super::words::{Checks, mixed, three_operands};

/// The row with these bits.
fn row(bits: &[usize]) -> Row {
    let mut row = Row::EMPTY;
    for bit in bits {
        row.0[bit / 64] |= 1 << (bit % 64);
    }
    row
}

fn stored<L: EightBoards>(lanes: L) -> Row {
    let mut row = Row::EMPTY;
    lanes.store(&mut row);
    row
}

/// The image of a row's bits, each of which goes to another place in its word, or nowhere.
fn moved(row: &Row, to: impl Fn(usize) -> Option<usize>) -> Row {
    Row(row.0.map(|word| {
        (0..64)
            .filter(|bit| word >> bit & 1 == 1)
            .filter_map(&to)
            .fold(0, |all, bit| all | 1 << bit)
    }))
}

/// The words of a row in other lanes.
fn in_lanes(row: &Row, by: i32) -> Row {
    Row(std::array::from_fn(|to| {
        let from = usize::try_from(to as i32 - by).ok();
        from.and_then(|from| row.0.get(from)).copied().unwrap_or(0)
    }))
}

/// The place of a bit after a shift of its word.
fn shifted(by: i32) -> impl Fn(usize) -> Option<usize> {
    move |bit| usize::try_from(bit as i32 + by).ok().filter(|&to| to < 64)
}

/// Applies every move between lanes that kernels have.
macro_rules! lanes {
    ($isa:ident, $L:ident, $row:ident, $checks:ident; $($by:literal)*) => {$(
        let by = $by as i32;
        let lanes = $L::load($isa, &$row);
        $checks.expect(format_args!("lanes_up {by}"), stored(lanes.lanes_up::<$by>()), in_lanes(&$row, by));
        $checks.expect(format_args!("lanes_down {by}"), stored(lanes.lanes_down::<$by>()), in_lanes(&$row, -by));
    )*};
}

/// All methods. Every so many of the pairs of bits are taken.
pub(super) fn check<L: EightBoards>(isa: L::Isa, checks: &mut Checks, step: usize) {
    let mut rows = vec![Row::EMPTY, !Row::EMPTY];
    rows.extend((0..512).map(|bit| row(&[bit])));
    let pairs = (0..512).flat_map(|high| (0..high).map(move |low| [low, high]));
    rows.extend(pairs.step_by(step).map(|pair| row(&pair)));
    for row in &rows {
        one_operand::<L>(isa, row, checks);
    }
    for row in &rows[..600] {
        for by in -63..64 {
            let found = stored(L::load(isa, row).shift(isa, by));
            let expected = moved(row, shifted(by));
            checks.expect(format_args!("shift {by}"), found, expected);
        }
    }
    for triple in three_operands(64) {
        three::<L>(isa, triple.map(|word| Row([word; 8])), checks);
    }
    for seed in (0..1000).map(|k| 100 * k) {
        let row = |n: u64| Row(std::array::from_fn(|k| mixed(seed + n * 10 + k as u64)));
        three::<L>(isa, [0, 1, 2].map(row), checks);
    }
    checks.operations += 14;
}

fn one_operand<L: EightBoards>(isa: L::Isa, row: &Row, checks: &mut Checks) {
    let lanes = L::load(isa, row);
    let flip = |f: fn(usize, usize) -> (usize, usize)| {
        moved(row, move |square| {
            let (file, rank) = f(square % 8, square / 8);
            Some(file + 8 * rank)
        })
    };
    let mut reversed = *row;
    reversed.0.reverse();
    let zero = format_args!("is_zero {row:x?}");
    checks.expect(zero, lanes.is_zero(), *row == Row::EMPTY);
    let mut is = |name, found: L, expected| checks.expect(name, stored(found), expected);
    is("load and store", lanes, *row);
    is("reverse_lanes", lanes.reverse_lanes(), reversed);
    let flipped = flip(|file, rank| (file, 7 - rank));
    is("flip_vertical", lanes.flip_vertical(), flipped);
    let flipped = flip(|file, rank| (7 - file, rank));
    is("flip_horizontal", lanes.flip_horizontal(isa), flipped);
    let flipped = flip(|file, rank| (rank, file));
    is("flip_diagonal", lanes.flip_diagonal(isa), flipped);
    let word = row.0[0] ^ row.0[5];
    is("splat", L::splat(isa, word), Row([word; 8]));
    lanes!(isa, L, row, checks; 1 2 4);
}

/// Operations on the bits at the same place.
fn three<L: EightBoards>(isa: L::Isa, rows: [Row; 3], checks: &mut Checks) {
    let ([a, b, c], [x, y, z]) = (rows, rows.map(|row| L::load(isa, &row)));
    let zip = |f: fn(u64, u64, u64) -> u64| Row(std::array::from_fn(|k| f(a.0[k], b.0[k], c.0[k])));
    let mut is = |name, found: L, expected| checks.expect(name, stored(found), expected);
    is("and", x & y, zip(|a, b, _| a & b));
    is("or", x | y, zip(|a, b, _| a | b));
    is("without", x.without(y), zip(|a, b, _| a & !b));
    is("or_and", x.or_and(y, z), zip(|a, b, c| a | b & c));
}
