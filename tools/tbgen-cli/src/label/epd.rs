//! FEN and EPD: a position in each line, with operations behind it.

use std::io::{self, Write};

use tbgen::Label;
use tbindex::{EpdLine, Rights};

use super::item::{Content, Format, Input, content_of_line};

/// Lines of FEN or EPD. Labels are operations; those of the same names are replaced. An outcome that is not certain is not
/// written.
#[derive(Default)]
pub(crate) struct Epd {
    /// Whether there is a comment that says the same.
    pub(super) comment: bool,
    pub(super) rights: Rights,
}

/// The operations of labels.
const OWN: [&str; 4] = ["wdl", "dtz", "dm", "c0"];

impl Format for Epd {
    type Item = String;

    fn read(&self, input: &mut Input<'_>) -> io::Result<Option<(u64, String)>> {
        let line = input.lines.next_line()?;
        Ok(line.map(|line| (input.lines.number(), line)))
    }

    fn content(&self, line: &String) -> Option<Content> {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        Some(content_of_line(&EpdLine::new(text), self.rights))
    }

    fn write(&self, line: &String, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let Some(label) = label else {
            out.extend_from_slice(line.as_bytes());
            return false;
        };
        let parts = EpdLine::new(line);
        out.extend_from_slice(parts.head.as_bytes());
        // Operations stand behind four fields.
        out.extend_from_slice(&b" - -"[2 * parts.field_count.saturating_sub(2)..]);
        let mut changed = false;
        let new = [
            label.certain.then(|| (label.outcome as i8).to_string()),
            label.dtz.map(|plies| plies.to_string()),
            label.dtm.map(|plies| moves(plies).to_string()),
            self.comment.then(|| format!("\"{}\"", in_words(label))),
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
        let end = if parts.end.is_empty() {
            "\n"
        } else {
            parts.end
        };
        out.extend_from_slice(end.as_bytes());
        changed
    }
}

/// The full moves of a distance to mate in plies.
pub(crate) fn moves(plies: i16) -> i32 {
    let plies = i32::from(plies);
    (plies.abs() + 1) / 2 * plies.signum()
}

/// A label as people read it.
fn in_words(label: Label) -> String {
    let mut text = label.outcome.to_string();
    if !label.certain {
        text += " or a draw by the fifty-move rule";
    }
    for (what, plies) in [("zeroing", label.dtz), ("mate", label.dtm)] {
        if let Some(plies) = plies.filter(|&plies| plies != 0) {
            text += &format!(", {} plies to {what}", plies.abs());
        }
    }
    text
}
