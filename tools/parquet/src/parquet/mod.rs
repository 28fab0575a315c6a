//! Index files as Parquet tables.
//!
//! Numbers are written as signed ones: every index is below 2⁶⁰, and engines on the Java machine know no others.

mod names;
mod read;
mod write;

use std::ops::RangeInclusive;

use anyhow::Result;

pub(super) use read::import;
pub(super) use write::export;

use super::args::usage;

/// The bytes for pages, their compression, and blocks of the index file.
const FIXED_BYTES: u64 = 12 << 20;

/// How many rows of so many bytes fit into this memory, at most the greatest number wanted.
///
/// # Errors
/// If less than the least number fit.
fn rows_within(memory: u64, row_bytes: u64, wanted: RangeInclusive<usize>) -> Result<usize> {
    let rows = memory.saturating_sub(FIXED_BYTES) / row_bytes;
    let (least, most) = wanted.into_inner();
    if rows < least as u64 {
        let least = (FIXED_BYTES + least as u64 * row_bytes).div_ceil(1 << 20);
        return Err(usage(format!(
            "--memory {memory}: expected at least {least}M"
        )));
    }
    Ok(rows.min(most as u64) as usize)
}
