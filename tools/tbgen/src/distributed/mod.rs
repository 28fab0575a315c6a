//! Several processes that solve a table together.

pub(crate) mod partition;
pub(crate) mod transport;
