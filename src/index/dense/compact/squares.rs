//! The squares of a position, one for each piece.

/// The most pieces that have compact slots: as many as an index of 64 bits.
pub(super) const MAX_PIECES: usize = 10;

/// The squares of all pieces, by their numbers. Those beyond the last piece are 0.
pub(super) type Squares = [u8; MAX_PIECES];
