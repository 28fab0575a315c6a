//! The positions that a compact numbering has slots for.

use crate::index::dense::KingDistance;

/// The treatment of positions with all leading pieces on the diagonal, so that they don't tell a position
/// from its mirror image along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diagonal {
    /// Both have a slot and are [twins](crate::Dense::twin). The arithmetic is simpler, and there are a few
    /// slots too many.
    Both,
    /// They share one: every class has exactly one slot.
    Exact,
}

/// The placements that a [`Compact`](super::Compact) numbering has slots for. Pawns stand on the ranks 2 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Any squares, shared or not.
    All,
    /// No two pieces on one square.
    Distinct,
    /// No two pieces on one square, kings not on neighbouring squares.
    KingsApart,
    /// Kings not on neighbouring squares, the other pieces anywhere, on shared squares, too.
    KingsApartShared,
}

impl Rules {
    /// The least distance of the kings.
    pub(super) const fn kings(self) -> KingDistance {
        match self {
            Rules::All => KingDistance::Any,
            Rules::Distinct => KingDistance::Distinct,
            Rules::KingsApart | Rules::KingsApartShared => KingDistance::Apart,
        }
    }

    /// Whether pieces other than the kings may share squares.
    pub(crate) const fn shares(self) -> bool {
        matches!(self, Rules::All | Rules::KingsApartShared)
    }
}
