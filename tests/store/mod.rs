//! Index files, and what is done with whole ones.

mod damage;
mod files;
mod foreign_reader;
mod long_operations;
mod reduction;
mod set_algebra;
#[cfg(unix)]
mod targets;
