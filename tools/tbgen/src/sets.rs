//! Sets of positions: all of a table, and the few that are new.

use crate::kings::SLICES;
use crate::lanes::Row;
use crate::shape::Shape;

/// The positions that got their value in the last ply, with notes of where they are.
///
/// Only rows of slabs that are noted in `slabs` mean anything; the rest is left over from earlier
/// plies and is never read.
#[derive(Clone, Debug)]
pub(crate) struct Frontier {
    pub(crate) rows: Vec<Row>,
    /// Per slab the rows that are not empty.
    pub(crate) active: Vec<u8>,
    /// Per slice the slabs that are not empty.
    pub(crate) slabs: Vec<u64>,
    /// Whether `rows` takes only the memory of what was noted since [`Frontier::shrink`].
    lean: bool,
}

impl Frontier {
    pub(crate) fn new(shape: &Shape) -> Frontier {
        Frontier {
            rows: vec![Row::ZERO; SLICES * shape.rows()],
            active: vec![0; SLICES * shape.slabs()],
            slabs: vec![0; SLICES],
            lean: false,
        }
    }

    /// Empties it, and once gives back the memory that its rows took: from then on they take what is
    /// written to them. That is little when few positions are new in a ply, late in a half.
    pub(crate) fn shrink(&mut self) {
        self.clear();
        if !self.lean {
            let rows = self.rows.len();
            // First the old rows go and then the new ones come, or both would be there at once.
            self.rows = Vec::new();
            self.rows = vec![Row::ZERO; rows];
            self.lean = true;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slabs.iter().all(|&slabs| slabs == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.slabs.fill(0);
    }

    /// Expects many positions again, after [`Frontier::shrink`].
    pub(crate) fn grow(&mut self) {
        self.lean = false;
    }
}

/// A slice's share of a [`Frontier`].
pub(crate) struct FrontierSlice<'a> {
    pub(crate) rows: &'a mut [Row],
    pub(crate) active: &'a mut [u8],
    pub(crate) slabs: &'a mut u64,
}

/// The values of a slice in bit planes: bit b of a position's code is in plane b.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes(pub(crate) Vec<Vec<Row>>);

/// Room for the positions that a slice's pieces reach.
pub(crate) struct Scratch {
    pub(crate) rows: Vec<Row>,
    /// Per slab the rows that may not be empty; the others are.
    pub(crate) dirty: [u8; 64],
    /// A second slice, for what is captured.
    pub(crate) other: Vec<Row>,
}

impl Scratch {
    pub(crate) fn new(shape: &Shape) -> Scratch {
        Scratch {
            rows: vec![Row::ZERO; shape.rows()],
            dirty: [0; 64],
            other: vec![Row::ZERO; shape.rows()],
        }
    }

    /// Empties the room after use that left notes in it.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(Row::ZERO);
        self.dirty.fill(0);
    }
}
