//! The findings of a query in a table, and in a slice of it.

use serde::{Deserialize, Serialize};

use crate::table::shape::Shape;

/// The positions of a table that a query has, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mined {
    /// The positions with white to move, and with black to move.
    pub sides: [MinedSide; 2],
    /// The placements that the query has with either side to move or with both, up to symmetry and the exchange of like
    /// pieces.
    pub placements: u64,
}

/// The positions with one side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinedSide {
    /// Up to symmetry and the exchange of like pieces.
    pub positions: u64,
    /// Up to symmetry, with like pieces told apart.
    pub ordered: u64,
    /// The positions by outcome, the best first.
    pub outcomes: [u64; 5],
}

impl Mined {
    /// All counts, each with whether like pieces are told apart.
    pub(super) fn counts(&mut self) -> impl Iterator<Item = (&mut u64, bool)> {
        let sides = self.sides.iter_mut().flat_map(|side| {
            let outcomes = side.outcomes.iter_mut().map(|count| (count, false));
            let all = [(&mut side.positions, false), (&mut side.ordered, true)];
            all.into_iter().chain(outcomes)
        });
        sides.chain([(&mut self.placements, false)])
    }

    /// The counts of a part, by how many positions stand for each slot.
    pub(super) fn weighed(mut self, shape: &Shape, part: usize) -> Mined {
        for (count, apart) in self.counts() {
            let (times, twice) = shape.pawn_weight(part, apart);
            *count = *count * times / twice;
        }
        self
    }

    /// Adds the counts of another table or part.
    pub fn add(&mut self, more: &Mined) {
        let mut more = *more;
        for ((mine, _), (more, _)) in self.counts().zip(more.counts()) {
            *mine += *more;
        }
    }
}

/// The words of a set that are not empty, each with its number.
pub(crate) type Words = Vec<(u64, u64)>;

/// The findings in a slice. Counts are not yet weighed by the pawns.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct SliceHits {
    pub(crate) counts: Mined,
    /// With each side to move the positions that stand for a class, if they are to be listed.
    pub(crate) hits: [Words; 2],
    /// The stalemates that moves into the part may ask for.
    pub(crate) stalemates: [Words; 2],
}
