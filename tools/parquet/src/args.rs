//! Arguments that `export` and `import` share: index files as Parquet tables.
//!
//! Numbers are written as signed ones: every index is below 2⁶⁰, and engines on the Java machine know no others.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::builder::{PathBufValueParser, TypedValueParser};
use tbgen_cli::refuse;
use tbindex::store::Overwrite;

/// The ways to write a position.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Columns {
    /// The index
    Index,
    /// The square of each piece
    Squares,
    /// A FEN line
    Fen,
}

/// `--force`.
#[derive(clap::Args)]
pub(crate) struct ForceArg {
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl ForceArg {
    pub(crate) fn overwrite(&self) -> Overwrite {
        match self.force {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        }
    }
}

/// Reads the path of a file to write. It can't be a pipe, as a file gets its name when it is whole.
pub(crate) fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("it can't be written to standard output: expected a path"),
        false => Ok(path),
    })
}

/// Says on standard error how many indices a new file has.
pub(crate) fn note_written(count: u64, path: &Path) {
    let _ = writeln!(io::stderr(), "wrote {count} indices to {}", path.display());
}

/// The bytes for pages, their compression, and blocks of the index file.
const FIXED_BYTES: u64 = 12 << 20;

/// How many rows of so many bytes fit into this memory, at most the greatest number wanted.
///
/// # Errors
/// If less than the least number fit.
pub(crate) fn rows_within(
    memory: u64,
    row_bytes: u64,
    wanted: RangeInclusive<usize>,
) -> Result<usize> {
    let rows = memory.saturating_sub(FIXED_BYTES) / row_bytes;
    let (least, most) = wanted.into_inner();
    if rows < least as u64 {
        let least = (FIXED_BYTES + least as u64 * row_bytes).div_ceil(1 << 20);
        return refuse(format!("--memory {memory}: expected at least {least}M"));
    }
    Ok(rows.min(most as u64) as usize)
}
