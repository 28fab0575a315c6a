//! Numberings without holes.

mod kings;
mod schemes;
