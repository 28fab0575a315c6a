//! Stockfish's `.plain`: records of lines such as `fen …`, `move …`, `score …`, `ply …`, `result …`, and `e` at the end.

use std::io::{self, Write};

use tbgen::Evaluation;
use tbindex::Rights;

use super::item::{Content, Input, Stream, content};

/// Records of training data. The result, from the view of the side to move, is corrected where it is certain.
pub(crate) struct Plain;

/// The text after a word at the beginning of a line.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, rest) = line.trim().split_once(' ')?;
    (found == name).then(|| rest.trim())
}

impl Stream for Plain {
    type Item = Vec<String>;

    fn read(&self, input: &mut Input) -> io::Result<Option<(u64, Vec<String>)>> {
        let (mut lines, mut number) = (Vec::new(), None);
        while let Some(line) = input.lines.next_line()? {
            if after(&line, "fen").is_some() {
                number = number.or(Some(input.lines.number()));
            }
            let is_end = line.trim() == "e";
            lines.push(line);
            if is_end {
                break;
            }
        }
        let number = number.unwrap_or(input.lines.number());
        Ok((!lines.is_empty()).then_some((number, lines)))
    }

    fn content(&self, lines: &Vec<String>, rights: Rights) -> Option<Content> {
        if lines.iter().all(|line| line.trim().is_empty()) {
            return None;
        }
        let field = |name: &str| {
            let mut found = lines.iter().filter_map(|line| after(line, name));
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

    fn write(&self, lines: &Vec<String>, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let mut changed = false;
        for line in lines {
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
