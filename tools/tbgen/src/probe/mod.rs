//! Checks of tables by their moves.

pub(crate) mod verify;
