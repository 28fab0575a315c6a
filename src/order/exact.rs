//! Orders in which a position and its mirror image along the diagonal share a slot.

use super::squares::MOST_PIECES;
use crate::index::{Compact, Dense, Layout, Orbit, Sliced};

/// The scheme of an order that has one slot for each class.
#[derive(Clone)]
pub(super) enum ExactScheme {
    Compact(Box<Compact<u64>>),
    Orbit(Orbit<u64>),
}

/// Says which placements of the leading men leave the mirror along the diagonal, and numbers the positions there.
///
/// Of a position and its mirror image, the first digit that is not its own mirror image chooses one. The digits after it
/// count as they do elsewhere.
#[derive(Clone)]
pub(super) struct Exact {
    pub(super) scheme: ExactScheme,
    /// The first placement that leaves the mirror.
    pub(super) tied_from: usize,
    pub(super) layout: Layout<u64>,
    /// The number in an index of each piece of the order.
    pub(super) numbers: [usize; MOST_PIECES],
}

impl Exact {
    /// Whether a placement of the leading men leaves the mirror.
    #[inline(always)]
    pub(super) fn ties(&self, placement: usize) -> bool {
        placement >= self.tied_from
    }

    pub(super) fn dense(&self) -> &dyn Dense<u64> {
        match &self.scheme {
            ExactScheme::Compact(scheme) => &**scheme,
            ExactScheme::Orbit(scheme) => scheme,
        }
    }

    /// The slots of a placement, or of all.
    pub(super) fn span(&self, placement: usize) -> std::ops::Range<i64> {
        match &self.scheme {
            ExactScheme::Compact(scheme) => {
                let slots = scheme.slice(placement);
                slots.start as i64..slots.end as i64
            }
            ExactScheme::Orbit(scheme) => 0..scheme.size() as i64,
        }
    }
}
