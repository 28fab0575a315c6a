//! Conversions, which are the moves out of a part of a table, and the seeds that they bring to its solution.

pub(crate) mod best;
pub(crate) mod cache;
pub(crate) mod conversions;
pub(crate) mod due;
pub(crate) mod gathered;
pub(crate) mod library;
pub(crate) mod seeds;
pub(crate) mod seen;
pub(crate) mod solved;
pub(crate) mod table_size;
