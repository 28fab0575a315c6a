//! Laws of sets of positions, for tests and fuzz targets.
//!
//! The other opinion is that of [`board`]: loops over one position at a time. It shares with the library what a piece
//! attacks and where a symmetry takes a square, which the tests of `board` hold against another generator and the published
//! pictures, the list of a domain's king pairs, and where a slot's bit stands.

mod board;
mod bytes;
mod captures;
mod convert;
mod slice;
mod slots;
mod squares;

pub(crate) use crate::support::random::Random;
pub use board::{Members, Pieces, Placement, is_apart};
pub use bytes::laws_of_bytes;
pub use captures::laws_of_captures;
pub use convert::{laws_of_conversion, turned};
pub use slice::laws_of_slice;
pub use slots::{
    counts_are_those_of_the_board, laws_of_slots, representatives_are_one_of_each_class,
};
pub use squares::{laws_of_others_fixed, laws_of_squares};

use tbindex::Bitboard;
use tbindex::bitbase::{Domain, Row};

/// The bit of a slot in the rows of its slice.
pub(crate) fn bit(rows: &[Row], offset: u64) -> bool {
    let words: &[u64] = bytemuck::cast_slice(rows);
    words[(offset / 64) as usize] >> (offset % 64) & 1 == 1
}

/// All offsets whose bits are set in the rows of a slice.
pub(crate) fn offsets(rows: &[Row]) -> impl Iterator<Item = u64> {
    let words = bytemuck::cast_slice(rows).iter().enumerate();
    words.flat_map(|(at, &word)| {
        let bits = Bitboard(word).into_iter();
        bits.map(move |bit| 64 * at as u64 + u64::from(bit.number()))
    })
}

/// The rows of a slice with all its slots.
pub(crate) fn all_slots(domain: &Domain) -> Vec<Row> {
    let first = match domain.slice_slots() {
        1 => 1,
        64 => !0,
        _ => return vec![!Row::EMPTY; domain.rows()],
    };
    let mut rows = vec![Row::EMPTY; domain.rows()];
    rows[0].0[0] = first;
    rows
}

/// Rows of a slice, of each bit one in four, that have nothing to do with anything.
pub(crate) fn noise(domain: &Domain, random: &mut Random) -> Vec<Row> {
    let row = |_| Row(std::array::from_fn(|_| random.bits(64) & random.bits(64)));
    (0..domain.rows()).map(row).collect()
}
