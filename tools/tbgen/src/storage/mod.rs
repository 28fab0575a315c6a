//! Files of tables, logs of plies, and sets in temporary files.

pub(crate) mod file_at;
pub(crate) mod log;
pub(crate) mod part_log;
pub(crate) mod set_file;
pub(crate) mod sparse;
pub(crate) mod table_file;
pub(crate) mod temp_file;
