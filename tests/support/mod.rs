//! What several tests need.

pub mod checksums;
#[cfg(feature = "store")]
pub mod contents;
pub mod corpus;
pub mod counts;
pub mod equivalence;
pub mod folder;
pub mod held;
pub mod kings;
pub mod random;
pub mod signals;
pub mod skipped;
pub mod thorough;
