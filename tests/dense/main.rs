//! Numberings without holes.

#[path = "../laws/dense.rs"]
pub mod laws;

mod schemes;
