//! FEN and EPD: a position in each line, with operations behind it.

use std::io::{self, Write};

use tbgen::{Evaluation, Value};
use tbindex::{EpdLine, Rights};

use super::item::{Content, Input, Next, Stream, content};
use super::row::{Column, DTM, DTZ, NUMBERS, Row, text};
use crate::answers::describe;

/// Lines of FEN or EPD. Labels are operations, in place of those of the same names. An outcome that is not certain is not
/// written.
pub(crate) struct Epd<'a> {
    pub(crate) labels: &'a [Column],
    /// Whether there is a comment that says the same.
    pub(crate) comment: bool,
}

/// Whether a line has no position.
pub(crate) fn is_remark(line: &str) -> bool {
    let text = line.trim_start();
    text.is_empty() || text.starts_with('#')
}

impl Stream for Epd<'_> {
    type Item = String;

    fn read(&self, input: &mut Input) -> Next<String> {
        input.line()
    }

    fn content(&self, line: &String, rights: Rights) -> Option<Content> {
        (!is_remark(line)).then(|| content(line.trim(), rights))
    }

    fn write(&self, line: &String, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let Some(label) = label else {
            out.extend_from_slice(line.as_bytes());
            return false;
        };
        let numbers = self.labels.iter().map(|&(name, of)| (name, of(label)));
        let mut new: Vec<(&str, String)> = numbers.map(operation).collect();
        if self.comment {
            new.push(("c0", format!("\"{}\"", in_words(label, self.labels))));
        }
        let line = EpdLine::from(&**line);
        let (mut changed, mut stay) = (false, Vec::new());
        for operation in line.operations() {
            let split = operation.split_once(char::is_whitespace);
            let (code, operand) = split.unwrap_or((operation, ""));
            match new.iter().find(|(own, _)| *own == code) {
                Some((_, value)) => changed |= value != operand.trim(),
                None => stay.push(operation),
            }
        }
        write_line(&line, &stay, &new, out).expect("memory is written");
        changed
    }
}

/// The operation of a column with its number, or nothing if it has none.
fn operation((column, number): (&'static str, Option<i32>)) -> (&'static str, String) {
    // Full moves.
    let moves = |plies: i32| (plies.abs() + 1) / 2 * plies.signum();
    let (code, number) = match column {
        "dtm" => ("dm", number.map(moves)),
        _ => (column, number),
    };
    let text = number.map(|number| number.to_string());
    (code, text.unwrap_or_default())
}

/// Writes the fields of a line, the operations of it that stay, the new ones that say something, and its end.
fn write_line(
    line: &EpdLine<'_>,
    stay: &[&str],
    new: &[(&str, String)],
    out: &mut impl Write,
) -> io::Result<()> {
    // Operations stand behind four fields.
    let missing = &" - -"[2 * line.field_count.saturating_sub(2)..];
    write!(out, "{}{missing}", line.head)?;
    for operation in stay {
        write!(out, " {operation};")?;
    }
    for (code, value) in new.iter().filter(|(_, value)| !value.is_empty()) {
        write!(out, " {code} {value};")?;
    }
    let end = if line.end.is_empty() { "\n" } else { line.end };
    out.write_all(end.as_bytes())
}

/// Writes a new line: the FEN of a row, and its fields that are operations. A text without an answer stays as it is.
pub(super) fn write_row(row: &Row, out: &mut impl Write) -> io::Result<()> {
    let (fen, best) = (text(row, "fen"), text(row, "best"));
    if row.as_object().is_some_and(|fields| fields.len() == 1) {
        return writeln!(out, "{fen}");
    }
    let number = |(name, _): Column| (name, row[name].as_i64().map(|number| number as i32));
    let mut new = vec![("bm", best)];
    new.extend(NUMBERS.map(number).map(operation));
    let line = EpdLine::from(fen.strip_suffix(" 0 1").unwrap_or(&fen));
    write_line(&line, &[], &new, out)
}

/// A label as people read it, with the distances of these columns.
fn in_words(label: Evaluation, columns: &[Column]) -> String {
    if [label.dtz, label.dtm].contains(&Some(Value::loss(0))) {
        return "checkmate".to_owned();
    }
    let asked = |distance: Option<Value>, (name, _): Column| {
        distance.filter(|_| columns.iter().any(|column| column.0 == name))
    };
    describe(&Evaluation {
        dtz: asked(label.dtz, DTZ),
        dtm: asked(label.dtm, DTM),
        ..label
    })
}
