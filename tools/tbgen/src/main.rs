//! The command line of the generator.

#![forbid(unsafe_code)]

mod cli;

/// Many parts of a table are solved on each thread, with sets of all sizes, and freed on another: the system's
/// allocator keeps three times as much memory for that, and takes longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
