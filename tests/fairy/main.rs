//! Short-range pieces on small boards.

mod laws;
