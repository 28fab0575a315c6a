//! The operations on slices, shared among the threads of the current `rayon` pool.
//!
//! Slices are cut where a cache line of the destination begins, so that no two threads ever write
//! to the same line. Whether this pays depends on the slice: within the nearest caches it does not.

use std::sync::Mutex;

use rayon::prelude::*;

use super::backend::Backend;
use super::choose::exceeds_caches;
use super::lanes::LINE_BYTES;
use super::operations::same_length;
use super::squares::SquareOutOfRange;
use super::words::BatchWord;
use crate::board::Symmetry;
use crate::index::{Equivalence, Layout, Numbering};

/// The bytes of a task: enough that handing it over costs nothing, few enough for many tasks.
const TASK_BYTES: usize = 1 << 20;

/// Cuts a slice where cache lines begin, into parts of `TASK_BYTES` but for the first and the last;
/// each with where it begins.
fn cut<W: Send>(slice: &mut [W]) -> impl ParallelIterator<Item = (usize, &mut [W])> {
    let first = slice.as_ptr().align_offset(LINE_BYTES).min(slice.len());
    let (head, rest) = slice.split_at_mut(first);
    let task = TASK_BYTES / size_of::<W>();
    let parts = rest.par_chunks_mut(task).enumerate();
    rayon::iter::once((0, head)).chain(parts.map(move |(k, part)| (first + k * task, part)))
}

/// Does [`Backend::flip_in_place`] in parallel.
pub fn flip_in_place<W: BatchWord>(layout: &Layout<W>, symmetry: Symmetry, indices: &mut [W]) {
    let backend = Backend::detect();
    cut(indices).for_each(|(_, part)| backend.flip_in_place(layout, symmetry, part));
}

/// Does [`Backend::flip_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn flip_into<W: BatchWord>(layout: &Layout<W>, symmetry: Symmetry, from: &[W], to: &mut [W]) {
    same_length(from.len(), to.len());
    let (backend, past_caches) = (Backend::detect(), exceeds_caches(to));
    cut(to).for_each(|(at, to)| {
        let from = &from[at..][..to.len()];
        backend.flip_into_as(layout, symmetry, from, to, past_caches);
    });
}

/// Does [`Backend::convert_in_place`] in parallel.
pub fn convert_in_place<W: BatchWord>(layout: &Layout<W>, numbering: Numbering, indices: &mut [W]) {
    let backend = Backend::detect();
    cut(indices).for_each(|(_, part)| backend.convert_in_place(layout, numbering, part));
}

/// Does [`Backend::convert_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn convert_into<W: BatchWord>(
    layout: &Layout<W>,
    numbering: Numbering,
    from: &[W],
    to: &mut [W],
) {
    same_length(from.len(), to.len());
    let (backend, past_caches) = (Backend::detect(), exceeds_caches(to));
    cut(to).for_each(|(at, to)| {
        let from = &from[at..][..to.len()];
        backend.convert_into_as(layout, numbering, from, to, past_caches);
    });
}

/// Does [`Backend::canonical_in_place`] in parallel.
pub fn canonical_in_place<W: BatchWord>(same: &Equivalence<W>, indices: &mut [W]) {
    let backend = Backend::detect();
    cut(indices).for_each(|(_, part)| backend.canonical_in_place(same, part));
}

/// Does [`Backend::canonical_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], to: &mut [W]) {
    same_length(from.len(), to.len());
    let (backend, past_caches) = (Backend::detect(), exceeds_caches(to));
    cut(to).for_each(|(at, to)| {
        let from = &from[at..][..to.len()];
        backend.canonical_into_as(same, from, to, past_caches);
    });
}

/// Does [`Backend::canonical_with_symmetry_in_place`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_with_symmetry_in_place<W: BatchWord>(
    same: &Equivalence<W>,
    indices: &mut [W],
    symmetries: &mut [u8],
) {
    same_length(indices.len(), symmetries.len());
    let backend = Backend::detect();
    let task = TASK_BYTES / size_of::<W>();
    let parts = indices.par_chunks_mut(task);
    parts
        .zip(symmetries.par_chunks_mut(task))
        .for_each(|(indices, symmetries)| {
            backend.canonical_with_symmetry_in_place(same, indices, symmetries);
        });
}

/// Does [`Backend::canonical_with_symmetry_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn canonical_with_symmetry_into<W: BatchWord>(
    same: &Equivalence<W>,
    from: &[W],
    to: &mut [W],
    symmetries: &mut [u8],
) {
    to.copy_from_slice(from);
    canonical_with_symmetry_in_place(same, to, symmetries);
}

/// Does [`Backend::orbit_size_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn orbit_size_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], sizes: &mut [u8]) {
    same_length(from.len(), sizes.len());
    let backend = Backend::detect();
    cut(sizes).for_each(|(at, sizes)| {
        backend.orbit_size_into(same, &from[at..][..sizes.len()], sizes);
    });
}

/// Does [`Backend::is_canonical_into`] in parallel.
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_canonical_into<W: BatchWord>(same: &Equivalence<W>, from: &[W], bitmap: &mut [u64]) {
    same_length(from.len().div_ceil(64), bitmap.len());
    let backend = Backend::detect();
    let task = TASK_BYTES / size_of::<W>();
    let parts = bitmap.par_chunks_mut(task / 64);
    parts.zip(from.par_chunks(task)).for_each(|(bitmap, from)| {
        backend.is_canonical_into(same, from, bitmap);
    });
}

/// Does [`Backend::encode_rows`] in parallel.
///
/// # Errors
/// If a byte is above 63: the first such is reported.
///
/// # Panics
/// If there are not exactly as many bytes as all the positions have pieces.
pub fn encode_rows<W: BatchWord>(
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
) -> Result<(), SquareOutOfRange> {
    let pieces = layout.pieces();
    assert_eq!(rows.len(), pieces * to.len(), "a byte for each piece");
    let backend = Backend::detect();
    // The parts end in any order, and the report is to be that of the first position.
    let first = Mutex::new(None::<SquareOutOfRange>);
    cut(to).for_each(|(at, to)| {
        let rows = &rows[at * pieces..][..to.len() * pieces];
        if let Err(mut found) = backend.encode_rows(layout, rows, to) {
            found.position += at;
            let mut first = first.lock().expect("no holder of the lock panics");
            if first.is_none_or(|other| found.position < other.position) {
                *first = Some(found);
            }
        }
    });
    first
        .into_inner()
        .expect("no holder of the lock panics")
        .map_or(Ok(()), Err)
}

/// Does [`Backend::decode_rows`] in parallel.
///
/// # Panics
/// If there are not exactly as many bytes as all the positions have pieces.
pub fn decode_rows<W: BatchWord>(layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    let pieces = layout.pieces();
    assert_eq!(rows.len(), pieces * from.len(), "a byte for each piece");
    let backend = Backend::detect();
    let task = TASK_BYTES / size_of::<W>();
    let parts = rows.par_chunks_mut(task * pieces);
    parts.zip(from.par_chunks(task)).for_each(|(rows, from)| {
        backend.decode_rows(layout, from, rows);
    });
}
