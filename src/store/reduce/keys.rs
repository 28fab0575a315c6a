//! From indices to the keys that are sorted, and back.
//!
//! A canonical index has its leading piece in one quarter of the board (in one half, with pawns). In
//! either numbering that is two bits (one bit) of the index that are always zero. The key is the
//! canonical index without them: in the same order, and in a quarter of the space.

use std::path::Path;

use super::super::checks::out_of_range;
use super::super::error::StoreError;
use super::super::header::Header;
use crate::batch::{Backend, BatchWord};
use crate::board::Group;
use crate::index::{Equivalence, Numbering};

/// The number of indices that are brought into canonical form at once, in the nearest cache.
pub(super) const BATCH: usize = 2048;

/// Indices that come in.
#[derive(Clone, Copy)]
pub(super) struct Incoming<'a, W> {
    pub(super) indices: &'a [W],
    pub(super) numbering: Numbering,
    /// The number of indices that came before these.
    pub(super) before: u64,
    /// Whether all were found to be in range.
    pub(super) in_range: bool,
}

impl<'a, W> Incoming<'a, W> {
    /// The indices of a block, which are checked, of a file before which so many others came.
    pub(super) fn of_block(header: &Header, before: u64, number: u64, indices: &'a [W]) -> Self {
        Incoming {
            indices,
            numbering: header.contents.numbering,
            before: before + header.items_before(number),
            in_range: true,
        }
    }

    /// The first indices, as many as there are up to this number, and the others.
    pub(super) fn split_at(self, count: usize) -> (Self, Self) {
        let (first, others) = self.indices.split_at(count.min(self.indices.len()));
        let before = self.before + first.len() as u64;
        let first = Incoming {
            indices: first,
            ..self
        };
        (
            first,
            Incoming {
                indices: others,
                before,
                ..self
            },
        )
    }
}

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
        let leads_alone = !same.leads_twins();
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

    /// Checks that no index has bits above its digits, unless that was done, so that all have keys.
    pub(super) fn check(&self, incoming: Incoming<'_, W>) -> Result<(), StoreError> {
        let (layout, indices) = (self.same.layout(), incoming.indices);
        if incoming.in_range || layout.is_valid(W::any_bits(self.backend, indices)) {
            return Ok(());
        }
        let path = Path::new("the indices");
        Err(out_of_range(path, layout, incoming.before, indices))
    }

    /// Brings indices of a numbering to that of the keys.
    pub(super) fn convert(&self, from: Numbering, indices: &mut [W]) {
        let layout = self.same.layout();
        if from != layout.numbering() {
            let from = layout.with_numbering(from);
            self.backend
                .convert_in_place(&from, layout.numbering(), indices);
        }
    }

    /// Hands over the keys of the canonical forms of indices, of as many at once as `batch` has room for, each time with the
    /// indices that come next.
    ///
    /// # Errors
    /// If an index is out of range. Keys of indices before it have been handed over.
    pub(super) fn of_batches(
        &self,
        incoming: Incoming<'_, W>,
        batch: &mut [W],
        mut take: impl FnMut(&mut [W], &[W]),
    ) -> Result<(), StoreError> {
        let mut rest = incoming;
        while !rest.indices.is_empty() {
            let (some, others) = rest.split_at(batch.len());
            let (next, _) = others.split_at(batch.len());
            self.check(some)?;
            let keys = &mut batch[..some.indices.len()];
            if some.numbering == self.same.layout().numbering() {
                self.backend.canonical_into(&self.same, some.indices, keys);
            } else {
                keys.copy_from_slice(some.indices);
                self.convert(some.numbering, keys);
                self.backend.canonical_in_place(&self.same, keys);
            }
            W::close_gap(self.backend, keys, self.low, self.shift);
            take(keys, next.indices);
            rest = others;
        }
        Ok(())
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
