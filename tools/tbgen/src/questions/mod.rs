//! Questions to whole tables, which sets of positions answer.

mod best;
pub(crate) mod help;
pub(crate) mod mine;
pub(crate) mod query;
mod sets;
mod tally;
