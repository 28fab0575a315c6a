//! Index files as arrays and tables of Arrow.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, RecordBatchIterator};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tbindex::store::{Header, IndexFile, StoreError};

use crate::arrays::of_word;
use crate::arrow::{ArrowWord, Capsules, buffer, capsules};
use crate::errors::OrRaise;

/// All indices of a mapped file as bytes.
struct Mapped(IndexFile);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        let words = match &self.0 {
            IndexFile::U32(reader) => reader.indices().map(bytemuck::cast_slice),
            IndexFile::U64(reader) => reader.indices().map(bytemuck::cast_slice),
        };
        words.unwrap_or_default()
    }
}

/// The indices of a file: over the map, or decoded if the file is compressed.
struct Indices {
    file: IndexFile,
    mapped: Buffer,
}

impl Indices {
    fn of(file: IndexFile) -> Indices {
        let mapped = match file.header().compact {
            true => Buffer::default(),
            false => buffer(Mapped(file.clone())),
        };
        Indices { file, mapped }
    }

    /// An array of `count` indices, from a position on.
    fn array(&self, first: usize, count: usize) -> Result<ArrayRef, StoreError> {
        of_word!(self.file.header().word, W => self.of_word::<W>(first, count))
    }

    fn of_word<W: ArrowWord>(&self, first: usize, count: usize) -> Result<ArrayRef, StoreError> {
        let words = match self.file.header().compact {
            false => ScalarBuffer::new(self.mapped.clone(), first, count),
            true => {
                let mut indices = vec![W::ZERO; count];
                self.file.reader()?.read_into(first as u64, &mut indices)?;
                indices.into()
            }
        };
        Ok(Arc::new(PrimitiveArray::<W::Type>::new(words, None)))
    }
}

/// An index file as an Arrow array.
pub(crate) fn index_file_array<'py>(py: Python<'py>, file: IndexFile) -> PyResult<Capsules<'py>> {
    let count = usize::try_from(file.header().count)?;
    let array = py.detach(|| Indices::of(file).array(0, count)).or_raise()?;
    capsules(py, &array, false)
}

/// The type of an index file as a table: one column, and the header's contents as metadata.
pub(super) fn table_of(header: &Header) -> Schema {
    let told = header.contents;
    let metadata = [
        ("material", Some(told.material.to_string())),
        ("numbering", Some(told.numbering.to_string())),
        ("canonical", Some(told.canonical.to_string())),
        ("sorted", Some(told.sorted.to_string())),
        ("distinct", Some(told.distinct.to_string())),
        ("side", told.side.map(|side| side.to_string())),
    ];
    let metadata: HashMap<String, String> = metadata
        .into_iter()
        .filter_map(|(key, value)| Some((format!("tbindex.{key}"), value?)))
        .collect();
    let word = of_word!(header.word, W => <W as ArrowWord>::Type::DATA_TYPE);
    Schema::new_with_metadata(vec![Field::new("index", word, false)], metadata)
}

/// The most indices of one of a stream's parts.
const PART: usize = 1 << 22;

/// An index file as a stream of tables, part by part.
pub(crate) fn index_file_stream(py: Python<'_>, file: IndexFile) -> PyResult<Bound<'_, PyCapsule>> {
    let table = Arc::new(table_of(file.header()));
    let count = usize::try_from(file.header().count)?;
    let (indices, of) = (Indices::of(file), table.clone());
    let parts = (0..count).step_by(PART).map(move |first| {
        let part = indices.array(first, (count - first).min(PART));
        let failed = |error: StoreError| {
            let message = error.to_string();
            ArrowError::IoError(message.clone(), io::Error::other(message))
        };
        RecordBatch::try_new(of.clone(), vec![part.map_err(failed)?])
    });
    let parts = RecordBatchIterator::new(parts, table);
    let stream = FFI_ArrowArrayStream::new(Box::new(parts));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
