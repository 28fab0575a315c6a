//! The lists of values of a table file, of which codes are the numbers.

use std::collections::BTreeSet;
use std::path::Path;

use super::{FileError, VALUE_BYTES};
use crate::table::value::{Metric, Outcome, Value};

/// The bytes of values.
pub(super) fn encode<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<u8> {
    let bytes = values.flat_map(|value| {
        let kind: u16 = match value.outcome {
            Outcome::Draw => 0,
            Outcome::Win | Outcome::CursedWin => 1,
            Outcome::Loss | Outcome::BlessedLoss => 2,
        };
        [kind.to_le_bytes(), value.plies.to_le_bytes()]
            .into_iter()
            .flatten()
    });
    bytes.collect()
}

/// The values of a side, of which the file has so many others before.
pub(super) fn decode(
    path: &Path,
    metric: Metric,
    bytes: &[u8],
    before: usize,
) -> Result<Vec<Value>, FileError> {
    let zeroing = metric == Metric::Dtz;
    let parity = match zeroing {
        true => "",
        false => ", a win in an odd number of them and a loss in an even one",
    };
    let mut there = BTreeSet::new();
    let values = bytes.chunks_exact(VALUE_BYTES).enumerate();
    values
        .map(|(number, value)| {
            let plies = u16::from_le_bytes([value[2], value[3]]);
            let decoded = match (value[0], value[1], plies) {
                (0, 0, 0) => Some(Value::DRAW),
                (1, 0, 1..=Value::MOST_PLIES) if zeroing || plies % 2 != 0 => {
                    Some(metric.win(plies))
                }
                (2, 0, 0..=Value::MOST_PLIES) if zeroing || plies % 2 == 0 => {
                    Some(metric.loss(plies))
                }
                _ => None,
            };
            // The first is a draw, and no other one is.
            let decoded = decoded.filter(|value| (*value == Value::DRAW) == (number == 0));
            decoded
                .filter(|value| there.insert(*value))
                .ok_or_else(|| FileError::Field {
                    path: path.to_owned(),
                    what: format!("value {}", before + number),
                    found: format!("{value:02x?}"),
                    expected: match number {
                        0 => "a draw".to_owned(),
                        _ => format!(
                            "a win or loss that was not there before, in at most {} plies{parity}",
                            Value::MOST_PLIES
                        ),
                    },
                })
        })
        .collect()
}
