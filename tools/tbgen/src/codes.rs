//! Codes of values, of which each side of a table has a list.
//!
//! By the distance to zeroing, codes are given out as values are found. By the distance to mate, moves out of a part bring
//! values of their own, which have to be compared, so there the code itself says the value: bit 0 is set in wins, and the
//! bits above it are the *half*, which is one more than half of the plies, rounded down. Draws have code 0. A move to a
//! loss in 2n plies is a win in 2n + 1, of the same half, and one to a win in 2n + 1 is a loss in 2n + 2, of the next.

use crate::value::{Metric, Outcome, Value};

/// The most bits of a code.
pub(crate) const BITS: usize = 11;

/// The most codes of a side: more values than any table has that is known.
pub(crate) const MOST_CODES: usize = 1 << BITS;

/// The code of a checkmate.
pub(crate) const MATED: u16 = 2;

/// The code of a value by the distance to mate, or `None` if the distance is too long, or no distance to mate: wins are
/// in an odd number of plies, losses in an even one.
pub(crate) fn code_of_mate(value: Value) -> Option<u16> {
    let win = match value.outcome {
        Outcome::Draw => return Some(0),
        outcome => u16::from(outcome > Outcome::Draw),
    };
    let code = (value.plies / 2 + 1) << 1 | win;
    (value.plies % 2 == win && usize::from(code) < MOST_CODES).then_some(code)
}

/// The value of a code by the distance to mate.
pub(crate) fn mate_of_code(code: u16) -> Value {
    match (code >> 1, code & 1) {
        (0, _) => Value::DRAW,
        (half, 0) => Metric::Dtm.loss(2 * (half - 1)),
        (half, _) => Metric::Dtm.win(2 * (half - 1) + 1),
    }
}

/// Whether the codes of these values say the distance to mate. What no position has may be a draw in the list.
pub(crate) fn say_mates(values: &[Value]) -> bool {
    let all = values.iter().zip(0..);
    all.skip(1)
        .all(|(&value, code)| value == Value::DRAW || code_of_mate(value) == Some(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_say_their_values() {
        for code in (2..MOST_CODES as u16).chain([0]) {
            let value = mate_of_code(code);
            assert_eq!(code_of_mate(value), Some(code), "{value}");
            assert_eq!(value.outcome > Outcome::Draw, code & 1 != 0);
        }
        assert_eq!(code_of_mate(Value::loss(0)), Some(MATED));
        assert_eq!(code_of_mate(Metric::Dtm.win(2047)), None);
        assert_eq!(code_of_mate(Metric::Dtm.win(10)), None);
        assert_eq!(code_of_mate(Metric::Dtm.loss(9)), None);
        assert!(say_mates(&[Value::DRAW, Value::DRAW, Metric::Dtm.loss(0)]));
        assert!(!say_mates(&[Value::DRAW, Metric::Dtm.loss(0)]));
    }
}
