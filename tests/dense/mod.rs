//! Numberings without holes.

mod schemes;
