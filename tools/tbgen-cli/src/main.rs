//! The program `tbgen`.

fn main() -> std::process::ExitCode {
    tbgen_cli::run()
}
