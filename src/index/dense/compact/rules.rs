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

/// The positions that a [`Compact`](super::Compact) numbering has slots for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The least distance of the kings.
    pub kings: KingDistance,
    /// Whether pieces other than the kings may share squares.
    pub shared: bool,
    /// The treatment of the diagonal.
    pub diagonal: Diagonal,
}

impl Rules {
    /// Any squares, shared or not; pawns on ranks 2 to 7. Exact.
    pub const ALL: Rules = Rules::exact(KingDistance::Any, true);

    /// No two pieces on one square. Exact.
    pub const DISTINCT: Rules = Rules::exact(KingDistance::Distinct, false);

    /// No two pieces on one square, kings not on neighbouring squares. Exact.
    pub const KINGS_APART: Rules = Rules::exact(KingDistance::Apart, false);

    /// Kings not on neighbouring squares, the other pieces anywhere, on shared squares, too. Exact.
    pub const KINGS_APART_SHARED: Rules = Rules::exact(KingDistance::Apart, true);

    const fn exact(kings: KingDistance, shared: bool) -> Rules {
        Rules {
            kings,
            shared,
            diagonal: Diagonal::Exact,
        }
    }
}
