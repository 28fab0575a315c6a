//! The two widths of words that the C interface has, and how handles answer for each.

use tbindex::batch::BatchWord;
use tbindex::store::IndexWriter;
use tbindex::{DenseBatch, Equivalence, Layout, Word};

use super::dense::tbi_dense;
use super::equivalence::tbi_equivalence;
use super::layout::tbi_layout;
use super::status::{Failure, Outcome, TBI_ERROR_WORD};
use super::writer::AnyWriter;

/// The most pieces whose index fits the widest word of the interface.
pub(crate) const MAX_PIECES: usize = <u64 as Word>::MAX_PIECES;

/// Something for each width of word; of the narrow one only where the pieces fit.
#[derive(Debug)]
pub(crate) struct ByWord<N, W> {
    /// For 32 bits.
    pub(crate) narrow: Option<N>,
    /// For 64 bits.
    pub(crate) wide: W,
}

/// `u32` or `u64`.
pub(crate) trait CWord: BatchWord {
    /// The layout in this word.
    fn layout(handle: &tbi_layout) -> Outcome<&Layout<Self>>;
    /// The equivalence in this word.
    fn equivalence(handle: &tbi_equivalence) -> Outcome<&Equivalence<Self>>;
    /// The dense numbering in this word.
    fn dense(handle: &tbi_dense) -> Outcome<&dyn DenseBatch<Self>>;
    /// The writer, if it takes this word.
    fn writer(writer: &mut AnyWriter) -> Option<&mut IndexWriter<Self>>;
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
    fn layout(handle: &tbi_layout) -> Outcome<&Layout<u32>> {
        let layout = handle.0.narrow.as_ref();
        layout.ok_or_else(|| too_many_pieces(handle.0.wide.pieces()))
    }

    fn equivalence(handle: &tbi_equivalence) -> Outcome<&Equivalence<u32>> {
        let same = handle.0.narrow.as_ref();
        same.ok_or_else(|| too_many_pieces(handle.0.wide.layout().pieces()))
    }

    fn dense(handle: &tbi_dense) -> Outcome<&dyn DenseBatch<u32>> {
        handle.narrow()
    }

    fn writer(writer: &mut AnyWriter) -> Option<&mut IndexWriter<u32>> {
        match writer {
            AnyWriter::Narrow(writer) => Some(writer),
            AnyWriter::Wide(_) => None,
        }
    }
}

impl CWord for u64 {
    fn layout(handle: &tbi_layout) -> Outcome<&Layout<u64>> {
        Ok(&handle.0.wide)
    }

    fn equivalence(handle: &tbi_equivalence) -> Outcome<&Equivalence<u64>> {
        Ok(&handle.0.wide)
    }

    fn dense(handle: &tbi_dense) -> Outcome<&dyn DenseBatch<u64>> {
        handle.wide()
    }

    fn writer(writer: &mut AnyWriter) -> Option<&mut IndexWriter<u64>> {
        match writer {
            AnyWriter::Wide(writer) => Some(writer),
            AnyWriter::Narrow(_) => None,
        }
    }
}
