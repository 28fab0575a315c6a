//! The program: runs the proofs. See README.md.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use prove::Selection;

/// Proves the theorems and prints each with the way and the time it took
#[derive(Parser)]
#[command(
    max_term_width = 100,
    after_help = "Exit status: 0 if all hold, 1 if any fails, 2 for wrong arguments."
)]
struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Prints the theorems and proves nothing
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let theorems = arguments.selection.theorems();
    if theorems.is_empty() {
        let error = "no theorem has such a name";
        Arguments::command()
            .error(ErrorKind::ValueValidation, error)
            .exit();
    }
    if arguments.list {
        for theorem in theorems {
            println!("{}: {}", theorem.name, theorem.statement);
        }
        return ExitCode::SUCCESS;
    }
    match prove::run(&arguments.selection) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
