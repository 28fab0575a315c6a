//! Stockfish's `.plain`: records of lines such as `fen …`, `move …`, `score …`, `ply …`, `result …`, and `e` at the end.

use std::io::{self, BufRead, Write};

use super::item::{Content, Format, Label, content_of_fen, read_line};

/// Records of training data. The result, from the view of the side to move, is corrected.
#[derive(Default)]
pub(super) struct Plain {
    lines: u64,
}

/// What follows a word at the beginning of a line.
fn after<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (found, rest) = line.trim().split_once(' ')?;
    (found == name).then(|| rest.trim())
}

impl Format for Plain {
    type Item = Vec<String>;

    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, Vec<String>)>> {
        let (mut lines, mut line, mut of_fen) = (Vec::new(), String::new(), None);
        while read_line(input, &mut line)? {
            self.lines += 1;
            if after(&line, "fen").is_some() {
                of_fen = Some(self.lines);
            }
            let is_end = line.trim() == "e";
            lines.push(std::mem::take(&mut line));
            if is_end {
                break;
            }
        }
        let number = of_fen.unwrap_or(self.lines);
        Ok((!lines.is_empty()).then_some((number, lines)))
    }

    fn content(&self, lines: &Vec<String>) -> Option<Content> {
        if lines.iter().all(|line| line.trim().is_empty()) {
            return None;
        }
        let Some(fen) = lines.iter().find_map(|line| after(line, "fen")) else {
            return Some(Content::Bad("the record has no fen".to_owned()));
        };
        if !lines.iter().any(|line| after(line, "result").is_some()) {
            return Some(Content::Bad("the record has no result".to_owned()));
        }
        Some(content_of_fen(fen))
    }

    fn write(&self, lines: &Vec<String>, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut changed = false;
        for line in lines {
            match label.zip(after(line, "result")) {
                Some((label, old)) => {
                    // What the fifty-move rule saves is a draw.
                    let result = label.wdl / 2;
                    changed |= old.parse() != Ok(result);
                    writeln!(out, "result {result}").expect("memory is written");
                }
                None => out.extend_from_slice(line.as_bytes()),
            }
        }
        changed
    }
}
