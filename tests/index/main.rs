//! One index at a time: what it means, what it becomes, and how many there are.

#[path = "../support/equivalence.rs"]
pub mod equivalence;
#[path = "../laws/index.rs"]
pub mod index_laws;
#[path = "../laws/text.rs"]
pub mod text_laws;

mod against_reference;
#[cfg(feature = "store")]
mod legal_counts;
mod published;
mod texts;
