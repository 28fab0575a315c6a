//! Squares, one byte each, that become indices, and the other way round: in rows, position by position, and in columns,
//! piece by piece. Rows have two ways: [vectors](rows), whose words hold a row, and [look-ups](look_up), where vectors are
//! of no help.

pub(crate) mod columns;
mod long;
mod look_up;
pub(crate) mod rows;
mod short;

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
