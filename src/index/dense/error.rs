//! Why there is no dense numbering.

use crate::board::{Group, Material};
use crate::index::LayoutError;

/// Why a dense numbering can't be made, or not for this material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DenseError {
    /// The word does not hold the index.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The material has more pieces than the scheme numbers.
    #[error("{material} has {} pieces: compact slots are for up to {max}", material.piece_count())]
    TooManyPieces {
        /// The material.
        material: Material,
        /// The most pieces that the scheme numbers.
        max: usize,
    },
    /// The scheme numbers positions of another number of pieces.
    #[error(
        "{material} has {} pieces: the scheme numbers positions of {pieces}",
        material.piece_count()
    )]
    PieceCount {
        /// The material.
        material: Material,
        /// How many pieces the scheme's positions have.
        pieces: usize,
    },
    /// The scheme takes positions for the same that the material tells apart.
    #[error(
        "the symmetries of {material} are those of {}: the scheme's are those of {group}",
        material.group()
    )]
    Symmetries {
        /// The material.
        material: Material,
        /// The scheme's group.
        group: Group,
    },
    /// The scheme numbers the positions of another material.
    #[error("the scheme numbers the positions of {expected}, not of {found}")]
    OtherMaterial {
        /// The scheme's material.
        expected: Material,
        /// The material that was asked for.
        found: Material,
    },
}
