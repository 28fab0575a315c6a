//! The two widths of words that the C interface has.

use std::fmt::Debug;

use tbindex::Word;
use tbindex::batch::BatchWord;

use super::status::{Failure, TBI_ERROR_WORD};

/// The most pieces whose index fits the widest word of the interface.
pub(crate) const MAX_PIECES: usize = <u64 as Word>::MAX_PIECES;

/// A kind of value that exists for each width of word, such as a layout.
pub(crate) trait Kind: Debug {
    /// The type for one word.
    type Of<W: BatchWord>: Debug;
}

/// Two values, one for each width of word. The narrow one is there only if the pieces fit.
#[derive(Debug)]
pub(crate) struct ByWord<K: Kind> {
    /// For 32 bits.
    pub(crate) narrow: Option<K::Of<u32>>,
    /// For 64 bits.
    pub(crate) wide: K::Of<u64>,
}

/// One value, for one of the two widths.
#[derive(Debug)]
pub(crate) enum AnyWord<K: Kind> {
    /// For 32 bits.
    Narrow(K::Of<u32>),
    /// For 64 bits.
    Wide(K::Of<u64>),
}

/// `u32` or `u64`.
pub(crate) trait CWord: BatchWord {
    /// The value for this word, if the pieces fit.
    fn of<K: Kind>(both: &ByWord<K>) -> Option<&K::Of<Self>>;
    /// The value, if it is for this word.
    fn of_any<K: Kind>(any: &mut AnyWord<K>) -> Option<&mut K::Of<Self>>;
}

/// So many pieces don't fit 32 bits.
pub(crate) fn too_many_pieces(pieces: usize) -> Failure {
    Failure::new(
        TBI_ERROR_WORD,
        format!(
            "{pieces} pieces in words of 32 bits: expected at most {}, or words of 64 bits",
            <u32 as Word>::MAX_PIECES
        ),
    )
}

impl CWord for u32 {
    fn of<K: Kind>(both: &ByWord<K>) -> Option<&K::Of<u32>> {
        both.narrow.as_ref()
    }

    fn of_any<K: Kind>(any: &mut AnyWord<K>) -> Option<&mut K::Of<u32>> {
        match any {
            AnyWord::Narrow(narrow) => Some(narrow),
            AnyWord::Wide(_) => None,
        }
    }
}

impl CWord for u64 {
    fn of<K: Kind>(both: &ByWord<K>) -> Option<&K::Of<u64>> {
        Some(&both.wide)
    }

    fn of_any<K: Kind>(any: &mut AnyWord<K>) -> Option<&mut K::Of<u64>> {
        match any {
            AnyWord::Wide(wide) => Some(wide),
            AnyWord::Narrow(_) => None,
        }
    }
}
