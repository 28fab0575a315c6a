//! One half of the solution of a part, and the slices that it goes through.

use tbindex::Color;

use crate::solve::schedule::Walk;
use crate::storage::log::{Found, Ply};
use crate::subtables::conversions::Conversions;

/// The last ply in which a win is not cursed.
pub(super) const RULE: u16 = 100;

/// One half of the solution: the wins of one side.
pub(super) struct Half<'h> {
    pub(super) winner: Color,
    pub(super) loser: Color,
    /// The winner's moves out of the part and the loser's.
    pub(super) doors: [&'h Conversions; 2],
    /// Whether moves out of the part may win in one ply.
    pub(super) wins_in_one: bool,
    /// Whether the winner's moves may lead into blessed losses.
    pub(super) blessed: bool,
    /// Whether the rule may make a difference for what the loser's moves lead to.
    pub(super) cursed: bool,
    pub(super) walk: Walk,
    /// Whether the half is begun anew, and not gone on with.
    pub(super) begins: bool,
}

impl Half<'_> {
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
    /// The number of positions, if there is a log.
    pub(super) positions: u64,
}
