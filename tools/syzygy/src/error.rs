//! The errors of reading and probing.

use std::io;
use std::sync::Arc;

use crate::kind::Kind;
use crate::material::Material;

/// The reason why a file is refused, or why a probe has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The system can't read or write a file.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: Arc<str>,
        /// The error of the system.
        source: Arc<io::Error>,
    },
    /// A file is damaged.
    #[error("{file}: {what} (at byte {offset})")]
    Damaged {
        /// The file.
        file: Arc<str>,
        /// The byte that is wrong, or the first of the field that is.
        offset: u64,
        /// The field, what it has and what it should have.
        what: String,
    },
    /// There is no file for a material that the answer needs.
    #[error("the table {material}.{} is needed, and it isn't there", kind.extension())]
    Missing {
        /// The material of the position, or of one that captures or promotions lead to.
        material: Material,
        /// Which of the two files is missing.
        kind: Kind,
    },
    /// The position has castling rights, of which tables know nothing.
    #[error("tables know nothing of castling rights, and the position has some")]
    Castling,
    /// The kings touch.
    #[error("the kings touch")]
    KingsTouch,
    /// The position is not legal, for this reason.
    #[error("the position is not legal: {0}")]
    Illegal(&'static str),
    /// The pieces are those of no table.
    #[error("expected one king of each side and one to five other pieces")]
    Pieces,
    /// The position has more pieces than any table.
    #[error("the position has {0} pieces, and tables have at most 7")]
    TooManyPieces(u32),
}

impl Error {
    pub(crate) fn io(file: &Arc<str>, source: io::Error) -> Error {
        Error::Io {
            file: Arc::clone(file),
            source: Arc::new(source),
        }
    }
}
