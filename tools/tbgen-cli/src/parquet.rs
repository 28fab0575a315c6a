//! Tables of Parquet. The crate that reads and writes them takes long to compile: `tbindex-parquet` alone has it, and this
//! program knows the types by which `tbindex-parquet` adds the format to its commands.

use std::io::Write;

use anyhow::Result;

use super::refuse;

/// The function for tables of Parquet if one is wanted, which is refused where the program has none.
pub(crate) fn if_wanted<T>(wanted: bool, parquet: Option<T>) -> Result<Option<T>> {
    if wanted && parquet.is_none() {
        return refuse(
            "tbindex-parquet has this command with tables of Parquet: \
             `cargo install --path tools/parquet` builds it",
        );
    }
    Ok(parquet.filter(|_| wanted))
}

/// The most rows of a group.
pub const MOST_ROWS: usize = 1 << 20;

/// Begins a table of these columns of texts, and of numbers after them. It fails if the table can't be written.
pub type Create = for<'o> fn(
    output: &'o mut (dyn Write + Send),
    texts: &[&str],
    numbers: &[&str],
) -> Result<Box<dyn NewTable + 'o>>;

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
