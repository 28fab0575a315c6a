//! Questions to whole tables, which sets of positions answer.

pub(crate) mod best;
pub(crate) mod by_distance;
pub(crate) mod chain;
mod en_passant;
pub(crate) mod found;
pub(crate) mod help;
pub(crate) mod log;
pub(crate) mod members;
pub(crate) mod memory;
pub(crate) mod mine;
pub(crate) mod query;
pub(crate) mod reservoir;
mod sets;
mod tally;
