//! FEN and EPD: a position in each line, with operations behind it.

use std::io::{self, BufRead, Write};

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

/// A line in parts.
struct Parts<'a> {
    fields: [&'a str; 4],
    /// The counters of a FEN.
    counter: Option<&'a str>,
    /// The end of what comes before operations.
    head: &'a str,
    operations: &'a str,
}

/// The next word of a text, and what comes after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn parts(line: &str) -> Option<Parts<'_>> {
    let mut rest = line;
    let mut fields = [""; 4];
    for field in &mut fields {
        (*field, rest) = word(rest)?;
    }
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut counter = None;
    if let Some((first, after)) =
        word(rest).filter(|(first, _)| !first.contains(|c: char| c.is_ascii_alphabetic()))
    {
        (counter, rest) = (Some(first), after);
        if let Some((_, after)) = word(rest).filter(|(second, _)| number(second)) {
            rest = after;
        }
    }
    let head = &line[..line.len() - rest.len()];
    Some(Parts {
        fields,
        counter,
        head: head.trim_end(),
        operations: rest.trim(),
    })
}

/// The operations of a text, each without its semicolon.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let pieces = text.split(move |c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    pieces.map(str::trim).filter(|piece| !piece.is_empty())
}

fn operand<'a>(text: &'a str, code: &str) -> Option<&'a str> {
    operations(text).find_map(|operation| {
        let (found, operand) = word(operation)?;
        (found == code).then(|| operand.trim())
    })
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
        let Some(parts) = parts(text) else {
            return Some(Content::Bad("there are fewer than four fields".to_owned()));
        };
        let plies = parts.counter.or_else(|| operand(parts.operations, "hmvc"));
        Some(match plies.map_or(Ok(0), counter) {
            Ok(counter) => content(parts.fields, counter),
            Err(error) => Content::Bad(error),
        })
    }

    fn write(&self, line: &String, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let Some((label, parts)) = label.zip(parts(line)) else {
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
        for operation in operations(parts.operations) {
            let (code, operand) = word(operation).unwrap_or((operation, ""));
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
fn moves(plies: i32) -> i32 {
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
