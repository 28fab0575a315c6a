//! From indices to the keys that are sorted, and back.
//!
//! A canonical index has its leading piece in one quarter of the board (in one half, with pawns). In
//! either numbering that is two bits (one bit) of the index that are always zero. The key is the
//! canonical index without them: in the same order, and in a quarter of the space.

use super::super::checks::are_in_range;
use crate::batch::{Backend, BatchWord};
use crate::board::Group;
use crate::index::{Equivalence, Numbering};

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

    /// Writes the keys of the canonical forms of indices. It is fastest on as many as the nearest cache holds.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub(super) fn of_indices_into(&self, indices: &[W], keys: &mut [W]) {
        self.backend.canonical_into(&self.same, indices, keys);
        W::close_gap(self.backend, keys, self.low, self.shift);
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
