//! Index files, and what is done with whole ones.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../support/checksums.rs"]
pub mod checksums;
#[path = "../support/contents.rs"]
pub mod contents;
#[path = "../laws/files.rs"]
pub mod file_laws;
#[path = "../support/names.rs"]
mod names;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/skipped.rs"]
mod skipped;
#[path = "../support/thorough.rs"]
mod thorough;

mod bitbases;
mod files;
mod foreign_reader;
mod long_operations;
mod opened;
mod reduction;
mod set_algebra;
#[cfg(unix)]
mod targets;
