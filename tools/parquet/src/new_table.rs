//! New tables of Parquet, in groups of rows.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::parser::parse_message_type;

pub(crate) fn properties() -> WriterProperties {
    let properties = WriterProperties::builder();
    properties.set_compression(Compression::SNAPPY).build()
}

/// Where a table is written.
pub(crate) type Stream<'a> = &'a mut (dyn Write + Send);

struct NewTable<'a> {
    writer: SerializedFileWriter<Stream<'a>>,
}

/// Begins a table of these columns of texts, and of numbers after them.
pub(crate) fn create<'o>(
    output: Stream<'o>,
    texts: &[&str],
    numbers: &[&str],
) -> Result<Box<dyn tbgen_cli::parquet::NewTable + 'o>> {
    let texts = texts
        .iter()
        .map(|name| format!("required binary {name} (UTF8);"));
    let numbers = numbers.iter().map(|name| format!("optional int32 {name};"));
    let fields: String = texts.chain(numbers).collect();
    let schema = parse_message_type(&format!("message positions {{ {fields} }}"))?;
    let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties()))?;
    Ok(Box::new(NewTable { writer }))
}

impl tbgen_cli::parquet::NewTable for NewTable<'_> {
    fn write(
        &mut self,
        rows: usize,
        texts: &[&dyn Fn(usize) -> String],
        numbers: &[&dyn Fn(usize) -> Option<i32>],
    ) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for of in texts {
            let texts = (0..rows).map(|row| of(row).into_bytes().into());
            let texts: Vec<ByteArray> = texts.collect();
            write_column(&mut group, |column| {
                (column.typed::<ByteArrayType>()).write_batch(&texts, None, None)?;
                Ok(())
            })?;
        }
        for of in numbers {
            let numbers: Vec<Option<i32>> = (0..rows).map(of).collect();
            write_column(&mut group, |column| write_numbers(column, &numbers))?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.writer.into_inner()?;
        Ok(())
    }
}

pub(crate) fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Stream<'_>>,
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
