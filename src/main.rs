//! The `tbindex` command: see `tbindex --help`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
