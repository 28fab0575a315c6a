//! Which placements of a slice are legal, and which are checks.

use super::lanes::{HasLanes, Lanes};
use super::row::Row;
use super::slice::Slice;
use crate::batch::Backend;
use crate::board::Color;
use crate::dispatch;

impl Slice<'_> {
    /// Writes the illegal placements of the slice with `side` to move: two pieces share a square, or the king
    /// of the other side is in check. In a domain of less than two men, the words that no slot is in are
    /// full, too.
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    pub fn illegal_into(&self, side: Color, out: &mut [Row], backend: Backend) {
        assert_eq!(out.len(), self.slabs * 8, "the rows of a slice");
        dispatch!(backend, token => illegal_into(token, self, side, out));
    }

    /// Writes the placements of the slice in which the king of `side` is in check. If two pieces share a
    /// square, the placement may be written or not.
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    pub fn checks_into(&self, side: Color, out: &mut [Row], backend: Backend) {
        assert_eq!(out.len(), self.slabs * 8, "the rows of a slice");
        dispatch!(backend, token => checks_into(token, self, side, out));
    }
}

#[inline(always)]
fn illegal_into<T: HasLanes>(_: T, slice: &Slice<'_>, side: Color, out: &mut [Row]) {
    for slab in 0..slice.slabs {
        let illegal: [T::Lanes; 8] = slice.illegal_slab(slab, side);
        for r in 0..8 {
            illegal[r].store(&mut out[slab * 8 + r]);
        }
    }
}

#[inline(always)]
fn checks_into<T: HasLanes>(_: T, slice: &Slice<'_>, side: Color, out: &mut [Row]) {
    for slab in 0..slice.slabs {
        let mut checks = [T::Lanes::zero(); 8];
        slice.add_checks(slab, !side, &mut checks);
        for r in 0..8 {
            checks[r].store(&mut out[slab * 8 + r]);
        }
    }
}
