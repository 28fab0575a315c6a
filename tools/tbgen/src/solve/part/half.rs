//! One half of the solution of a part, and the slices that it goes through.

use tbindex::Color;

use crate::solve::schedule::Walk;
use crate::storage::checkpoint::{Found, Ply};

/// One half of the solution: the wins of one side.
pub(super) struct Half {
    pub(super) winner: Color,
    pub(super) loser: Color,
    pub(super) walk: Walk,
    /// The last ply that a checkpoint has, if the half was begun before.
    pub(super) reached: Option<u16>,
}

impl Half {
    pub(super) fn won(&self, plies: u16) -> Ply {
        Ply {
            winner: self.winner,
            found: Found::Won,
            plies,
        }
    }

    pub(super) fn lost(&self, plies: u16) -> Ply {
        Ply {
            winner: self.winner,
            found: Found::Lost,
            plies,
        }
    }
}

/// What a sweep found.
pub(super) struct Swept {
    /// Whether any position is lost.
    pub(super) lost: bool,
    /// The number of positions, if there is a checkpoint.
    pub(super) positions: u64,
}
