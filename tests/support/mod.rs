//! Helpers of several tests.

pub mod checksums;
#[cfg(feature = "store")]
pub mod contents;
pub mod corpus;
pub mod counts;
pub mod equivalence;
pub mod folder;
pub mod held;
pub mod kings;
#[cfg(feature = "store")]
pub mod opened;
pub mod parallel;
#[path = "../../tools/bench/src/random.rs"]
pub mod random;
#[cfg(feature = "store")]
pub mod reductions;
pub mod says;
pub mod signals;
pub mod skipped;
pub mod thorough;
