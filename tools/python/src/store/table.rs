//! Index files as arrays and tables of Arrow.

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tbindex::Word;
use tbindex::store::{BlockBuffer, Header, IndexFile, StoreError, with_word};

use super::bytes::Bytes;
use crate::arrow::{Buffer, Capsules, Data, Schema, Stream, Type, capsules};
use crate::errors::OrRaise;

/// All indices of a mapped file as bytes.
struct Mapped(IndexFile<Bytes>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        let words = with_word!(self.0.header().word_bits, W => {
            self.0.indices::<W>().map(bytes_of)
        });
        words.unwrap_or_default()
    }
}

/// The bytes of words.
fn bytes_of<W: Word>(words: &[W]) -> &[u8] {
    bytemuck::cast_slice(words)
}

/// Words of which an array is made.
struct Decoded<W>(Vec<W>);

impl<W: Word> AsRef<[u8]> for Decoded<W> {
    fn as_ref(&self) -> &[u8] {
        bytes_of(&self.0)
    }
}

/// Decodes blocks of a file, from number `from` on, until there are about `most` indices.
fn decoded(
    file: &IndexFile<Bytes>,
    from: &mut u64,
    most: usize,
) -> Result<(Buffer, usize), StoreError> {
    with_word!(file.header().word_bits, W => {
        let (mut indices, mut buffer) = (Vec::<W>::new(), BlockBuffer::new());
        while *from < file.header().block_count && indices.len() < most {
            indices.extend_from_slice(file.read_checked_block(*from, &mut buffer)?);
            *from += 1;
        }
        let count = indices.len();
        Ok((Buffer::new(Decoded(indices)), count))
    })
}

fn indices(buffer: Buffer, offset: usize, length: usize) -> Data {
    Data {
        length,
        offset,
        null_count: 0,
        buffers: vec![None, Some(buffer)],
        children: Vec::new(),
    }
}

/// An index file as an Arrow array: over the map, or decoded if the file is compressed.
pub(crate) fn index_file_array<'py>(
    py: Python<'py>,
    file: IndexFile<Bytes>,
) -> PyResult<Capsules<'py>> {
    let of = Type::words(file.header().word_bits, false);
    let count = usize::try_from(file.header().count)?;
    let data = match file.header().compact {
        false => indices(Buffer::new(Mapped(file)), 0, count),
        true => {
            let decoded = py
                .detach(|| decoded(&file, &mut 0, usize::MAX))
                .or_raise()?;
            indices(decoded.0, 0, decoded.1)
        }
    };
    capsules(py, of, data)
}

/// The type of an index file as a table: one column, and what the header says as metadata.
fn table_of(header: &Header) -> Type {
    let column = Type {
        name: "index".to_owned(),
        ..Type::words(header.word_bits, false)
    };
    let claim = |claim: bool| claim.to_string();
    let mut metadata = vec![
        ("tbindex.material", header.material.to_string()),
        ("tbindex.numbering", header.numbering.to_string()),
        ("tbindex.canonical", claim(header.canonical)),
        ("tbindex.sorted", claim(header.sorted)),
        ("tbindex.distinct", claim(header.distinct)),
    ];
    if let Some(side) = header.side {
        metadata.push(("tbindex.side", side.name().to_owned()));
    }
    Type {
        format: "+s".to_owned(),
        metadata,
        children: vec![column],
        ..Type::default()
    }
}

/// The schema of an index file as a table.
pub(crate) fn index_file_schema<'py>(
    py: Python<'py>,
    header: &Header,
) -> PyResult<Bound<'py, PyCapsule>> {
    Schema::new(&table_of(header)).into_capsule(py)
}

/// The most indices of one of a stream's parts.
const PART: usize = 1 << 22;

/// An index file as a stream of tables, part by part.
pub(crate) fn index_file_stream(
    py: Python<'_>,
    file: IndexFile<Bytes>,
) -> PyResult<Bound<'_, PyCapsule>> {
    let table = |column: Data| Data {
        length: column.length,
        offset: 0,
        null_count: 0,
        buffers: vec![None],
        children: vec![column],
    };
    let of = table_of(file.header());
    if file.header().compact {
        let mut block = 0;
        let next = move || {
            let (buffer, count) = decoded(&file, &mut block, PART).map_err(|e| e.to_string())?;
            Ok((count > 0).then(|| table(indices(buffer, 0, count))))
        };
        return Stream::new(of, next).into_capsule(py);
    }
    let count = usize::try_from(file.header().count)?;
    let (mapped, mut at) = (Buffer::new(Mapped(file)), 0);
    let next = move || {
        let length = (count - at).min(PART);
        let part = (length > 0).then(|| table(indices(mapped.clone(), at, length)));
        at += length;
        Ok(part)
    };
    Stream::new(of, next).into_capsule(py)
}
