//! What a file's author says of its indices.

use std::path::Path;

use super::error::{StoreError, StoreErrorKind};
use crate::board::{Color, Material};
use crate::index::{Numbering, Word};

/// The number of pieces that fit a `u64`.
pub(super) const MAX_PIECES: usize = 10;

/// What a file's author says of its indices.
///
/// The group of symmetries follows from the material, and so does the word: `u32` up to 5 pieces,
/// `u64` up to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The pieces.
    pub material: Material,
    /// The numbering of the squares.
    pub numbering: Numbering,
    /// Who is to move, where that is known.
    pub side: Option<Color>,
    /// Whether every index is the smallest of its equivalents.
    pub canonical: bool,
    /// Whether the indices ascend.
    pub sorted: bool,
    /// Whether no index occurs twice; only together with `sorted`.
    pub distinct: bool,
}

impl Contents {
    /// Any indices of a material, in any order.
    #[must_use]
    pub const fn new(material: Material, numbering: Numbering) -> Contents {
        Contents {
            material,
            numbering,
            side: None,
            canonical: false,
            sorted: false,
            distinct: false,
        }
    }

    /// The same with this side to move.
    #[must_use]
    pub const fn with_side(self, side: Option<Color>) -> Contents {
        Contents { side, ..self }
    }

    /// The same, claiming that the indices are canonical, sorted and distinct: a reduced set.
    #[must_use]
    pub const fn reduced(self) -> Contents {
        Contents {
            canonical: true,
            sorted: true,
            distinct: true,
            ..self
        }
    }

    /// The width of the words: 32 bits up to 5 pieces, 64 beyond.
    #[must_use]
    pub fn word_bits(self) -> u32 {
        if self.material.piece_count() <= u32::MAX_PIECES {
            u32::BITS
        } else {
            u64::BITS
        }
    }

    /// Checks what a writer is about to claim.
    pub(super) fn check(&self, path: &Path) -> Result<(), StoreError> {
        let found = self.material.piece_count();
        if found > MAX_PIECES {
            return Err(StoreErrorKind::TooManyPieces {
                material: self.material,
                found,
                max: MAX_PIECES,
            }
            .at(path));
        }
        if self.distinct && !self.sorted {
            return Err(StoreErrorKind::DistinctUnsorted.at(path));
        }
        Ok(())
    }

    /// What the file claims of the order of its indices, in words.
    pub(super) fn order_claim(&self) -> &'static str {
        if self.distinct {
            "sorted and distinct"
        } else {
            "sorted"
        }
    }
}
