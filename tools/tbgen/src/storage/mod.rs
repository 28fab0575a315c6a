//! Files of tables, packed ones, checkpoints, and dense sets in files.

pub(crate) mod checkpoint;
mod header;
pub(crate) mod packed;
pub(crate) mod set_file;
pub(crate) mod sparse;
pub(crate) mod table_file;
