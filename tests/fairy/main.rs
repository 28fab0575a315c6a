//! Short-range pieces on small boards.

#[path = "../support/random.rs"]
pub mod random;
#[path = "../support/thorough.rs"]
mod thorough;

mod laws;
mod mates;
mod naive;
