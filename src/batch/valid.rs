//! Checks that the values of a batch are in range.

use super::backend::Backend;
use super::operations::BatchWord;
use super::out_of_range::OutOfRange;
use crate::index::Layout;

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
