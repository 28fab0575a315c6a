//! What a table is: its parts, the values of its positions, their codes, and counts of them.

pub(crate) mod code_sets;
pub(crate) mod codes;
pub(crate) mod error;
pub(crate) mod mate_codes;
pub(crate) mod planes;
pub(crate) mod reachable;
pub(crate) mod revision;
pub(crate) mod shape;
pub(crate) mod solved;
pub(crate) mod stats;
pub(crate) mod value;
