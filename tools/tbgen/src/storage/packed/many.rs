//! Looks up many positions in a packed file, and decodes each block once.

use rayon::prelude::*;
use syzygy_tables::MOST_PIECES;
use syzygy_tables::numbering::{Numbering, leading_file};

use super::reader::{PackedFile, Place};
use crate::storage::table_file::FileError;
use crate::storage::{ROW_BITS, row_of};
use crate::table::value::Value;

/// The places that a thread looks up at a time.
const PART: usize = 1 << 13;

/// The bits of a place in a sub-table; above them is the number of the sub-table.
const PLACE_BITS: u32 = 40;

/// Finds the places of rows of squares in the order of the material's name.
#[derive(Debug)]
pub(crate) struct RowPlaces<'f> {
    file: &'f PackedFile,
    /// For each piece of each sub-table its place in a row.
    slots: Vec<[u8; MOST_PIECES]>,
    /// How many pawns lead.
    leading: usize,
}

impl RowPlaces<'_> {
    /// The place of a position with the file's side to move, with the number of its sub-table.
    pub(crate) fn place(&self, squares: [u8; 8]) -> u64 {
        let leading: [u8; MOST_PIECES] = self.slots[0].map(|slot| squares[usize::from(slot)]);
        let number = match self.file.sub_tables.len() {
            1 => 0,
            _ => usize::from(leading_file(&leading[..self.leading])),
        };
        let numbering = &self.file.sub_tables[number].numbering;
        let squares = self.slots[number].map(|slot| squares[usize::from(slot)]);
        let place = numbering.index(&squares[..numbering.pieces().len()]);
        (number as u64) << PLACE_BITS | place
    }
}

const fn place_of(wanted: u64) -> Place {
    let place = wanted >> ROW_BITS;
    ((place >> PLACE_BITS) as u8, place & ((1 << PLACE_BITS) - 1))
}

impl PackedFile {
    /// Finds the places of rows.
    pub(crate) fn row_places(&self) -> RowPlaces<'_> {
        let numberings = self.sub_tables.iter().map(|own| &own.numbering);
        let mut pieces = self.sub_tables[0].numbering.pieces();
        let first = pieces.next();
        RowPlaces {
            file: self,
            slots: numberings.map(Numbering::slots).collect(),
            leading: 1 + pieces.take_while(|&piece| Some(piece) == first).count(),
        }
    }

    /// What the file has at many places, each of which is followed in `wanted` by the number of a row: these numbers with what
    /// there is, on the threads of the current rayon pool.
    pub(crate) fn stored_at<E: Copy + Send>(
        &self,
        wanted: &mut [u64],
        failed: impl Fn(FileError) -> E + Sync,
    ) -> Vec<(u32, Result<Value, E>)> {
        wanted.par_sort_unstable();
        let found = wanted.par_chunks(PART).flat_map_iter(|part| {
            let mut found = Vec::with_capacity(part.len());
            self.stored_in(part, &failed, &mut found);
            found
        });
        found.collect()
    }

    fn stored_in<E: Copy>(
        &self,
        wanted: &[u64],
        failed: &impl Fn(FileError) -> E,
        found: &mut Vec<(u32, Result<Value, E>)>,
    ) {
        let places: Vec<Place> = wanted.iter().map(|&wanted| place_of(wanted)).collect();
        match self.look_up(&places) {
            Ok(values) => {
                let rows = wanted.iter().map(|&wanted| row_of(wanted));
                found.extend(rows.zip(values.into_iter().map(Ok)));
            }
            Err(error) if wanted.len() == 1 => found.push((row_of(wanted[0]), Err(failed(error)))),
            // Those in other blocks are found.
            Err(_) => {
                let (some, others) = wanted.split_at(wanted.len() / 2);
                self.stored_in(some, failed, found);
                self.stored_in(others, failed, found);
            }
        }
    }
}
