//! Files of tables, checkpoints, and dense sets in files.

pub(crate) mod checkpoint;
pub(crate) mod set_file;
pub(crate) mod sparse;
pub(crate) mod table_file;
