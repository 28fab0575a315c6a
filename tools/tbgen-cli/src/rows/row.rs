//! The fields of rows by the names of their columns.

use serde_json::Value as Json;
use tbgen::{Evaluation, Metric, Value};

/// A JSON object: the fields of a position by the names of their columns, in order. Answers are rows, too.
pub type Row = Json;

/// A column of numbers: its name, and its field of a label.
pub type Column = (&'static str, fn(Evaluation) -> Option<i32>);

pub(crate) const WDL: Column = ("wdl", |label| label.certain.then_some(label.outcome as i32));
pub(crate) const DTZ: Column = ("dtz", |label| label.signed(Metric::Dtz).map(i32::from));
pub(crate) const DTM: Column = ("dtm", |label| label.signed(Metric::Dtm).map(i32::from));
pub(crate) const NUMBERS: [Column; 3] = [WDL, DTZ, DTM];

/// Whether a column has numbers. The others have texts.
#[must_use]
pub fn is_number(column: &str) -> bool {
    NUMBERS.iter().any(|(name, _)| *name == column)
}

/// The columns of positions of a table.
pub(crate) fn columns(metric: Metric) -> [&'static str; 4] {
    ["fen", "material", WDL.0, metric.name()]
}

/// The row of a position of a table, with these columns.
pub(crate) fn row(fen: String, material: String, metric: Metric, value: Value) -> Row {
    let (outcome, distance) = (value.outcome as i8, value.signed(metric));
    let fields: [Json; 4] = [fen.into(), material.into(), outcome.into(), distance.into()];
    columns(metric).into_iter().zip(fields).collect()
}

/// A field as text: empty if there is none, and words with spaces between. A column of an object within is named behind a point.
#[must_use]
pub fn text(row: &Row, column: &str) -> String {
    match column.split('.').fold(row, |of, name| &of[name]) {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
            words.join(" ")
        }
        other => other.to_string(),
    }
}
