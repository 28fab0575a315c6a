//! The error of dense numberings.

use crate::board::Material;
use crate::index::LayoutError;

/// Why a dense numbering can't be made.
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
}
