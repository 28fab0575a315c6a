//! Tables of Parquet. The crate that reads and writes them takes long to compile: `tbindex-parquet` alone has it, and this
//! program knows the types by which `tbindex-parquet` adds the format to its commands.

use anyhow::Result;

use super::row::Row;
pub use crate::output::Output;
use crate::refuse;

/// The function for tables of Parquet, which is refused where the program has none.
pub(crate) fn if_there<T>(parquet: Option<T>) -> Result<T> {
    match parquet {
        Some(parquet) => Ok(parquet),
        None => refuse(
            "tbindex-parquet has this command with tables of Parquet: \
             `cargo install --path tools/parquet` builds it",
        ),
    }
}

/// The most rows of a group.
pub const MOST_ROWS: usize = 1 << 20;

/// Begins a table of these columns. It fails if the table can't be written.
pub type Create = fn(output: Output, columns: &[&'static str]) -> Result<Box<dyn NewTable>>;

/// A table that is written in groups of rows.
pub trait NewTable {
    /// Writes rows as a group. Some may have no number in a column of numbers.
    ///
    /// # Errors
    /// If the table can't be written.
    fn write(&mut self, rows: &mut dyn Iterator<Item = Row>) -> Result<()>;

    /// Ends the table.
    ///
    /// # Errors
    /// If the table can't be written.
    fn finish(self: Box<Self>) -> Result<Output>;
}
