//! CSV: a column has FENs, and labels are columns.

use std::borrow::Cow;
use std::io::Write;

use ::csv::{ByteRecord, ReaderBuilder, WriterBuilder};
use anyhow::{Context, Result, bail};
use tbgen::Evaluation;
use tbindex::Rights;

use super::item::{Bad, Content, Input, Next, Stream, content};
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
    /// Reads the head, and writes it with these labels. An empty input has none.
    pub(crate) fn new(
        input: &mut Input,
        fen: &str,
        labels: &[Column],
        output: &mut Output,
    ) -> Result<Option<Csv>> {
        let head = read_record(input).context("can't read the positions")?;
        let mut head = match head {
            None => return Ok(None),
            Some((_, Ok(head))) => head,
            Some((line, Err(Bad { why, .. }))) => bail!("line {line}: {why}"),
        };
        let width = head.len();
        // Of two columns of one name, nobody could tell which is meant.
        let place = |head: &ByteRecord, name: &str| {
            let mut places = (0..head.len()).filter(|&at| head[at] == *name.as_bytes());
            match (places.next(), places.next()) {
                (_, Some(_)) => refuse(format!("there is more than one column {name:?}")),
                (place, None) => Ok(place),
            }
        };
        let Some(fen) = place(&head, fen)? else {
            let names: Vec<_> = head.iter().map(String::from_utf8_lossy).collect();
            return refuse(format!(
                "there is no column {fen:?} among {:?}: name it by --column",
                names.join(",")
            ));
        };
        let mut places = Vec::new();
        for &label in labels {
            let at = place(&head, label.0)?;
            places.push((label, at.unwrap_or(head.len())));
            if at.is_none() {
                head.push_field(label.0.as_bytes());
            }
        }
        output.write_all(&record(&head))?;
        Ok(Some(Csv {
            widths: [width, head.len()],
            fen,
            labels: places,
        }))
    }
}

/// Where a record ends, by the rules of the crate: a quote opens a field at its beginning, and is a part of it elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Begin,
    Within,
    Quoted,
    /// Behind a quote that closes the field, unless another follows it.
    Closed,
}

impl Place {
    fn after(self, byte: u8) -> Place {
        match (self, byte) {
            (Place::Quoted, b'"') => Place::Closed,
            (Place::Quoted, _) | (Place::Begin | Place::Closed, b'"') => Place::Quoted,
            (_, b',') => Place::Begin,
            _ => Place::Within,
        }
    }
}

/// Reads a record, which may have several lines, from a stream that goes on; `None` at the end.
fn read_record(input: &mut Input) -> Next<ByteRecord> {
    loop {
        let mut place = Place::Begin;
        // A quoted field may have ends of lines. Where a record is too long, a quote may be open by mistake: the next line begins
        // a new one.
        let read = input.bytes(|_, line| {
            let bytes = line.unwrap_or_default().iter();
            place = bytes.fold(place, |place, &byte| place.after(byte));
            place != Place::Quoted || line.is_none()
        })?;
        let (number, text) = match read {
            Some((_, Ok(text))) if text.trim_ascii().is_empty() => continue,
            Some((number, Ok(text))) => (number, text),
            Some((number, Err(bad))) => return Ok(Some((number, Err(bad)))),
            None => return Ok(None),
        };
        if place == Place::Quoted {
            let bad = Bad::left_out("the quote of a field is not closed");
            return Ok(Some((number, Err(bad))));
        }
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_slice());
        let record = reader.into_byte_records().next().transpose()?;
        return Ok(record.map(|record| (number, Ok(record))));
    }
}

impl Stream for Csv {
    type Item = ByteRecord;

    fn read(&self, input: &mut Input) -> Next<ByteRecord> {
        let record = read_record(input)?;
        // Fields of a record of another width would stand under the names of others.
        let check = |record: ByteRecord| match record.len() == self.widths[0] {
            true => Ok(record),
            false => {
                let (found, expected) = (record.len(), self.widths[0]);
                let why = format!("the record has {found} fields: expected {expected}");
                Err(Bad::left_out(why))
            }
        };
        Ok(record.map(|(number, record)| (number, record.and_then(check))))
    }

    fn content(&self, record: &ByteRecord, rights: Rights) -> Option<Content> {
        let fen = std::str::from_utf8(record.get(self.fen).unwrap_or_default());
        let fen = fen.map_err(|_| "the FEN is no text".to_owned());
        Some(fen.and_then(|fen| content(fen, rights)))
    }

    fn write(&self, given: &ByteRecord, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let mut fields: Vec<Cow<'_, [u8]>> = given.iter().map(Cow::Borrowed).collect();
        fields.resize(self.widths[1], Cow::default());
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
