//! The program, as its users meet it.

#[path = "../support/contents.rs"]
pub mod contents;
#[path = "../support/held.rs"]
mod held;
#[path = "../support/names.rs"]
mod names;
mod program;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/skipped.rs"]
mod skipped;

mod bench;
mod counts;
mod fairy;
mod files;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod interruption;
mod parquet;
mod progress;
#[cfg(unix)]
mod readme;
mod shell;
#[cfg(unix)]
#[path = "../support/signals.rs"]
mod signals;
mod single;
