//! FEN and EPD: a position in each line, with operations behind it.

use std::io::{self, BufRead, Write};

use tbgen::EpdLine;

use super::item::{Content, Format, Label, content, counter, read_line};

/// Lines of FEN or EPD. Labels are operations; those of the same names are replaced.
#[derive(Default)]
pub(crate) struct Epd {
    lines: u64,
    /// Whether there is a comment that says the same.
    comment: bool,
}

/// The operations of labels.
const OWN: [&str; 4] = ["wdl", "dtz", "dm", "c0"];

impl Epd {
    pub(super) fn new(comment: bool) -> Epd {
        Epd { lines: 0, comment }
    }
}

impl Format for Epd {
    type Item = String;

    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, String)>> {
        let mut line = String::new();
        if !read_line(input, &mut line)? {
            return Ok(None);
        }
        self.lines += 1;
        Ok(Some((self.lines, line)))
    }

    fn content(&self, line: &String) -> Option<Content> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let Some(parts) = EpdLine::new(text) else {
            return Some(Content::Bad("there are fewer than four fields".to_owned()));
        };
        let plies = parts.counter();
        Some(match plies.map_or(Ok(0), counter) {
            Ok(counter) => content(parts.fields, counter),
            Err(error) => Content::Bad(error),
        })
    }

    fn write(&self, line: &String, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let Some((label, parts)) = label.zip(EpdLine::new(line)) else {
            out.extend_from_slice(line.as_bytes());
            return false;
        };
        out.extend_from_slice(parts.head.as_bytes());
        let mut changed = false;
        let new = [
            Some(label.wdl.to_string()),
            label.dtz.map(|plies| plies.to_string()),
            label.dtm.map(|plies| moves(plies).to_string()),
            self.comment.then(|| format!("\"{}\"", in_words(&label))),
        ];
        for operation in parts.operations() {
            let (code, operand) = operation
                .split_once(char::is_whitespace)
                .unwrap_or((operation, ""));
            match OWN.iter().position(|&own| own == code) {
                Some(own) if new[own].is_some() => {
                    changed |= new[own].as_deref() != Some(operand.trim());
                }
                _ => {
                    out.push(b' ');
                    out.extend_from_slice(operation.as_bytes());
                    out.push(b';');
                }
            }
        }
        for (code, value) in OWN.iter().zip(new) {
            if let Some(value) = &value {
                write!(out, " {code} {value};").expect("memory is written");
            }
        }
        out.push(b'\n');
        changed
    }
}

/// The full moves of a distance to mate in plies.
pub(crate) fn moves(plies: i32) -> i32 {
    (plies.abs() + 1) / 2 * plies.signum()
}

/// A label as people read it.
fn in_words(label: &Label) -> String {
    let outcome = match label.wdl {
        2.. => "win",
        1 => "cursed win",
        0 => "draw",
        -1 => "blessed loss",
        _ => "loss",
    };
    let mut text = outcome.to_owned();
    for (what, plies) in [("zeroing", label.dtz), ("mate", label.dtm)] {
        if let Some(plies) = plies.filter(|&plies| plies != 0) {
            text += &format!(", {} plies to {what}", plies.abs());
        }
    }
    text
}
