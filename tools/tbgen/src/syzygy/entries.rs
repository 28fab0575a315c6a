//! From bit planes to an entry for each slot.

use rayon::prelude::*;
use syzygy_tables::Material;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Row, Slice};

use crate::subtables::cache::{CacheSize, Recent};
use crate::subtables::library::{Library, SolveError};
use crate::subtables::seeds::Exits;
use crate::subtables::solved::Solved;
use crate::syzygy::places::Places;
use crate::table::solved::{Part, Table};
use crate::table::transpose::{bytes_of, codes_of};

/// A table that files of another kind are made of.
pub(crate) struct Exported<'a> {
    pub(crate) table: &'a Table,
    /// The tables that captures and promotions lead to.
    pub(crate) library: &'a Library,
    pub(crate) material: Material,
    pub(crate) places: Places,
    pub(crate) backend: Backend,
}

impl<'a> Exported<'a> {
    /// A table of this material.
    pub(crate) fn new(
        table: &'a Table,
        library: &'a Library,
        material: Material,
        backend: Backend,
    ) -> Exported<'a> {
        Exported {
            table,
            library,
            material,
            places: Places::new(&table.shape, material, backend),
            backend,
        }
    }

    /// The entries of all slots, part after part, that begin like this and that a function writes for each part. It gets what
    /// leaves the table: no two steps of pawns.
    pub(crate) fn entries<T: Clone + Send>(
        &self,
        begin: T,
        write: impl Fn(&Solved<'_>, usize, &mut [T]) -> Result<(), SolveError> + Sync,
    ) -> Result<Vec<T>, SolveError> {
        let solved = Solved {
            shape: &self.table.shape,
            metric: self.table.metric,
            library: self.library,
            parts: &self.table.parts,
            stalemates: &[],
            recent: &Recent::new(CacheSize::ENTRIES),
            backend: self.backend,
        };
        let mut all = vec![begin; self.table.shape.slots() as usize];
        let part_slots = all.len() / self.table.parts.len();
        let parts = all.par_chunks_mut(part_slots).enumerate();
        parts.try_for_each(|(part, out)| write(&solved, part, out))?;
        Ok(all)
    }
}

/// Writes an entry for each slot of a part with a side to move. The function makes it of a code and of a byte, in which
/// bit k is set if the position has a move through the k-th of these exits, and the bit after these if it is illegal.
pub(crate) fn entries_of<T: Send>(
    part: &Part,
    side: Color,
    exits: &[&Exits],
    backend: Backend,
    out: &mut [T],
    entry: impl Fn(u16, u8) -> T + Sync,
) -> Result<(), SolveError> {
    let domain = &part.domain;
    let slots = domain.slice_slots() as usize;
    let rows = domain.rows();
    let room = || {
        let sets = vec![vec![Row::EMPTY; rows]; exits.len() + 1];
        (Accumulator::new(domain, backend), sets)
    };
    let write = |(gathered, sets): &mut (Accumulator, Vec<Vec<Row>>), number, out: &mut [T]| {
        let slice = Slice::new(domain, number);
        for (set, exits) in sets.iter_mut().zip(exits) {
            if !exits.is_empty() {
                exits.gather(&slice, gathered)?;
                set.copy_from_slice(gathered.rows());
                gathered.clear();
            }
        }
        slice.illegal_into(side, &mut sets[exits.len()], backend);
        let planes = part.sides[side as usize].slices[number].open()?;
        let mut moves = [0; 8];
        for (word, out) in out.chunks_exact_mut(64).enumerate() {
            let (row, lane) = (word / 8, word % 8);
            for (moves, set) in moves.iter_mut().zip(&*sets) {
                *moves = set[row].0[lane];
            }
            let codes = codes_of(&planes.words(word));
            let moves = bytes_of(&moves);
            for ((out, code), moves) in out.iter_mut().zip(codes).zip(moves) {
                *out = entry(code, moves);
            }
        }
        Ok(())
    };
    if domain.slices() == 1 {
        return write(&mut room(), 0, out);
    }
    out.par_chunks_mut(slots)
        .enumerate()
        .map_init(room, |room, (number, out)| write(room, number, out))
        .collect()
}
