//! The word of a file, which is known once the file is open.

#[doc(hidden)]
#[macro_export]
macro_rules! __tbindex_with_word {
    ($bits:expr, $word:ident => $run:expr) => {
        match $bits {
            32 => {
                type $word = u32;
                $run
            }
            _ => {
                type $word = u64;
                $run
            }
        }
    };
}

/// Evaluates an expression for the word of a file: for `u32` where
/// [`Header::word_bits`](super::Header::word_bits) says 32, else for `u64`.
///
/// ```
/// use tbindex::Numbering;
/// use tbindex::store::{Contents, with_word};
/// let contents = Contents::new("KQRvKRN".parse()?, Numbering::Natural);
/// assert_eq!(with_word!(contents.word_bits(), W => size_of::<W>()), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use crate::__tbindex_with_word as with_word;
