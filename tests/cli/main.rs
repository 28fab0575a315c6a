//! The program, as its users meet it.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

mod program;
#[path = "../support/mod.rs"]
pub mod support;

mod bench;
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
mod single;
