//! The program: runs the proofs and writes the statement file. See README.md.

use std::path::Path;
use std::process::ExitCode;

use prove::Selection;

const USAGE: &str = "usage: prove [--quick] [--only TEXT] [--list]
       prove --mutants

Proves the theorems and prints each with the way and the time it took. A run of all of them writes them to
tools/prove/THEOREMS.md.

  --quick      only what takes less than a minute in all
  --only TEXT  only theorems whose name contains TEXT
  --list       prints the theorems and proves nothing
  --mutants    does every operation of the kernels wrong in turn, and writes the mistakes that no theorem notices to
               tools/prove/SURVIVORS.md

Exit status: 0 if all hold, 1 if any fails (or a mistake survives that is not on the list), 2 for wrong arguments.";

fn main() -> ExitCode {
    let mut selection = Selection::default();
    let mut list = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => selection.quick = true,
            "--list" => list = true,
            "--mutants" => {
                return match prove::mutants::run() {
                    Ok(true) => ExitCode::SUCCESS,
                    Ok(false) => ExitCode::FAILURE,
                    Err(error) => {
                        eprintln!("{error}");
                        ExitCode::FAILURE
                    }
                };
            }
            "--only" => match arguments.next() {
                Some(text) => selection.only = Some(text),
                None => return usage(),
            },
            "--help" | "-h" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            _ => return usage(),
        }
    }
    if list {
        for theorem in selection.theorems() {
            println!("{}: {}", theorem.name, theorem.statement);
        }
        return ExitCode::SUCCESS;
    }
    let records = prove::run(&selection);
    if records.is_empty() {
        eprintln!("no theorem has such a name");
        return ExitCode::from(2);
    }
    let failed = records.iter().filter(|record| record.failed()).count();
    if selection.is_all() && failed == 0 {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THEOREMS.md");
        if let Err(error) = std::fs::write(&path, prove::statement_file(&records)) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    if failed > 0 {
        eprintln!("{failed} theorems failed");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
