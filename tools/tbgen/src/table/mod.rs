//! A table: its parts, the values of its positions as codes in bit planes, in memory or put aside, and counts of them.

pub(crate) mod code_sets;
pub(crate) mod codes;
pub(crate) mod en_passant;
pub(crate) mod mate_codes;
pub(crate) mod planes;
pub(crate) mod reachable;
pub(crate) mod revision;
pub(crate) mod shape;
pub(crate) mod sizes;
pub(crate) mod slab;
pub(crate) mod slices;
pub(crate) mod slots;
pub(crate) mod solved;
pub(crate) mod sparse;
pub(crate) mod stats;
pub(crate) mod temp_file;
pub(crate) mod transpose;
pub(crate) mod value;
