//! Tables of Parquet. The crate that reads and writes them takes long to compile: `tbindex-parquet` alone has it, and this
//! program knows the two traits by which `tbindex-parquet` adds the format to its commands.

use std::io::Write;

use anyhow::Result;

use super::label::{Column, Run};

/// The message of a program without Parquet.
pub(crate) const NO_PARQUET: &str = "tbindex-parquet has this command with tables of Parquet: \
    `cargo install --path tools/parquet` builds it";

/// The most rows of a group.
pub const MOST_ROWS: usize = 1 << 20;

/// What reads and writes tables of Parquet.
pub trait Parquet: Sync {
    /// Begins a table of these columns of texts, and of numbers after them.
    ///
    /// # Errors
    /// If the table can't be written.
    fn create<'o>(
        &self,
        output: &'o mut (dyn Write + Send),
        texts: &[&str],
        numbers: &[&str],
    ) -> Result<Box<dyn NewTable + 'o>>;

    /// Copies the table of the input with columns of labels, which are replaced or come last. Where a row has no label, what
    /// the table had stays. Returns the number of rows whose labels were others.
    ///
    /// # Errors
    /// If the table can't be read or written, or a row is refused.
    fn label(
        &self,
        run: &mut Run<'_>,
        columns: &[Column],
        output: &mut (dyn Write + Send),
    ) -> Result<u64>;
}

/// A table that is written in groups of rows.
pub trait NewTable {
    /// Writes a group of so many rows, of which functions give the texts and the numbers, and some may have no number.
    ///
    /// # Errors
    /// If the table can't be written.
    fn write(
        &mut self,
        rows: usize,
        texts: &[&dyn Fn(usize) -> String],
        numbers: &[&dyn Fn(usize) -> Option<i32>],
    ) -> Result<()>;

    /// Ends the table.
    ///
    /// # Errors
    /// If the table can't be written.
    fn finish(self: Box<Self>) -> Result<()>;
}
