//! Slices of indices, on every backend of the machine.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../laws/batch.rs"]
pub mod batch_laws;
#[path = "../support/equivalence.rs"]
pub mod equivalence;
#[path = "../support/random.rs"]
pub mod random;

mod legality;
mod operations;
