//! The slices of a table: one for each of the 462 pairs of kings up to symmetry.
//!
//! The pairs, their order and the moves between them are those of the library. All code here shares this
//! one instance of them.

use std::sync::LazyLock;

use tbindex::{Color, Group, KingDistance, KingMove, KingMoves, KingPairs, Square, Symmetry};

/// The number of slices in a table.
pub const SLICES: usize = 462;

/// The slices and the king moves between them.
#[derive(Debug)]
pub struct Kings {
    pairs: KingPairs,
    moves: KingMoves,
}

static KINGS: LazyLock<Kings> = LazyLock::new(|| {
    let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
    assert_eq!(pairs.len(), SLICES, "pairs of kings that don't touch");
    let moves = KingMoves::new(&pairs);
    Kings { pairs, moves }
});

impl Kings {
    /// The one instance.
    #[must_use]
    #[inline]
    pub fn get() -> &'static Kings {
        &KINGS
    }

    /// The squares of the white and the black king of a slice.
    #[must_use]
    pub fn squares(&self, slice: usize) -> [Square; 2] {
        self.pairs.squares(slice)
    }

    /// Whether both kings of a slice are on the long diagonal, so that the slice has both a position and
    /// its mirror image.
    #[must_use]
    pub fn is_mirrored(&self, slice: usize) -> bool {
        slice >= self.pairs.diagonal_from()
    }

    /// The slice of two kings anywhere on the board and the symmetry that leads to it, or `None` if they
    /// touch.
    #[must_use]
    #[inline]
    pub fn find(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        self.pairs.find(white, black)
    }

    /// The moves of one side's king in a slice.
    #[must_use]
    #[inline]
    pub fn moves(&self, slice: usize, side: Color) -> &[KingMove] {
        self.moves.of(slice, side)
    }
}
