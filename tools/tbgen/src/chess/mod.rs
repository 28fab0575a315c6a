//! Boards and moves beyond those of the library: rights, short-range pieces, placements of pawns, and which table needs which.

pub(crate) mod board;
pub(crate) mod cozy;
pub(crate) mod dependencies;
pub(crate) mod error;
pub(crate) mod game;
pub(crate) mod notation;
pub(crate) mod pawns;
pub(crate) mod piece_set;
