//! `tbindex import`: reads positions from files of other formats.

use std::path::PathBuf;

use anyhow::Result;
use tbindex::{Color, Material, Numbering};

use super::args::{CompressArg, ForceArg, output_path, parse_size};
use super::export::Columns;

/// Read positions from Parquet tables and write the index of each, in their order
///
/// A table has a column `index`, or the columns of all pieces' squares, or a column `fen`, as `export` writes
/// them; of several the first of these is read, unless --column chooses. A folder stands for the files in it
/// whose names end in .parquet, in the order of their names, as Spark writes them. The material, the numbering
/// and the side to move are those of the first table's metadata unless they are given. Indices may have any
/// type of whole numbers of 32 or 64 bits. Null values are errors.
///
/// The tables are read batch by batch. Besides, a page of each column must fit into the memory; writers make
/// pages of about 1 MiB.
///
/// This needs a program with Parquet: cargo install tbindex --features parquet
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex import KQvKR-w.parquet -o KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The Parquet files, or folders of such files
    #[arg(required = true)]
    pub(super) files: Vec<PathBuf>,
    /// The index file to write
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    pub(super) output: PathBuf,
    /// The pieces, such as KQvKR
    #[arg(long)]
    pub(super) material: Option<Material>,
    /// The numbering of the indices, natural or alternate
    #[arg(long)]
    pub(super) numbering: Option<Numbering>,
    /// The side to move, white or black; a FEN line with the other one is an error
    #[arg(long)]
    pub(super) side: Option<Color>,
    /// The columns to read for each position: index, squares or fen
    #[arg(long)]
    pub(super) column: Option<Columns>,
    /// The most memory to use, such as 64M
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64M")]
    pub(super) memory: u64,
    #[command(flatten)]
    pub(super) compress: CompressArg,
    #[command(flatten)]
    pub(super) force: ForceArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    #[cfg(feature = "parquet")]
    return super::parquet::import(args);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = args;
        anyhow::bail!("{}", super::export::NO_PARQUET);
    }
}
