//! CSV: a column has FENs, and labels are columns.

use std::io::{self, BufRead};

use ::csv::{ByteRecord, ReaderBuilder, Terminator, WriterBuilder};

use super::item::{Content, Format, Label, content_of_fen};

/// Records with a head that names the columns. Columns of labels are replaced, or added at the end.
pub(crate) struct Csv {
    head: ByteRecord,
    /// The columns of the FEN and of the labels, and how many there are in all.
    fen: usize,
    labels: Vec<(Column, usize)>,
    columns: usize,
    line: u64,
}

/// A column of labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Wdl,
    Dtz,
    Dtm,
}

impl Column {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Column::Wdl => "wdl",
            Column::Dtz => "dtz",
            Column::Dtm => "dtm",
        }
    }

    pub(crate) fn of(self, label: &Label) -> Option<i32> {
        match self {
            Column::Wdl => Some(label.wdl.into()),
            Column::Dtz => label.dtz,
            Column::Dtm => label.dtm,
        }
    }
}

impl Csv {
    /// Reads the head.
    pub(crate) fn new(
        input: &mut dyn BufRead,
        fen: &str,
        labels: &[Column],
    ) -> io::Result<Result<Csv, String>> {
        let mut head = ByteRecord::new();
        let mut line = 0;
        read_record(input, &mut line, &mut head)?;
        let place = |name: &str| head.iter().position(|field| field == name.as_bytes());
        let Some(fen) = place(fen) else {
            let names: Vec<_> = head.iter().map(String::from_utf8_lossy).collect();
            return Ok(Err(format!(
                "there is no column {fen:?} among {:?}: name it by --column",
                names.join(",")
            )));
        };
        let mut columns = head.len();
        let mut places = Vec::new();
        for &label in labels {
            let place = place(label.name()).unwrap_or_else(|| {
                columns += 1;
                columns - 1
            });
            places.push((label, place));
        }
        for &(label, place) in &places {
            if place >= head.len() {
                head.push_field(label.name().as_bytes());
            }
        }
        Ok(Ok(Csv {
            head,
            fen,
            labels: places,
            columns,
            line,
        }))
    }
}

/// Reads a record, which may have several lines, from a stream that goes on.
fn read_record(
    input: &mut dyn BufRead,
    line: &mut u64,
    record: &mut ByteRecord,
) -> io::Result<bool> {
    let mut text = Vec::new();
    loop {
        let start = text.len();
        if input.read_until(b'\n', &mut text)? == 0 {
            break;
        }
        *line += 1;
        // A quoted field may have ends of lines.
        let quotes = text.iter().filter(|&&byte| byte == b'"').count();
        let blank = text[start..].trim_ascii().is_empty();
        if quotes % 2 == 0 && !(blank && start == 0) {
            break;
        }
        if blank && start == 0 {
            text.clear();
        }
    }
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_slice());
    Ok(reader.read_byte_record(record)?)
}

impl Format for Csv {
    type Item = ByteRecord;

    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, ByteRecord)>> {
        let mut record = ByteRecord::new();
        let there = read_record(input, &mut self.line, &mut record)?;
        Ok(there.then_some((self.line, record)))
    }

    fn content(&self, record: &ByteRecord) -> Option<Content> {
        let fen = record.get(self.fen).unwrap_or_default();
        let Ok(fen) = std::str::from_utf8(fen) else {
            return Some(Content::Bad("the FEN is no text".to_owned()));
        };
        Some(content_of_fen(fen))
    }

    fn head(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_record(self.head.iter(), &mut out);
        out
    }

    fn write(&self, record: &ByteRecord, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut fields: Vec<Vec<u8>> = record.iter().map(<[u8]>::to_vec).collect();
        fields.resize(self.columns.max(fields.len()), Vec::new());
        let mut changed = false;
        for &(column, place) in &self.labels {
            if let Some(value) = label.and_then(|label| column.of(&label)) {
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
