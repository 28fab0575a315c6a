//! The program: runs the proofs. See README.md.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use prove::Selection;

/// Proves the theorems and prints each with the way and the time it took
#[derive(Parser)]
#[command(
    max_term_width = 100,
    after_help = "Exit status: 0 if all hold, 1 if any fails (or a mistake survives that is not on the list), 2 for wrong arguments."
)]
struct Arguments {
    #[command(flatten)]
    selection: Selection,
    /// Prints the theorems and proves nothing
    #[arg(long)]
    list: bool,
    /// Does every operation of the kernels wrong in turn, and writes the mistakes that no theorem notices to
    /// tools/prove/SURVIVORS.md
    #[arg(long, exclusive = true)]
    mutants: bool,
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
    let all_hold = if arguments.mutants {
        prove::mutants::run()
    } else if arguments.list {
        for theorem in theorems {
            println!("{}: {}", theorem.name, theorem.statement);
        }
        Ok(true)
    } else {
        Ok(prove::run(&arguments.selection))
    };
    match all_hold {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
