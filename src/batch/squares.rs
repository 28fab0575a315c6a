//! The error for bytes that are not squares.

/// A byte that is not a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("piece {piece} of position {position} stands on {found}: squares are 0 to 63")]
pub struct SquareOutOfRange {
    /// The position's number in the batch, from 0.
    pub position: usize,
    /// The piece's number.
    pub piece: usize,
    /// The byte in place of a square's number.
    pub found: u8,
}
