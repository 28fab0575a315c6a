//! Moves out of a part of a table into others: conversions, and what they lead to.

pub(crate) mod cache;
pub(crate) mod conversions;
pub(crate) mod library;
pub(crate) mod mate_conversions;
pub(crate) mod mate_seeds;
pub(crate) mod outcome_sets;
pub(crate) mod promotions;
pub(crate) mod view;
