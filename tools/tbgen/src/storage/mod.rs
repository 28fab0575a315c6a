//! Files of tables, logs of plies, and dense sets in files.

pub(crate) mod log;
pub(crate) mod set_file;
pub(crate) mod sparse;
pub(crate) mod table_file;
