//! Sets of positions, against plain loops over squares.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../laws/bitbase/mod.rs"]
pub mod laws;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/skipped.rs"]
mod skipped;

mod domains;
mod parallel;
mod seen;
mod sets;
mod slices;
