//! Short-range pieces on small boards.

mod laws;
mod mates;
mod naive;
