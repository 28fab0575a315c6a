//! Stockfish's `.plain`: records of lines such as `fen …`, `move …`, `score …`, `ply …`, `result …`, and `e` at the end.

use std::io::Write;

use tbgen::Evaluation;
use tbindex::Rights;

use super::item::{Content, Input, Next, Stream, content};

/// Records of training data. The result, from the view of the side to move, is corrected where it is certain.
pub(crate) struct Plain;

/// The text after a word at the beginning of a line.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, rest) = line.trim().split_once(' ')?;
    (found == name).then(|| rest.trim())
}

/// The lines of a record, with their ends.
fn lines(record: &str) -> impl Iterator<Item = &str> {
    record.split_inclusive(['\r', '\n'])
}

impl Stream for Plain {
    type Item = String;

    fn read(&self, input: &mut Input) -> Next<String> {
        let mut fen = None;
        let record = input.text(|number, line| {
            let line = line.unwrap_or_default().trim_ascii();
            if line.starts_with(b"fen ") {
                fen.get_or_insert(number);
            }
            line == b"e"
        })?;
        Ok(record.map(|(first, record)| (fen.unwrap_or(first), record)))
    }

    fn content(&self, record: &String, rights: Rights) -> Option<Content> {
        if record.trim().is_empty() {
            return None;
        }
        let field = |name: &str| {
            let mut found = lines(record).filter_map(|line| after(line, name));
            match (found.next(), found.next()) {
                (Some(field), None) => Ok(field),
                (None, _) => Err(format!("the record has no {name}")),
                // A line is missing that has an e alone.
                (Some(_), Some(_)) => Err(format!("the record has more than one {name}")),
            }
        };
        let fen = field("fen").and_then(|fen| field("result").map(|_| fen));
        Some(fen.and_then(|fen| content(fen, rights)))
    }

    fn write(&self, record: &String, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let mut changed = false;
        for line in lines(record) {
            let known = label.filter(|label| label.certain);
            match known.zip(after(line, "result")) {
                Some((label, old)) => {
                    // A loss that the fifty-move rule saves is a draw.
                    let result = label.outcome as i8 / 2;
                    changed |= old.parse() != Ok(result);
                    let end = line.trim_end_matches(['\r', '\n']).len();
                    let end = if end < line.len() { &line[end..] } else { "\n" };
                    write!(out, "result {result}{end}").expect("memory is written");
                }
                None => out.extend_from_slice(line.as_bytes()),
            }
        }
        changed
    }
}
