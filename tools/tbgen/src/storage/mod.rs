//! Files of tables, packed ones, and files of records such as checkpoints.

pub(crate) mod checkpoint;
mod header;
pub(crate) mod packed;
pub(crate) mod record_file;
pub(crate) mod table_file;

/// The bits of the number of a row, which are below those of its place where many are looked up together.
pub(crate) const ROW_BITS: u32 = 22;

/// The row that wants a place.
pub(crate) const fn row_of(wanted: u64) -> u32 {
    wanted as u32 & ((1 << ROW_BITS) - 1)
}
