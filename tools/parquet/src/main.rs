//! The program `tbindex-parquet`: index files as tables of Parquet, and positions of such tables with what endgame tables
//! say of them.

mod args;
mod export;
mod import;
mod label;
mod names;
mod new_table;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use tbgen_cli::label::{Column, Run};

/// Reads and writes tables of Parquet.
#[derive(Parser)]
#[command(
    name = "tbindex-parquet",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Export(export::Args),
    Import(import::Args),
    #[command(
        after_help = "Example:\n  tbindex-parquet label positions.parquet -o labelled.parquet --tables syzygy --stats"
    )]
    Label(tbgen_cli::label::Args),
    #[command(
        after_help = "Example:\n  tbindex-parquet mine KQPvKQ --find zugzwang --format parquet -o zugzwangs.parquet"
    )]
    Mine(tbgen_cli::mine::Args),
    #[command(
        after_help = "Example:\n  tbindex-parquet sample --all 4 --count 100000 --metric dtm -o sample.parquet"
    )]
    Sample(tbgen_cli::sample::Args),
}

/// The crate for Parquet, as the commands of `tbgen` use it.
struct Parquet;

impl tbgen_cli::parquet::Parquet for Parquet {
    fn create<'o>(
        &self,
        output: &'o mut (dyn Write + Send),
        texts: &[&str],
        numbers: &[&str],
    ) -> Result<Box<dyn tbgen_cli::parquet::NewTable + 'o>> {
        Ok(Box::new(new_table::NewTable::new(output, texts, numbers)?))
    }

    fn label(
        &self,
        run: &mut Run<'_>,
        columns: &[Column],
        output: &mut (dyn Write + Send),
    ) -> Result<u64> {
        label::label(run, columns, output)
    }
}

fn main() -> ExitCode {
    let parquet = Some(&Parquet as &dyn tbgen_cli::parquet::Parquet);
    tbgen_cli::status_of("tbindex-parquet", || match Cli::parse().command {
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Label(args) => tbgen_cli::label::run(&args, parquet),
        Command::Mine(args) => tbgen_cli::mine::run(&args, parquet),
        Command::Sample(args) => tbgen_cli::sample::run(&args, parquet),
    })
}
