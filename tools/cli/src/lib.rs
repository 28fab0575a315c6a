//! The `tbindex` command: see `tbindex --help`. Each subcommand has a file, which only parses arguments, calls the library and prints.
//!
//! Results go to standard output, messages and progress bars to standard error. The exit status is 0 for
//! success, 1 for a data or I/O error, and 2 for a wrong call. An interrupted process ends by the signal.

/// Writes a line to standard error. If nobody reads that, it is lost.
macro_rules! note {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod args;
mod bench;
mod board;
mod canonical;
mod completions;
mod decode;
mod encode;
mod enumerate;
mod estimate;
mod fairy;
mod files;
mod find;
mod flip;
mod index;
mod info;
mod interrupt;
mod lines;
mod man;
mod output;
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

/// Declares the commands, each with its arguments and the call that runs it.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($args:ty) => |$argument:ident| $run:expr,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($args),)*
        }

        impl Command {
            fn run(&self) -> anyhow::Result<()> {
                match self {
                    $(Command::$name($argument) => $run,)*
                }
            }
        }
    };
}

commands! {
    Board(board::Args) => |args| board::run(args),
    Index(index::Args) => |args| index::run(args),
    Squares(squares::Args) => |args| squares::run(args),
    Flip(flip::Args) => |args| flip::run(args),
    Canonical(canonical::Args) => |args| canonical::run(args),
    Encode(encode::Args) => |args| encode::run(args),
    Decode(decode::Args) => |args| decode::run(args),
    Enumerate(enumerate::Args) => |args| enumerate::run(args),
    Estimate(estimate::Args) => |args| estimate::run(args),
    Reduce(reduce::Args) => |args| reduce::run(args),
    /// Write the indices that are in any of several reduced files
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory.
    #[command(after_help = "Example:\n  tbindex union a.tbi b.tbi c.tbi -o all.tbi")]
    Union(sets::Args) => |args| sets::run(SetOperation::Union, args),
    /// Write the indices that are in all of several reduced files
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
    /// its indices are looked for in the other, which is not read whole.
    #[command(after_help = "Example:\n  tbindex intersect a.tbi b.tbi -o both.tbi")]
    Intersect(sets::Args) => |args| sets::run(SetOperation::Intersection, args),
    /// Write the indices that are in the first of several reduced files and in no other
    ///
    /// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
    /// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
    /// its indices are looked for in the other, which is not read whole.
    #[command(after_help = "Example:\n  tbindex difference all.tbi done.tbi -o left.tbi")]
    Difference(sets::Args) => |args| sets::run(SetOperation::Difference, args),
    Convert(rewrite::ConvertArgs) => |args| rewrite::convert(args),
    Transform(rewrite::TransformArgs) => |args| rewrite::transform(args),
    Find(find::Args) => |args| find::run(args),
    Info(info::Args) => |args| info::run(args),
    Verify(verify::Args) => |args| verify::run(args),
    Fairy(Box<fairy::Args>) => |args| fairy::run(args),
    Bench(bench::Args) => |args| bench::run(args),
    Completions(completions::Args) => |args| completions::run(args),
    Man(man::Args) => |args| man::run(args),
}

/// Runs the program with the arguments of the process, and says how it ends.
pub fn run() -> ExitCode {
    handle_file_signals(|file| {
        let file = file.map_or("a mapped file".into(), |file| file.display().to_string());
        note!(
            "tbindex: {file}: a part of it is gone: it was shortened while it was mapped, or the disk failed \
             (--no-map reads files instead)"
        );
    });
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output may stop when it has seen enough: `tbindex decode F | head`.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note!("tbindex: {error:#}");
            let store_error = error.downcast_ref().map(|error: &StoreError| error.kind);
            if let Some(StoreErrorKind::Exists) = store_error {
                note!("tbindex: --force replaces it");
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
