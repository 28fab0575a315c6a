//! Checks that words are indices.

use super::backend::Backend;
use super::operations::BatchWord;
use crate::index::Layout;

/// A word that is not an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("index {found:#o} at position {position}: {pieces} pieces have indices below {end:#o}")]
pub struct IndexOutOfRange {
    /// The word's place in the batch, counted from 0.
    pub position: usize,
    /// The word.
    pub found: u64,
    /// The number of pieces.
    pub pieces: usize,
    /// The number of indices, which is 64 to the power of the pieces.
    pub end: u64,
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
    /// assert_eq!((error.position, error.found), (1, 0o10000));
    /// ```
    ///
    /// # Errors
    /// If one of them is not: the error has the first one.
    pub fn check_indices<W: BatchWord>(
        self,
        layout: &Layout<W>,
        words: &[W],
    ) -> Result<(), IndexOutOfRange> {
        // The number of indices is a power of two, so one word has all that counts.
        let any = W::any_bits(self, words);
        if layout.is_valid(any) {
            return Ok(());
        }
        match words.iter().position(|&word| !layout.is_valid(word)) {
            None => Ok(()),
            Some(position) => Err(IndexOutOfRange {
                position,
                found: words[position].to_u64(),
                pieces: layout.pieces(),
                end: layout.index_count() as u64,
            }),
        }
    }
}
