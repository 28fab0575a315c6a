//! The error of batches with a number that is out of its range.

/// The error that a value of a batch is out of range: the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutOfRange {
    /// A word is no index.
    #[error("index {found:#o} at position {position}: {pieces} pieces have indices below {end:#o}")]
    Index {
        /// The word's place in the batch, counted from 0.
        position: usize,
        /// The word.
        found: u64,
        /// The number of pieces.
        pieces: usize,
        /// The number of indices, which is 64 to the power of the pieces.
        end: u64,
    },
    /// A number is no slot.
    #[error("slot {found} at position {position}: expected slots below {size}")]
    Slot {
        /// The number's place in the batch, counted from 0.
        position: usize,
        /// The number.
        found: u64,
        /// The number of slots that the scheme has.
        size: u64,
    },
    /// A byte is no square.
    #[error("piece {piece} of position {position} stands on {found}: squares are 0 to 63")]
    Square {
        /// The position's number in the batch, counted from 0.
        position: usize,
        /// The piece's number.
        piece: usize,
        /// The byte.
        found: u8,
    },
}
