//! One index at a time: what it means, what it becomes, and how many there are.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../support/equivalence.rs"]
pub mod equivalence;
#[path = "../laws/index.rs"]
pub mod index_laws;
#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/thorough.rs"]
mod thorough;

mod against_reference;
mod published;
