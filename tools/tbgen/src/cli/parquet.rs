//! New tables of Parquet, in groups of rows.

use std::sync::Arc;

use anyhow::{Context, Result};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::parser::parse_message_type;

use super::output::Output;

/// The most rows of a group.
pub(crate) const MOST_ROWS: usize = 1 << 20;

pub(crate) fn properties() -> WriterProperties {
    let properties = WriterProperties::builder();
    properties.set_compression(Compression::SNAPPY).build()
}

/// What a column of numbers has of a row, if anything.
type Number<'a, T> = &'a dyn Fn(&T) -> Option<i32>;

pub(crate) struct NewTable<'a> {
    writer: SerializedFileWriter<&'a mut Output>,
}

impl<'a> NewTable<'a> {
    /// Begins a table of these columns of texts, and of numbers after them.
    pub(crate) fn new(output: &'a mut Output, texts: &[&str], numbers: &[&str]) -> Result<Self> {
        let texts = texts
            .iter()
            .map(|name| format!("required binary {name} (UTF8);"));
        let numbers = numbers.iter().map(|name| format!("optional int32 {name};"));
        let fields: String = texts.chain(numbers).collect();
        let schema = parse_message_type(&format!("message positions {{ {fields} }}"))?;
        let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties()))?;
        Ok(NewTable { writer })
    }

    /// Writes a group of rows, of which functions give the texts and the numbers, and some may have no number.
    pub(crate) fn write<T>(
        &mut self,
        rows: &[T],
        texts: &[&dyn Fn(&T) -> String],
        numbers: &[Number<'_, T>],
    ) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for of in texts {
            let texts = rows.iter().map(|row| of(row).into_bytes().into());
            let texts: Vec<ByteArray> = texts.collect();
            write_column(&mut group, |column| {
                (column.typed::<ByteArrayType>()).write_batch(&texts, None, None)?;
                Ok(())
            })?;
        }
        for of in numbers {
            let numbers: Vec<Option<i32>> = rows.iter().map(of).collect();
            write_column(&mut group, |column| write_numbers(column, &numbers))?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.writer.into_inner()?;
        Ok(())
    }
}

pub(crate) fn write_column(
    group: &mut SerializedRowGroupWriter<'_, &mut Output>,
    write: impl FnOnce(&mut SerializedColumnWriter<'_>) -> Result<()>,
) -> Result<()> {
    let column = group.next_column()?;
    let mut column = column.context("the schema has a column for each")?;
    write(&mut column)?;
    Ok(column.close()?)
}

pub(crate) fn write_numbers(
    column: &mut SerializedColumnWriter<'_>,
    numbers: &[Option<i32>],
) -> Result<()> {
    let there: Vec<i32> = numbers.iter().copied().flatten().collect();
    let levels: Vec<i16> = numbers.iter().map(|n| i16::from(n.is_some())).collect();
    (column.typed::<Int32Type>()).write_batch(&there, Some(&levels), None)?;
    Ok(())
}
