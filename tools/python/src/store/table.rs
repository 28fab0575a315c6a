//! Index files as arrays and tables of Arrow.

use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tbindex::Word;
use tbindex::store::{FileWord, Header, IndexFile, StoreError};

use crate::arrow::{Buffer, Capsules, Data, Schema, Stream, Type, capsules};
use crate::errors::OrRaise;

/// All indices of a mapped file as bytes.
struct Mapped(IndexFile);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        let words = match self.0.header().word {
            FileWord::U32 => self.0.indices::<u32>().map(bytes_of),
            FileWord::U64 => self.0.indices::<u64>().map(bytes_of),
        };
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

/// Decodes `count` indices of a file, from a position on.
fn decoded(file: &IndexFile, first: u64, count: usize) -> Result<Buffer, StoreError> {
    fn of_word<W: Word>(file: &IndexFile, first: u64, count: usize) -> Result<Buffer, StoreError> {
        let mut indices = vec![W::ZERO; count];
        file.read_into(first, &mut indices)?;
        Ok(Buffer::new(Decoded(indices)))
    }
    match file.header().word {
        FileWord::U32 => of_word::<u32>(file, first, count),
        FileWord::U64 => of_word::<u64>(file, first, count),
    }
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
pub(crate) fn index_file_array<'py>(py: Python<'py>, file: IndexFile) -> PyResult<Capsules<'py>> {
    let of = Type::words(file.header().word.bits(), false);
    let count = usize::try_from(file.header().count)?;
    let data = match file.header().compact {
        false => indices(Buffer::new(Mapped(file)), 0, count),
        true => {
            let decoded = py.detach(|| decoded(&file, 0, count)).or_raise()?;
            indices(decoded, 0, count)
        }
    };
    capsules(py, of, data)
}

/// The type of an index file as a table: one column, and the header's contents as metadata.
fn table_of(header: &Header) -> Type {
    let column = Type {
        name: "index".to_owned(),
        ..Type::words(header.word.bits(), false)
    };
    let claim = |claim: bool| claim.to_string();
    let mut metadata = vec![
        ("tbindex.material", header.contents.material.to_string()),
        ("tbindex.numbering", header.contents.numbering.to_string()),
        ("tbindex.canonical", claim(header.contents.canonical)),
        ("tbindex.sorted", claim(header.contents.sorted)),
        ("tbindex.distinct", claim(header.contents.distinct)),
    ];
    if let Some(side) = header.contents.side {
        metadata.push(("tbindex.side", side.to_string()));
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
pub(crate) fn index_file_stream(py: Python<'_>, file: IndexFile) -> PyResult<Bound<'_, PyCapsule>> {
    let table = |column: Data| Data {
        length: column.length,
        offset: 0,
        null_count: 0,
        buffers: vec![None],
        children: vec![column],
    };
    let of = table_of(file.header());
    let count = usize::try_from(file.header().count)?;
    let (mapped, mut at) = (Buffer::new(Mapped(file.clone())), 0);
    let next = move || {
        let (first, length) = (at, (count - at).min(PART));
        at += length;
        if length == 0 {
            return Ok(None);
        }
        let part = match file.header().compact {
            true => {
                let decoded = decoded(&file, first as u64, length);
                indices(decoded.map_err(|error| error.to_string())?, 0, length)
            }
            false => indices(mapped.clone(), first, length),
        };
        Ok(Some(table(part)))
    };
    Stream::new(of, next).into_capsule(py)
}
