//! Answers for positions.

pub(crate) mod answer;
pub(crate) mod batch;
mod castling;
pub(crate) mod files;
pub(crate) mod on_demand;
mod order;
pub(crate) mod prober;
pub(crate) mod tables;
