//! Stockfish's `.plain`: records of lines such as `fen …`, `move …`, `score …`, `ply …`, `result …`, and `e` at the end.

use std::io::{self, Write};

use tbgen::Label;
use tbindex::Rights;

use super::item::{Content, Format, Input, content_of_fen};

/// Records of training data. The result, from the view of the side to move, is corrected where it is certain.
pub(super) struct Plain {
    pub(super) rights: Rights,
}

/// What follows a word at the beginning of a line.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, rest) = line.trim().split_once(' ')?;
    (found == name).then(|| rest.trim())
}

impl Format for Plain {
    type Item = Vec<String>;

    fn read(&self, input: &mut Input<'_>) -> io::Result<Option<(u64, Vec<String>)>> {
        let (mut lines, mut number) = (Vec::new(), None);
        while let Some(line) = input.line()? {
            if after(&line, "fen").is_some() {
                number = Some(input.number);
            }
            let is_end = line.trim() == "e";
            lines.push(line);
            if is_end {
                break;
            }
        }
        let number = number.unwrap_or(input.number);
        Ok((!lines.is_empty()).then_some((number, lines)))
    }

    fn content(&self, lines: &Vec<String>) -> Option<Content> {
        if lines.iter().all(|line| line.trim().is_empty()) {
            return None;
        }
        let field = |name: &str| {
            let found = lines.iter().find_map(|line| after(line, name));
            found.ok_or_else(|| format!("the record has no {name}"))
        };
        let fen = field("fen").and_then(|fen| field("result").map(|_| fen));
        Some(fen.and_then(|fen| content_of_fen(fen, self.rights)))
    }

    fn write(&self, lines: &Vec<String>, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut changed = false;
        for line in lines {
            let known = label.filter(|label| label.certain);
            match known.zip(after(line, "result")) {
                Some((label, old)) => {
                    // What the fifty-move rule saves is a draw.
                    let result = label.outcome as i8 / 2;
                    changed |= old.parse() != Ok(result);
                    writeln!(out, "result {result}").expect("memory is written");
                }
                None => out.extend_from_slice(line.as_bytes()),
            }
        }
        changed
    }
}
