//! Slices of indices, on every backend of the machine.

#[path = "../laws/batch.rs"]
pub mod batch_laws;
#[path = "../support/equivalence.rs"]
pub mod equivalence;

mod operations;
