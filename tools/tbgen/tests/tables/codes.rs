//! Codes of values, and operations on bit planes of them.

use std::array::from_fn;

use tbgen::internals::{
    CodeSets, MOST_CODES, MOST_MATE_PLIES, are_coded, bytes_of, code_of, exchange_winners,
    improved, mate_of_code, to_moves, transpose_words, words_of,
};
use tbgen::{Metric, Outcome, Value};
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, Row};

#[test]
fn codes_say_their_values() {
    for side in Color::ALL {
        for code in (2..MOST_CODES as u16).chain([0]) {
            let value = mate_of_code(code, side);
            assert_eq!(code_of(Metric::Dtm, value, side), Some(code), "{value}");
            if code > 0 {
                let black_wins = (value.outcome > Outcome::Draw) == (side == Color::Black);
                assert_eq!(black_wins, code & 1 != 0);
            }
        }
        assert_eq!(
            code_of(Metric::Dtm, Metric::Dtm.win(MOST_MATE_PLIES + 2), side),
            None
        );
        assert_eq!(code_of(Metric::Dtm, Metric::Dtm.win(10), side), None);
        assert_eq!(code_of(Metric::Dtm, Metric::Dtm.loss(9), side), None);
        let mated = [Value::DRAW, Value::DRAW, Metric::Dtm.loss(0)];
        assert_eq!(are_coded(Metric::Dtm, &mated, side), side == Color::Black);
        assert!(!are_coded(Metric::Dtm, &mated[1..], side));
    }
}

/// All pairs of codes, one position after the other, against the preferences of values.
#[test]
fn rows_of_codes_are_compared_as_values_are() {
    let codes: Vec<u16> = [0].into_iter().chain(2..60).collect();
    for (&new, side) in (codes.iter()).flat_map(|new| Color::ALL.map(|side| (new, side))) {
        let there = |code: u16| mate_of_code(code, side);
        let (mut halves, mut rows) = ([Row::EMPTY; 7], [Row::EMPTY; 6]);
        for (at, &old) in codes.iter().enumerate() {
            let put = |rows: &mut [Row], code: u16| {
                for (bit, row) in rows.iter_mut().enumerate() {
                    row.0[at / 64] |= u64::from(code >> bit & 1) << (at % 64);
                }
            };
            put(&mut halves, new);
            put(&mut rows, old);
        }
        let improved = improved(&halves, &rows, side);
        for (at, &old) in codes.iter().enumerate() {
            let (new, old) = (there(new), there(old));
            let better = old == Value::DRAW || new.preference() > old.preference();
            let found = improved.0[at / 64] >> (at % 64) & 1 != 0;
            assert_eq!(found, new != Value::DRAW && better, "{old} and then {new}");
        }
    }
}

/// Sets in which the position at a place has that code, of as many as there are of `codes`, but for 1.
fn sets_of(codes: u16) -> CodeSets {
    let domain = Domain::try_new("KQvK".parse().unwrap(), &[]).unwrap();
    let mut sets = CodeSets::default();
    for bit in 0..codes.ilog2() + 1 {
        let rows = sets.push(&domain).unwrap().rows_mut();
        for at in (0..codes).filter(|at| at >> bit & 1 != 0 && *at != 1) {
            rows[usize::from(at)].0[usize::from(at) % 8] = 1 << (at % 64);
        }
    }
    sets
}

/// Whether the position at each place has the code that its value leads to, and no other has any.
fn have(sets: &CodeSets, codes: u16, code: impl Fn(u16) -> u16) -> bool {
    let places = (0..codes).filter(|at| *at != 1);
    let bits: u32 = places.clone().map(|at| code(at).count_ones()).sum();
    let rows = sets.planes().iter().flat_map(Bitbase::rows);
    let found = |at: u16| {
        let planes = sets.planes().iter().enumerate();
        planes.fold(0, |found, (bit, set)| {
            let word = set.rows()[usize::from(at)].0[usize::from(at) % 8];
            found | ((word >> (at % 64) & 1) as u16) << bit
        })
    };
    rows.map(Row::len).sum::<u32>() == bits && places.into_iter().all(|at| found(at) == code(at))
}

#[test]
fn planes_change_as_their_values_do() {
    let count = 60;
    for side in Color::ALL {
        let value = |code| mate_of_code(code, side);
        let code_of = |value, side| code_of(Metric::Dtm, value, side).unwrap();
        let mut sets = sets_of(count);
        exchange_winners(&mut sets, |_| true);
        assert!(have(&sets, count, |code| code_of(value(code), !side)));
        let mut sets = sets_of(count);
        let moved = to_moves(&mut sets, Metric::Dtm, side, |_| true);
        moved.unwrap().unwrap();
        let after = |code| Metric::Dtm.after_move(value(code), true);
        assert!(have(&sets, count, |code| code_of(after(code), !side)));
    }
}

#[test]
fn distances_that_codes_cannot_say_are_refused() {
    let mut sets = sets_of(MOST_CODES as u16 - 1);
    let side = Color::White;
    let moved = to_moves(&mut sets, Metric::Dtm, side, |_| true).unwrap();
    assert!(moved.is_none());
}

#[test]
fn bits_become_bytes_and_bits_again() {
    let words: [u64; 8] = from_fn(|k| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for count in [1, 5, 8] {
        let bytes = bytes_of(&words[..count]);
        for (square, &byte) in bytes.iter().enumerate() {
            let bits = words[..count].iter().enumerate();
            let expected = bits.fold(0, |byte, (k, word)| byte | (word >> square & 1) << k);
            assert_eq!(u64::from(byte), expected);
        }
        assert_eq!(words_of(&bytes)[..count], words[..count]);
        assert_eq!(words_of(&bytes)[count..], [0; 8][count..]);
    }
}

#[test]
fn rows_of_a_matrix_become_columns() {
    let words: [u64; 64] = from_fn(|k| (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut transposed = words;
    transpose_words(&mut transposed);
    for (j, column) in transposed.iter().enumerate() {
        for (k, row) in words.iter().enumerate() {
            assert_eq!(column >> k & 1, row >> j & 1);
        }
    }
}
