//! The program `tbindex-parquet`: index files as tables of Parquet, and positions of such tables with what endgame tables
//! say of them.

mod args;
mod export;
mod import;
mod label;
mod names;
mod new_table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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

fn main() -> ExitCode {
    tbgen_cli::status_of("tbindex-parquet", || match Cli::parse().command {
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Label(args) => tbgen_cli::label::run(&args, Some(label::label)),
        Command::Mine(args) => tbgen_cli::mine::run(&args, Some(new_table::create)),
        Command::Sample(args) => tbgen_cli::sample::run(&args, Some(new_table::create)),
    })
}
