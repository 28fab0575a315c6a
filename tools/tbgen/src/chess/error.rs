//! Why a position is none that tables know, and why it can't be looked up.

use std::io;
use std::sync::Arc;

use tbindex::{FenError, Leaper, Material, MaterialError, PieceType, Position, Square};

use crate::chess::board::MOST;
use crate::chess::piece_set::EndgameError;

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

/// Why a position is not legal that has one king of each side, and pawns on ranks 2 to 7 alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalReason {
    /// The kings are on neighbouring squares.
    #[error("the kings touch")]
    KingsTouch,
    /// The side that is not to move is in check.
    #[error("the side not to move is in check")]
    Check,
}

/// Why a FEN is no position that tables know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The FEN can't be read.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The pieces are no material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// There are castling rights with rooks that do not stand in corners.
    #[error("the FEN has castling rights of Chess960: expected - or letters of KQkq")]
    Chess960,
    /// There are too many pieces.
    #[error("the position has {0} pieces: expected at most {MOST}")]
    Count(usize),
    /// The position is not legal.
    #[error("the position is not legal: {0}")]
    Illegal(IllegalReason),
    /// A letter on the board is unknown.
    #[error("the board has a {0:?}: expected K, Q, R, B, N, or the letter of a short-range piece")]
    Letter(char),
    /// A letter is given, and no piece on the board has it.
    #[error("there is no piece {0} on the board")]
    Unused(char),
    /// The short-range pieces have no table.
    #[error(transparent)]
    Endgame(#[from] EndgameError),
    /// There are short-range pieces, and rights that their tables don't know.
    #[error("the FEN has castling or en-passant rights, which short-range tables don't know")]
    Rights,
}

impl IllegalReason {
    /// The reason why a position is not legal. It must not be legal.
    #[must_use]
    pub fn of(position: &Position) -> IllegalReason {
        let kings = (position.occupied()).filter(|man| man.0.kind == PieceType::King);
        let kings: Vec<Square> = kings.map(|man| man.1).collect();
        match kings[..] {
            [a, b] if Leaper::KING.attacks(a).contains(b) => IllegalReason::KingsTouch,
            _ => IllegalReason::Check,
        }
    }
}
