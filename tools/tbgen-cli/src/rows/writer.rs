//! The writer of new rows.

use std::io::{self, Write};

use anyhow::Result;

use super::format::Format;
use super::parquet::{Create, NewTable, if_there};
use super::row::{Row, text};
use super::{csv, epd};
use crate::output::Output;

/// Rows of one format on their way to an output.
pub(crate) enum RowWriter {
    Text(Format, Vec<&'static str>, Output),
    Parquet(Box<dyn NewTable>),
}

impl RowWriter {
    /// Begins to write rows with these columns; EPD takes those for which it has operations, and JSON lines take all fields.
    pub(crate) fn new(
        format: Format,
        columns: &[&'static str],
        parquet: Option<Create>,
        mut output: Output,
    ) -> Result<RowWriter> {
        if format == Format::Parquet {
            return Ok(RowWriter::Parquet(if_there(parquet)?(output, columns)?));
        }
        if format == Format::Csv {
            output.write_all(&csv::record(columns))?;
        }
        Ok(RowWriter::Text(format, columns.to_vec(), output))
    }

    /// Writes rows, which are a group of a table of Parquet.
    pub(crate) fn write(&mut self, rows: &mut dyn Iterator<Item = Row>) -> io::Result<()> {
        let (format, columns, output) = match self {
            RowWriter::Parquet(table) => return table.write(rows).map_err(io::Error::other),
            RowWriter::Text(format, columns, output) => (format, columns, output),
        };
        for row in rows {
            match format {
                Format::Epd => epd::write_row(&row, output)?,
                Format::Csv => {
                    let fields = columns.iter().map(|column| text(&row, column));
                    output.write_all(&csv::record(fields))?;
                }
                _ => writeln!(output, "{row}")?,
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        match self {
            RowWriter::Text(.., output) => output.finish(),
            RowWriter::Parquet(table) => table.finish()?.finish(),
        }
    }
}
