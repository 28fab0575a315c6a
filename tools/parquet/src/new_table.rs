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
use tbgen_cli::rows::parquet::{self as rows, Output};
use tbgen_cli::rows::row::{Row, is_number, text};

pub(crate) fn properties() -> WriterProperties {
    let properties = WriterProperties::builder();
    properties.set_compression(Compression::SNAPPY).build()
}

struct NewTable {
    writer: SerializedFileWriter<Output>,
    columns: Vec<&'static str>,
}

/// Begins a table of these columns.
pub(crate) fn create(output: Output, columns: &[&'static str]) -> Result<Box<dyn rows::NewTable>> {
    let fields = columns.iter().map(|name| match is_number(name) {
        true => format!("optional int32 {name};"),
        false => format!("required binary {name} (UTF8);"),
    });
    let fields: String = fields.collect();
    let schema = parse_message_type(&format!("message positions {{ {fields} }}"))?;
    let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties()))?;
    let columns = columns.to_vec();
    Ok(Box::new(NewTable { writer, columns }))
}

impl rows::NewTable for NewTable {
    fn write(&mut self, rows: &mut dyn Iterator<Item = Row>) -> Result<()> {
        // Of each column, either texts or numbers.
        let mut values = vec![(Vec::new(), Vec::new()); self.columns.len()];
        for row in rows {
            for (&name, (texts, numbers)) in self.columns.iter().zip(&mut values) {
                match is_number(name) {
                    true => numbers.push(row[name].as_i64().map(i32::try_from).transpose()?),
                    false => texts.push(ByteArray::from(text(&row, name).into_bytes())),
                }
            }
        }
        if values.iter().all(|(texts, _)| texts.is_empty()) {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for (name, (texts, numbers)) in self.columns.iter().zip(values) {
            write_column(&mut group, |column| match is_number(name) {
                true => write_numbers(column, &numbers),
                false => {
                    (column.typed::<ByteArrayType>()).write_batch(&texts, None, None)?;
                    Ok(())
                }
            })?;
        }
        group.close()?;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Output> {
        Ok(self.writer.into_inner()?)
    }
}

pub(crate) fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
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
