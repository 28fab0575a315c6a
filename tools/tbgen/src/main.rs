//! The command line of the generator.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
