//! Checks that the values of a batch are in range.

use super::backend::Backend;
use super::operations::BatchWord;
use crate::index::Layout;

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

/// # Validity
impl Backend {
    /// Checks that all words are indices of a layout ([`Layout::is_valid`]).
    ///
    /// ```
    /// use tbindex::{Layout, Numbering, batch::Backend};
    /// let (backend, layout) = (Backend::detect(), Layout::<u32>::new(2, Numbering::Natural));
    /// assert!(backend.check_indices(&layout, &[0, 0o7777]).is_ok());
    /// let error = backend.check_indices(&layout, &[0, 0o10000]).unwrap_err();
    /// assert_eq!(error.to_string(), "index 0o10000 at position 1: 2 pieces have indices below 0o10000");
    /// ```
    ///
    /// # Errors
    /// If one of them is not: the error has the first one.
    pub fn check_indices<W: BatchWord>(
        self,
        layout: &Layout<W>,
        words: &[W],
    ) -> Result<(), OutOfRange> {
        // The number of indices is a power of two, so one word has all that counts.
        let any = W::any_bits(self, words);
        if layout.is_valid(any) {
            return Ok(());
        }
        match words.iter().position(|&word| !layout.is_valid(word)) {
            None => Ok(()),
            Some(position) => Err(OutOfRange::Index {
                position,
                found: words[position].to_u64(),
                pieces: layout.pieces(),
                end: layout.index_count() as u64,
            }),
        }
    }
}
