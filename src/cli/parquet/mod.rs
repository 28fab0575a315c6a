//! Index files as Parquet tables.
//!
//! Numbers are written as signed ones: every index is below 2⁶⁰, and engines on the Java machine know no others.

mod names;
mod read;
mod write;

pub(super) use read::import;
pub(super) use write::export;
