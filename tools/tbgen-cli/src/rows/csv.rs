//! CSV: a column has FENs, and labels are columns.

use std::borrow::Cow;
use std::io::{self, Write};

use ::csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use anyhow::{Context, Result};
use tbgen::Evaluation;
use tbindex::Rights;

use super::item::{Content, Input, Stream, content};
use super::row::Column;
use crate::output::Output;
use crate::refuse;

/// Records with a head that names the columns. Columns of labels are replaced, or added at the end.
pub(crate) struct Csv {
    /// The fields of a record that is read, and of one that is written.
    widths: [usize; 2],
    /// The columns of the FEN and of the labels.
    fen: usize,
    labels: Vec<(Column, usize)>,
}

impl Csv {
    /// Reads the head, and writes it with these labels.
    pub(crate) fn new(
        input: &mut Input,
        fen: &str,
        labels: &[Column],
        output: &mut Output,
    ) -> Result<Csv> {
        let head = read_record(input).context("can't read the positions")?;
        let mut head = head.unwrap_or_default();
        let width = head.len();
        let place = |head: &ByteRecord, name: &str| {
            let mut fields = head.iter();
            fields.position(|field| field == name.as_bytes())
        };
        let Some(fen) = place(&head, fen) else {
            let names: Vec<_> = head.iter().map(String::from_utf8_lossy).collect();
            return refuse(format!(
                "there is no column {fen:?} among {:?}: name it by --column",
                names.join(",")
            ));
        };
        let mut places = Vec::new();
        for &label in labels {
            let at = place(&head, label.0);
            places.push((label, at.unwrap_or(head.len())));
            if at.is_none() {
                head.push_field(label.0.as_bytes());
            }
        }
        output.write_all(&record(&head))?;
        Ok(Csv {
            widths: [width, head.len()],
            fen,
            labels: places,
        })
    }
}

/// Reads a record, which may have several lines, from a stream that goes on; `None` at the end.
fn read_record(input: &mut Input) -> io::Result<Option<ByteRecord>> {
    let (mut text, mut quotes) = (Vec::new(), 0);
    loop {
        let begin = text.len();
        if !input.lines.add_line(&mut text)? {
            break;
        }
        // A quoted field may have ends of lines.
        quotes += text[begin..].iter().filter(|&&byte| byte == b'"').count();
        if text.trim_ascii().is_empty() {
            text.clear();
        } else if quotes % 2 == 0 {
            let reader = ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(text.as_slice());
            return Ok(reader.into_byte_records().next().transpose()?);
        }
    }
    match text.is_empty() {
        true => Ok(None),
        false => Err(input
            .lines
            .wrong("is the last, in a field whose quote is open")),
    }
}

impl Stream for Csv {
    type Item = ByteRecord;

    fn read(&self, input: &mut Input) -> io::Result<Option<(u64, ByteRecord)>> {
        let record = read_record(input)?;
        Ok(record.map(|record| (input.lines.number(), record)))
    }

    fn content(&self, record: &ByteRecord, rights: Rights) -> Option<Content> {
        if record.len() != self.widths[0] {
            let (found, expected) = (record.len(), self.widths[0]);
            let error = format!("the record has {found} fields: expected {expected}");
            return Some(Err(error));
        }
        let fen = std::str::from_utf8(record.get(self.fen).unwrap_or_default());
        let fen = fen.map_err(|_| "the FEN is no text".to_owned());
        Some(fen.and_then(|fen| content(fen, rights)))
    }

    fn write(&self, given: &ByteRecord, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let mut fields: Vec<Cow<'_, [u8]>> = given.iter().map(Cow::Borrowed).collect();
        if fields.len() == self.widths[0] {
            fields.resize(self.widths[1], Cow::default());
        }
        let mut changed = false;
        for &((_, of), place) in &self.labels {
            if let Some(number) = label.map(of) {
                let new = number.map_or(String::new(), |number| number.to_string());
                changed |= !fields[place].is_empty() && *fields[place] != *new.as_bytes();
                fields[place] = new.into_bytes().into();
            }
        }
        out.extend(record(fields));
        changed
    }
}

/// A record, with the end of its line.
pub(super) fn record(fields: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<u8> {
    let mut builder = WriterBuilder::new();
    let mut writer = builder.buffer_capacity(256).from_writer(Vec::new());
    writer.write_record(fields).expect("memory is written");
    writer.into_inner().expect("memory is written")
}
