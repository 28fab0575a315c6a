//! From indices to the keys that are sorted, and back.
//!
//! A canonical index has its leading piece in one quarter of the board (in one half, with pawns). In
//! either numbering that is two bits (one bit) of the index that are always zero. The key is the
//! canonical index without them: in the same order, and in a quarter of the space.

use super::super::checks::are_in_range;
use crate::batch::{Backend, BatchWord};
use crate::board::Group;
use crate::index::{Equivalence, Numbering};

/// The number of indices that are brought into canonical form at once, in the nearest cache.
pub(super) const BATCH: usize = 2048;

/// Canonical indices as keys without holes.
#[derive(Clone, Debug)]
pub(super) struct Keys<W> {
    /// The equivalence of positions.
    pub(super) same: Equivalence<W>,
    /// The instructions by which keys are made and sorted.
    pub(super) backend: Backend,
    /// The bits below the bits that are always zero.
    low: W,
    /// The number of bits side by side that are always zero.
    shift: u32,
    /// All keys are below 2 to the power of this.
    pub(super) bits: u32,
}

impl<W: BatchWord> Keys<W> {
    pub(super) fn new(same: Equivalence<W>, backend: Backend) -> Keys<W> {
        let layout = same.layout();
        let half = layout.half();
        let leads_alone = !same.like().has_twin(layout.pieces() - 1);
        // The lowest bit that is always zero, how many lie there side by side, and how many there are in all.
        let (lowest, shift, zeros) = match (same.group(), layout.numbering()) {
            _ if !leads_alone => (2 * half, 0, 0),
            (Group::Trivial, _) => (2 * half, 0, 0),
            (Group::FileMirror, Numbering::Natural) => (half - 1, 1, 1),
            (Group::FileMirror, Numbering::Alternate) => (half - 2, 1, 1),
            // The other one is the highest bit of the index.
            (Group::D4, Numbering::Natural) => (half - 1, 1, 2),
            (Group::D4, Numbering::Alternate) => (half - 2, 2, 2),
        };
        Keys {
            low: W::truncate((1u128 << lowest) - 1),
            shift,
            bits: 2 * half - zeros,
            same,
            backend,
        }
    }

    /// Whether no index has bits above its digits, so that all have keys.
    pub(super) fn are_in_range(&self, indices: &[W]) -> bool {
        are_in_range(self.same.layout(), indices, self.backend)
    }

    /// Hands over the keys of the canonical forms of indices, of as many at once as `batch` has room for, each time with the
    /// indices that come next. Returns whether all are in range; the first that are not
    /// end the work.
    pub(super) fn of_batches(
        &self,
        indices: &[W],
        batch: &mut [W],
        mut take: impl FnMut(&mut [W], &[W]),
    ) -> bool {
        let mut batches = indices.chunks(batch.len()).peekable();
        while let Some(some) = batches.next() {
            if !self.are_in_range(some) {
                return false;
            }
            let keys = &mut batch[..some.len()];
            self.backend.canonical_into(&self.same, some, keys);
            W::close_gap(self.backend, keys, self.low, self.shift);
            take(keys, batches.peek().copied().unwrap_or_default());
        }
        true
    }

    /// The canonical index of a key.
    #[inline(always)]
    pub(super) fn index(&self, key: W) -> W {
        (key & self.low) | (key & !self.low) << self.shift
    }

    /// Replaces keys by their canonical indices.
    pub(super) fn to_indices_in_place(&self, keys: &mut [W]) {
        W::open_gap(self.backend, keys, self.low, self.shift);
    }
}
