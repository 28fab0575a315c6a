//! CSV: a column has FENs, and labels are columns.

use std::io;

use ::csv::{ByteRecord, ReaderBuilder, Terminator, WriterBuilder};
use anyhow::{Context, Result};
use tbgen::Label;
use tbindex::Rights;

use super::item::{Content, Format, Input, content_of_fen};
use crate::refuse;

/// Records with a head that names the columns. Columns of labels are replaced, or added at the end.
pub(crate) struct Csv {
    /// The fields of the head that was read, which each record has, too.
    width: usize,
    head: ByteRecord,
    /// The columns of the FEN and of the labels.
    fen: usize,
    labels: Vec<(Column, usize)>,
    rights: Rights,
}

/// A column of labels: its name, and what it has of a label.
pub type Column = (&'static str, fn(Label) -> Option<i32>);

pub(crate) const WDL: Column = ("wdl", |label| label.certain.then_some(label.outcome as i32));
pub(crate) const DTZ: Column = ("dtz", |label| label.dtz.map(i32::from));
pub(crate) const DTM: Column = ("dtm", |label| label.dtm.map(i32::from));

impl Csv {
    pub(crate) fn new(
        input: &mut Input<'_>,
        fen: &str,
        labels: &[Column],
        rights: Rights,
    ) -> Result<Csv> {
        let head = read_record(input).context("can't read the positions")?;
        let mut head = head.unwrap_or_default();
        let width = head.len();
        let place = |name: &str| head.iter().position(|field| field == name.as_bytes());
        let Some(fen) = place(fen) else {
            let names: Vec<_> = head.iter().map(String::from_utf8_lossy).collect();
            let names = names.join(",");
            return refuse(format!(
                "there is no column {fen:?} among {names:?}: name it by --column"
            ));
        };
        let there: Vec<Option<usize>> = labels.iter().map(|(name, _)| place(name)).collect();
        let mut places = Vec::new();
        for (&label, there) in labels.iter().zip(there) {
            places.push((label, there.unwrap_or(head.len())));
            if there.is_none() {
                head.push_field(label.0.as_bytes());
            }
        }
        Ok(Csv {
            width,
            head,
            fen,
            labels: places,
            rights,
        })
    }
}

/// Reads a record, which may have several lines, from a stream that goes on; `None` at the end.
fn read_record(input: &mut Input<'_>) -> io::Result<Option<ByteRecord>> {
    let mut text = Vec::new();
    loop {
        if !input.lines.add_line(&mut text)? {
            if !text.is_empty() {
                return Err(input
                    .lines
                    .wrong("is the last, in a field whose quote is open"));
            }
            break;
        }
        // A quoted field may have ends of lines.
        let quotes = text.iter().filter(|&&byte| byte == b'"').count();
        if text.trim_ascii().is_empty() {
            text.clear();
        } else if quotes % 2 == 0 {
            break;
        }
    }
    let reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_slice());
    let record = reader.into_byte_records().next();
    Ok(record.transpose()?)
}

impl Format for Csv {
    type Item = ByteRecord;

    fn read(&self, input: &mut Input<'_>) -> io::Result<Option<(u64, ByteRecord)>> {
        let record = read_record(input)?;
        Ok(record.map(|record| (input.lines.number(), record)))
    }

    fn content(&self, record: &ByteRecord) -> Option<Content> {
        if record.len() != self.width {
            let (found, expected) = (record.len(), self.width);
            let error = format!("the record has {found} fields: expected {expected}");
            return Some(Err(error));
        }
        let fen = std::str::from_utf8(record.get(self.fen).unwrap_or_default());
        let fen = fen.map_err(|_| "the FEN is no text".to_owned());
        Some(fen.and_then(|fen| content_of_fen(fen, self.rights)))
    }

    fn head(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_record(self.head.iter(), &mut out);
        out
    }

    fn write(&self, record: &ByteRecord, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        if fields.len() == self.width {
            fields.resize(self.head.len(), Vec::new());
        }
        let mut changed = false;
        for &((_, of), place) in &self.labels {
            if let Some(value) = label.and_then(of) {
                let text = value.to_string().into_bytes();
                changed |= !fields[place].is_empty() && fields[place] != text;
                fields[place] = text;
            }
        }
        write_record(fields.iter().map(Vec::as_slice), out);
        changed
    }
}

fn write_record<'a>(fields: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::Any(b'\n'))
        .flexible(true)
        .from_writer(out);
    writer.write_record(fields).expect("memory is written");
}
