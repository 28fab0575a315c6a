//! Sets of positions: those over a whole table, and those of the few positions that are new.

use std::io;
use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::kings::SLICES;
use crate::lanes::Row;
use crate::shape::Shape;

/// A set of positions of a whole table, slice after slice. It is empty at first.
///
/// It has its own pages, which take memory when they are first written to. All of this memory goes back to
/// the system when the set is dropped, which an allocator would not promise.
#[derive(Debug)]
pub(crate) struct Rows(MmapMut);

impl Rows {
    /// An empty set, on large pages if the system gives them. King moves lead to rows all over the set.
    /// With large pages the translations of their addresses stay cached, which saves a tenth of the time.
    pub(crate) fn new(shape: &Shape) -> io::Result<Rows> {
        let rows = Rows::sparse(shape)?;
        // The system may refuse; the result is the same, only slower.
        #[cfg(target_os = "linux")]
        let _ = rows.0.advise(memmap2::Advice::HugePage);
        Ok(rows)
    }

    /// An empty set on small pages, which takes little memory while it holds few positions.
    fn sparse(shape: &Shape) -> io::Result<Rows> {
        let bytes = SLICES * shape.rows() * size_of::<Row>();
        MmapMut::map_anon(bytes).map(Rows)
    }
}

impl Deref for Rows {
    type Target = [Row];

    #[inline]
    fn deref(&self) -> &[Row] {
        bytemuck::cast_slice(&self.0)
    }
}

impl DerefMut for Rows {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Row] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
}

/// The positions that got their value in the last ply, with notes of their places.
///
/// Only rows of slabs that are noted in `slabs` are valid. The others are left over from earlier plies and
/// are never read.
#[derive(Debug)]
pub(crate) struct Frontier {
    pub(crate) rows: Rows,
    /// For each slab the rows that are not empty.
    pub(crate) active: Vec<u8>,
    /// For each slice the slabs that are not empty.
    pub(crate) slabs: Vec<u64>,
    /// The greatest number of slabs that were not empty at the same time since `rows` was made.
    most: u32,
}

impl Frontier {
    pub(crate) fn new(shape: &Shape) -> io::Result<Frontier> {
        Ok(Frontier {
            rows: Rows::new(shape)?,
            active: vec![0; SLICES * shape.slabs()],
            slabs: vec![0; SLICES],
            most: 0,
        })
    }

    /// Empties the frontier. If its rows once took much more memory than they do now, gives that memory
    /// back.
    pub(crate) fn shrink(&mut self, shape: &Shape) -> io::Result<()> {
        let now: u32 = self.slabs.iter().map(|slabs| slabs.count_ones()).sum();
        self.most = self.most.max(now);
        if 2 * now < self.most {
            self.rows = Rows::sparse(shape)?;
            self.most = now;
        }
        self.clear();
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slabs.iter().all(|&slabs| slabs == 0)
    }

    pub(crate) fn clear(&mut self) {
        self.slabs.fill(0);
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

/// Memory for the positions that a slice's pieces reach.
pub(crate) struct Scratch {
    pub(crate) rows: Vec<Row>,
    /// For each slab the rows that may have positions. All others are empty.
    pub(crate) dirty: [u8; 64],
    /// A second slice, for captured pieces.
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

    /// Empties the rows that are noted as in use.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(Row::ZERO);
        self.dirty.fill(0);
    }
}
