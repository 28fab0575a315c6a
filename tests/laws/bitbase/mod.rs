//! What must hold for sets of positions, for tests and fuzz targets.
//!
//! The other opinion is that of [`board`]: plain loops over squares, steps and symmetries. It shares no table, no
//! trick and no code with the library, but for the names of pieces, the list of a domain's king pairs, and where
//! a slot's bit stands.

mod board;
mod bytes;
mod captures;
mod convert;
mod indices;
mod slice;
mod slots;
mod squares;

pub(crate) use crate::support::random::Random;
pub use board::{Members, Pieces, Placement, is_apart};
pub use bytes::laws_of_bytes;
pub use captures::laws_of_captures;
pub use convert::laws_of_conversion;
pub use indices::laws_of_indices;
pub use slice::{Extent, laws_of_slice};
pub use slots::{
    counts_are_those_of_the_board, laws_of_slots, representatives_are_one_of_each_class,
};
pub use squares::{laws_of_others_fixed, laws_of_squares};

use tbindex::bitbase::{Bitbase, Row};

/// The bit of a slot in the rows of its slice.
pub(crate) fn bit(rows: &[Row], offset: u64) -> bool {
    let word = (offset / 64) as usize;
    rows[word / 8].0[word % 8] >> (offset % 64) & 1 == 1
}

/// Sets the bit of a slot in the rows of its slice.
pub(crate) fn set_bit(rows: &mut [Row], offset: u64) {
    let word = (offset / 64) as usize;
    rows[word / 8].0[word % 8] |= 1 << (offset % 64);
}

/// All offsets whose bits are set in the rows of a slice.
pub(crate) fn offsets(rows: &[Row]) -> Vec<u64> {
    let mut all = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for (lane, &word) in row.0.iter().enumerate() {
            // Most are empty.
            if word != 0 {
                let first = (at * 8 + lane) as u64 * 64;
                all.extend(
                    (0..64)
                        .filter(|bit| word >> bit & 1 == 1)
                        .map(|bit| first + bit),
                );
            }
        }
    }
    all
}

/// The rows of a slice, to write to.
pub(crate) fn slice_mut(set: &mut Bitbase, number: usize) -> &mut [Row] {
    let rows = set.domain().rows();
    &mut set.rows_mut()[number * rows..(number + 1) * rows]
}
