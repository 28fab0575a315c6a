//! The program `tbindex`.

fn main() -> std::process::ExitCode {
    tbindex_cli::run()
}
