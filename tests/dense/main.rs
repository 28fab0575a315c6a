//! Numberings without holes.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../laws/dense.rs"]
pub mod laws;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/skipped.rs"]
mod skipped;
#[path = "../support/thorough.rs"]
mod thorough;

mod schemes;
