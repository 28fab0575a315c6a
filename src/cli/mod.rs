//! The command line. Each subcommand has a file, which only parses arguments, calls the library and prints.
//!
//! Results go to standard output, messages and progress bars to standard error. The exit status is 0 for
//! success, 1 for a data or I/O error, and 2 for a wrong call. An interrupted process ends by the signal.

mod args;
mod bench;
mod board;
mod canonical;
mod completions;
mod decode;
mod encode;
mod enumerate;
mod estimate;
mod export;
mod fairy;
mod files;
mod find;
mod flip;
mod import;
mod index;
mod info;
mod interrupt;
mod lines;
mod man;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod reduce;
mod rewrite;
mod sets;
mod squares;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tbindex::store::{SetOperation, StoreError, StoreErrorKind, handle_file_signals};

/// Interleaved indices of endgame positions: symmetries, canonical forms and index files.
#[derive(Parser)]
#[command(name = "tbindex", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Board(board::Args),
    Index(index::Args),
    Squares(squares::Args),
    Flip(flip::Args),
    Canonical(canonical::Args),
    Encode(encode::Args),
    Decode(decode::Args),
    Export(export::Args),
    Import(import::Args),
    Enumerate(enumerate::Args),
    Estimate(estimate::Args),
    Reduce(reduce::Args),
    /// Write the indices that are in any of several reduced files
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory.
    #[command(after_help = "Example:\n  tbindex union a.tbi b.tbi c.tbi -o all.tbi")]
    Union(sets::Args),
    /// Write the indices that are in all of several reduced files
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
    /// its indices are looked for in the other, which is not read whole.
    #[command(after_help = "Example:\n  tbindex intersect a.tbi b.tbi -o both.tbi")]
    Intersect(sets::Args),
    /// Write the indices that are in the first of several reduced files and in no other
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
    /// its indices are looked for in the other, which is not read whole.
    #[command(after_help = "Example:\n  tbindex difference all.tbi done.tbi -o left.tbi")]
    Difference(sets::Args),
    Convert(rewrite::ConvertArgs),
    Transform(rewrite::TransformArgs),
    Find(find::Args),
    Info(info::Args),
    Verify(verify::Args),
    Fairy(Box<fairy::Args>),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    handle_file_signals(|file| {
        let file = file.map_or("a mapped file".into(), |file| file.display().to_string());
        output::note(&format!(
            "tbindex: {file}: a part of it is gone: it was shortened while it was mapped, or the disk failed \
             (--no-map reads files instead)\n"
        ));
    });
    let result = match Cli::parse().command {
        Command::Board(args) => board::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Squares(args) => squares::run(&args),
        Command::Flip(args) => flip::run(&args),
        Command::Canonical(args) => canonical::run(&args),
        Command::Encode(args) => encode::run(&args),
        Command::Decode(args) => decode::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Enumerate(args) => enumerate::run(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Reduce(args) => reduce::run(&args),
        Command::Union(args) => sets::run(SetOperation::Union, &args),
        Command::Intersect(args) => sets::run(SetOperation::Intersection, &args),
        Command::Difference(args) => sets::run(SetOperation::Difference, &args),
        Command::Convert(args) => rewrite::convert(&args),
        Command::Transform(args) => rewrite::transform(&args),
        Command::Find(args) => find::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Fairy(args) => fairy::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output may stop when it has seen enough: `tbindex decode F | head`.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tbindex: {error:#}");
            let store_error = error.downcast_ref().map(StoreError::kind);
            if let Some(StoreErrorKind::Exists) = store_error {
                eprintln!("tbindex: --force replaces it");
            }
            if error.is::<interrupt::Interrupted>() {
                interrupt::end_by_signal();
            }
            if error.is::<args::UsageError>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}
