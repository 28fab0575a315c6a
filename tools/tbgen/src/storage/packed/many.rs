//! Looks up many positions in a packed file, and decodes each block once.

use rayon::prelude::*;

use super::reader::{PackedFile, Place};
use crate::storage::table_file::FileError;
use crate::storage::{ROW_BITS, row_of};
use crate::table::value::Value;

/// The places that a thread looks up at a time.
const PART: usize = 1 << 13;

/// The bits of a place in a sub-table; above them is the number of the sub-table.
const PLACE_BITS: u32 = 40;

const fn place_of(wanted: u64) -> Place {
    let place = wanted >> ROW_BITS;
    ((place >> PLACE_BITS) as u8, place & ((1 << PLACE_BITS) - 1))
}

impl PackedFile {
    /// The place that a row wants, whose squares are in the order of the material's name, with the row's number behind it.
    pub(crate) fn wanted_by(&self, squares: &[u8], row: usize) -> u64 {
        let (number, place) = self.place_of_squares(squares);
        (u64::from(number) << PLACE_BITS | place) << ROW_BITS | row as u64
    }

    /// The file's values at the places that many rows [want](PackedFile::wanted_by): their numbers with what there is, on the
    /// threads of the current rayon pool.
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
            // Places in other blocks are found.
            Err(_) => {
                let (some, others) = wanted.split_at(wanted.len() / 2);
                self.stored_in(some, failed, found);
                self.stored_in(others, failed, found);
            }
        }
    }
}
