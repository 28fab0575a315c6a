//! `tbindex export`: writes an index file in a format of others.

use std::path::PathBuf;

use anyhow::Result;
use tbindex::Color;

use super::args::{ForceArg, output_path, parse_size};

/// Write the positions of an index file as a Parquet table, for other programs
///
/// The columns are chosen by --columns: `index` is the index; `squares` is a column for each piece, such as
/// white_king and black_rook, with its square from a1 = 0 to h8 = 63; `fen` is a FEN line. The material, the
/// numbering, the side to move and the claims of the file are metadata of the table. `import` reads them.
///
/// This needs a program with Parquet: cargo install tbindex --features parquet
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex export KQvKR-w.tbi --parquet KQvKR-w.parquet --columns index,fen")]
pub(crate) struct Args {
    /// The index file
    pub(super) file: PathBuf,
    /// The Parquet file to write
    #[arg(long, value_name = "OUT", value_parser = output_path())]
    pub(super) parquet: PathBuf,
    /// The columns to write for each position: index, squares, fen, or several with commas between
    #[arg(long, value_delimiter = ',', default_value = "index")]
    pub(super) columns: Vec<Columns>,
    /// The side to move of the FEN lines if the file does not record one
    #[arg(long)]
    pub(super) side: Option<Color>,
    /// The most memory to use, such as 64M
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64M")]
    pub(super) memory: u64,
    #[command(flatten)]
    pub(super) force: ForceArg,
}

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

pub(crate) fn run(args: &Args) -> Result<()> {
    #[cfg(feature = "parquet")]
    return super::parquet::export(args);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = args;
        anyhow::bail!("{NO_PARQUET}");
    }
}

/// The message of a program without Parquet.
#[cfg(not(feature = "parquet"))]
pub(super) const NO_PARQUET: &str = "this program was built without Parquet: \
    `cargo install tbindex --features parquet` (in a checkout `cargo install --path . --features parquet`) \
    builds one with it";
