//! Codes of values, of which each side of a table has a list.
//!
//! By the distance to zeroing, codes are given out as values are found. By the distance to mate, moves out of a part bring
//! values of their own, which have to be compared, so there the code itself says the value: bit 0 is set where black wins,
//! and the bits above it are the *half*, which is one more than half of the plies, rounded down. Draws have code 0. A move
//! to a loss in 2n plies is a win in 2n + 1, of the same half, and one to a win in 2n + 1 is a loss in 2n + 2, of the next.
//!
//! Of helpmates the code says the plies in the same way, and bit 0 is set where several sequences of moves are as short. The
//! victim is to move in an even number of plies.
//!
//! As black has the weaker pieces, few positions have bit 0. With one for the side to move instead, most of those in which
//! white is to move would have it, which is a plane more in memory.

use std::ops::Range;

use tbindex::Color;
use tbindex::bitbase::Row;

use crate::table::value::{Metric, Outcome, Value};

/// The most bits of a code.
pub(crate) const BITS: usize = 11;

/// The most codes of a side: more values than any table has that is known.
pub const MOST_CODES: usize = 1 << BITS;

/// Bit 0 of the codes with which a side wins.
pub(crate) fn bit_of(winner: Color) -> u16 {
    u16::from(winner == Color::Black)
}

/// The code of a value for the side to move by the distance to mate or of helpmates, or `None` if the distance is too long, or
/// no such distance: wins are in an odd number of plies, losses in an even one.
#[must_use]
pub fn code_of(metric: Metric, value: Value, side: Color) -> Option<u16> {
    if value.outcome == Outcome::Draw {
        return Some(0);
    }
    let (bit, is_odd) = match metric.victim() {
        Some(victim) => (u16::from(!value.is_unique()), side != victim),
        None if value.outcome > Outcome::Draw => (bit_of(side), true),
        None => (bit_of(!side), false),
    };
    let code = (value.plies / 2 + 1) << 1 | bit;
    let fits = value.plies % 2 == u16::from(is_odd);
    (fits && usize::from(code) < MOST_CODES).then_some(code)
}

/// The positions of a row with `side` to move of which the halves are one less than those of moves to them, from the planes of
/// the bits of their codes.
#[inline(always)]
pub(crate) fn grown(metric: Metric, side: Color, planes: &[Row]) -> Row {
    match metric.victim() {
        None => won_by(side, planes),
        Some(victim) if victim == side => Row::EMPTY,
        Some(_) => planes.iter().fold(Row::EMPTY, |all, row| all | *row),
    }
}

/// The code of an outcome for the side to move: in place of the half of a distance 1 if the fifty-move rule makes no
/// difference, and 2 if it does. So codes of outcomes have the order of codes that say the distance to mate.
pub(crate) fn code_of_outcome(outcome: Outcome, side: Color) -> u16 {
    let (half, winner) = match outcome {
        Outcome::Draw => return 0,
        Outcome::Win => (1, side),
        Outcome::CursedWin => (2, side),
        Outcome::BlessedLoss => (2, !side),
        Outcome::Loss => (1, !side),
    };
    half << 1 | bit_of(winner)
}

/// The value of a code for the side to move, by the distance to mate.
#[must_use]
pub fn mate_of_code(code: u16, side: Color) -> Value {
    match code >> 1 {
        0 => Value::DRAW,
        half if code & 1 == bit_of(side) => Metric::Dtm.win(2 * (half - 1) + 1),
        half => Metric::Dtm.loss(2 * (half - 1)),
    }
}

/// The plies of a code for the side to move, by the distance to mate or of helpmates.
pub(crate) fn plies_of_code(metric: Metric, code: u16, side: Color) -> u16 {
    let is_odd = match metric.victim() {
        Some(victim) => side != victim,
        None => code & 1 == bit_of(side),
    };
    2 * ((code >> 1) - 1) + u16::from(is_odd)
}

/// The most plies to mate or of a helpmate that a code says.
pub const MOST_MATE_PLIES: u16 = MOST_CODES as u16 - 3;

/// Whether the codes of these values for the side to move are those of a metric but the distance to zeroing, as they are in all
/// tables but files. A code that no position has may be a draw in the list.
#[must_use]
pub fn are_coded(metric: Metric, values: &[Value], side: Color) -> bool {
    let mut all = values.iter().zip(0..).skip(1);
    all.all(|(&value, code)| value == Value::DRAW || code_of(metric, value, side) == Some(code))
}

/// The positions of a row that a side wins, from the planes of the bits of codes that say the distance to mate.
#[inline(always)]
pub(crate) fn won_by(winner: Color, planes: &[Row]) -> Row {
    let Some((black, halves)) = planes.split_first() else {
        return Row::EMPTY;
    };
    if winner == Color::Black {
        return *black;
    }
    let mut any = Row::EMPTY;
    for &half in halves {
        any |= half;
    }
    any & !*black
}

/// A set of codes.
#[derive(Clone, Debug)]
pub(crate) enum Codes {
    /// Ranges without a gap.
    Ranges(Vec<Range<usize>>),
    /// The positions that a side wins, of codes that say the distance to mate.
    WonBy(Color),
}

impl Codes {
    /// The codes whose value passes a test, 0 left out.
    pub(crate) fn of(values: &[Value], test: impl Fn(Value) -> bool) -> Codes {
        let is_mover = |side: &Color| are_coded(Metric::Dtm, values, *side);
        if let Some(side) = Color::ALL.into_iter().find(is_mover) {
            let passing = |won: bool| {
                let decided = values.iter().filter(|value| **value != Value::DRAW);
                let those = decided.filter(|value| (value.outcome > Outcome::Draw) == won);
                let passing: Vec<bool> = those.map(|&value| test(value)).collect();
                (passing.contains(&true), passing.contains(&false))
            };
            for won in [false, true] {
                if passing(won) == (true, false) && !passing(!won).0 {
                    return Codes::WonBy(if won { side } else { !side });
                }
            }
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (code, &value) in values.iter().enumerate().skip(1) {
            match ranges.last_mut() {
                _ if !test(value) => {}
                Some(last) if last.end == code => last.end += 1,
                _ => ranges.push(code..code + 1),
            }
        }
        Codes::Ranges(ranges)
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Codes::Ranges(ranges) if ranges.is_empty())
    }

    /// The positions of a row with these codes, from the planes of the bits of their codes.
    pub(crate) fn among(&self, planes: &[Row]) -> Row {
        let mut all = Row::EMPTY;
        match self {
            Codes::Ranges(ranges) => {
                for range in ranges {
                    all |= at_least(planes, range.start) & !at_least(planes, range.end);
                }
            }
            Codes::WonBy(winner) => all = won_by(*winner, planes),
        }
        all
    }
}

/// The positions whose code is not below another. Whether it is, the highest bit says in which they differ.
pub(crate) fn at_least(planes: &[Row], code: usize) -> Row {
    if code >> planes.len() != 0 {
        return Row::EMPTY;
    }
    let mut all = !Row::EMPTY;
    for (bit, &plane) in planes.iter().enumerate() {
        if code >> bit & 1 != 0 {
            all &= plane;
        } else {
            all |= plane;
        }
    }
    all
}
