//! The width of words, which callers state in bytes.

use tbindex::Word;

use super::status::{Failure, Outcome, TBI_ERROR_WORD};

/// The most pieces whose index fits the widest word of the interface.
pub(crate) const MAX_PIECES: usize = <u64 as Word>::MAX_PIECES;

/// Two values, one for each width of word. The narrow one is there only if the pieces fit.
#[derive(Debug)]
pub(crate) struct ByWord<N, W> {
    /// For 32 bits.
    pub(crate) narrow: Option<N>,
    /// For 64 bits.
    pub(crate) wide: W,
}

impl<N, W> ByWord<N, W> {
    /// The value for 32 bits.
    pub(crate) fn narrow(&self) -> Outcome<&N> {
        self.narrow.as_ref().ok_or_else(|| {
            Failure::new(
                TBI_ERROR_WORD,
                format!(
                    "words of 4 bytes hold at most {} pieces: expected words of 8 bytes",
                    u32::MAX_PIECES
                ),
            )
        })
    }

    /// The bytes of the smallest word that holds an index.
    pub(crate) fn word_bytes(&self) -> usize {
        if self.narrow.is_some() { 4 } else { 8 }
    }
}

/// Evaluates an expression for words of so many bytes: with the type of the word, or with the value of a
/// [`ByWord`] for it.
macro_rules! with_word {
    ($bytes:expr, $word:ident => $value:expr) => {
        match $bytes {
            4 => {
                type $word = u32;
                $value
            }
            8 => {
                type $word = u64;
                $value
            }
            bytes => Err($crate::words::no_word(bytes)),
        }
    };
    ($bytes:expr, $of_word:ident in $by_word:expr => $value:expr) => {
        match $bytes {
            4 => {
                let $of_word = $by_word.narrow()?;
                $value
            }
            8 => {
                let $of_word = &$by_word.wide;
                $value
            }
            bytes => Err($crate::words::no_word(bytes)),
        }
    };
}
pub(crate) use with_word;

/// There are no words of so many bytes.
pub(crate) fn no_word(bytes: usize) -> Failure {
    Failure::new(
        TBI_ERROR_WORD,
        format!("words of {bytes} bytes: expected 4 or 8"),
    )
}
