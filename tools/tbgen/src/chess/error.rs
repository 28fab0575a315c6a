//! Why a position can't be looked up.

use std::io;
use std::sync::Arc;

use tbindex::{Material, MaterialError, Square};

/// The reason why a position isn't in a table.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProbeError {
    /// The position has other pieces.
    #[error("the position has the material {found}, the table is of {expected}")]
    Material {
        /// The table's material.
        expected: Material,
        /// The position's material.
        found: Material,
    },
    /// The position has no material at all.
    #[error(transparent)]
    NoMaterial(#[from] MaterialError),
    /// The table is not among those that are there.
    #[error("the table of {0} is not there")]
    Missing(Material),
    /// The position has castling rights.
    #[error("no table has positions with castling rights")]
    Castling,
    /// A file can't be read, or is damaged, which the error names.
    #[error("{0}")]
    File(Arc<io::Error>),
    /// The table has some placements of pawns, and not this one.
    #[error("the table of {0} has no positions with pawns on these squares")]
    Pawns(Material),
    /// The kings touch.
    #[error("the kings on {} and {} touch", .0[0], .0[1])]
    Kings([Square; 2]),
}

impl From<io::Error> for ProbeError {
    fn from(error: io::Error) -> ProbeError {
        ProbeError::File(Arc::new(error))
    }
}
