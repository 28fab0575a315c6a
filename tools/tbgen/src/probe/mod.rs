//! Answers about positions, and checks of tables by their moves.

pub(crate) mod verify;
