//! The lists of values of a table file, of which codes are the numbers.

use std::path::Path;

use tbindex::Color;

use super::{FileError, VALUE_BYTES};
use crate::table::codes::{MOST_MATE_PLIES, code_of};
use crate::table::value::{Metric, Value};

/// The bytes of values.
pub(in crate::storage) fn encode<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<u8> {
    let fields = values.flat_map(|value| [value.kind(), value.plies]);
    fields.flat_map(u16::to_le_bytes).collect()
}

/// The value that bytes say, if there is such a value by a metric.
pub(in crate::storage) fn value_of(metric: Metric, bytes: [u8; VALUE_BYTES]) -> Option<Value> {
    let (zeroing, help) = (metric == Metric::Dtz, metric.victim().is_some());
    let [kind, 0, low, high] = bytes else {
        return None;
    };
    let plies = u16::from_le_bytes([low, high]);
    match (kind, plies) {
        (0, 0) => Some(Value::DRAW),
        (1 | 2, 0..=Value::MOST_PLIES) if help => Some(Value::help(plies, kind == 1)),
        (1, 1..=Value::MOST_PLIES) if zeroing || plies % 2 != 0 => Some(metric.win(plies)),
        (2, 0..=Value::MOST_PLIES) if zeroing || plies % 2 == 0 => Some(metric.loss(plies)),
        _ => None,
    }
}

/// The values of a side to move, of which the file has so many others before: those of the codes that a table in memory has,
/// and these codes, one after the other.
pub(super) fn decode(
    path: &Path,
    (metric, side): (Metric, Color),
    bytes: &[u8],
    before: usize,
) -> Result<(Vec<Value>, Vec<u16>), FileError> {
    let odd = metric.victim().map(|victim| victim != side);
    let parity = match (metric, odd) {
        (Metric::Dtm, _) => ", a win in an odd number of them and a loss in an even one",
        (_, Some(true)) => ", an odd number",
        (_, Some(false)) => ", an even number",
        _ => "",
    };
    let mut last = (0, 0);
    let most = match metric {
        Metric::Dtz => Value::MOST_PLIES,
        _ => MOST_MATE_PLIES,
    };
    let (mut own, mut codes) = (Vec::new(), Vec::new());
    for (number, bytes) in bytes.as_chunks().0.iter().enumerate() {
        // The first is a draw, and the others are in order.
        let value = value_of(metric, *bytes).filter(|value| {
            let before = std::mem::replace(&mut last, (value.kind(), value.plies));
            match number {
                0 => *value == Value::DRAW,
                _ => before < last && odd.is_none_or(|odd| (value.plies % 2 == 1) == odd),
            }
        });
        let code = value.and_then(|value| match metric {
            Metric::Dtz => Some(number as u16),
            _ => code_of(metric, value, side),
        });
        let Some((value, code)) = value.zip(code) else {
            let what = format!("value {}", before + number);
            let expected = match number {
                0 => "a draw".to_owned(),
                _ => format!(
                    "wins, then losses, each in more plies than the one before, at most {most}{parity}"
                ),
            };
            return Err(FileError::field(
                path,
                what,
                format!("{bytes:02x?}"),
                expected,
            ));
        };
        own.resize(own.len().max(usize::from(code) + 1), Value::DRAW);
        own[usize::from(code)] = value;
        codes.push(code);
    }
    Ok((own, codes))
}
