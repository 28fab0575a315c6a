//! The operations on slices, shared among the threads of the current `rayon` pool.
//!
//! Slices are cut where a cache line of the destination begins, so that no two threads ever write to the
//! same line. Threads do not pay for slices that fit the nearest caches.

use rayon::prelude::*;

use super::backend::Backend;
use super::choose::exceeds_caches;
use super::dense::{self, DenseBatch, SlotOutOfRange};
use super::lanes::LINE_BYTES;
use super::operations::same_length;
use super::squares::SquareOutOfRange;
use super::words::BatchWord;
use crate::board::{Color, Symmetry};
use crate::index::{Equivalence, Layout, Moves, Numbering, Word};

/// The bytes of a task. They are enough to make the cost of handing it over negligible, and few enough to
/// make many tasks.
const TASK_BYTES: usize = 1 << 20;

/// Cuts a slice where cache lines begin. Returns the parts, each with the place where it begins; all but
/// the first and the last have `TASK_BYTES`.
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
    same_length(from.len(), to.len());
    same_length(from.len(), symmetries.len());
    let backend = Backend::detect();
    let task = TASK_BYTES / size_of::<W>();
    let parts = to.par_chunks_mut(task).zip(from.par_chunks(task));
    parts
        .zip(symmetries.par_chunks_mut(task))
        .for_each(|((to, from), symmetries)| {
            backend.canonical_with_symmetry_into(same, from, to, symmetries);
        });
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
    let backend = Backend::detect();
    bitmap_parts(from, bitmap).for_each(|(from, bitmap)| {
        backend.is_canonical_into(same, from, bitmap);
    });
}

/// Does [`Backend::is_legal_into`] in parallel.
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_legal_into<W: BatchWord>(moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
    let backend = Backend::detect();
    bitmap_parts(from, bitmap).for_each(|(from, bitmap)| {
        backend.is_legal_into(moves, side, from, bitmap);
    });
}

/// Does [`Backend::is_check_into`] in parallel.
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
pub fn is_check_into<W: BatchWord>(moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
    let backend = Backend::detect();
    bitmap_parts(from, bitmap).for_each(|(from, bitmap)| {
        backend.is_check_into(moves, side, from, bitmap);
    });
}

/// Cuts a slice of indices and the bitmap that has a bit for each of them.
fn bitmap_parts<'a, W: BatchWord>(
    from: &'a [W],
    bitmap: &'a mut [u64],
) -> impl ParallelIterator<Item = (&'a [W], &'a mut [u64])> {
    same_length(from.len().div_ceil(64), bitmap.len());
    let task = TASK_BYTES / size_of::<W>();
    let parts = bitmap.par_chunks_mut(task / 64);
    from.par_chunks(task).zip(parts)
}

/// Does [`Backend::encode_rows`] in parallel.
///
/// # Errors
/// If a byte is above 63: the error tells the first such.
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
    first_error(cut(to).map(|(at, to)| {
        let rows = &rows[at * pieces..][..to.len() * pieces];
        backend
            .encode_rows(layout, rows, to)
            .map_err(|e| e.after(at))
    }))
}

/// Does [`Backend::encode_columns`] in parallel.
///
/// # Errors
/// If a byte is above 63: the error tells that of the first position.
///
/// # Panics
/// If there is not one column for each piece, as long as `to`.
pub fn encode_columns<W: BatchWord>(
    layout: &Layout<W>,
    columns: &[&[u8]],
    to: &mut [W],
) -> Result<(), SquareOutOfRange> {
    check_columns(layout, columns.iter().map(|column| column.len()), to.len());
    let backend = Backend::detect();
    first_error(cut(to).map(|(at, to)| {
        let mut parts: [&[u8]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        for (part, column) in parts.iter_mut().zip(columns) {
            *part = &column[at..][..to.len()];
        }
        let parts = &parts[..columns.len()];
        backend
            .encode_columns(layout, parts, to)
            .map_err(|e| e.after(at))
    }))
}

/// The error of the first position, in whatever order the parts end.
fn first_error(
    parts: impl ParallelIterator<Item = Result<(), SquareOutOfRange>>,
) -> Result<(), SquareOutOfRange> {
    let errors = parts.filter_map(Result::err);
    errors
        .min_by_key(|error| error.position)
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

/// Does [`Backend::decode_columns`] in parallel.
///
/// # Panics
/// If there is not one column for each piece, as long as `from`.
pub fn decode_columns<W: BatchWord>(layout: &Layout<W>, from: &[W], columns: &mut [&mut [u8]]) {
    check_columns(
        layout,
        columns.iter().map(|column| column.len()),
        from.len(),
    );
    decode_halves(Backend::detect(), layout, from, columns);
}

/// Decodes into columns. It halves the slices until they are small.
fn decode_halves<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    from: &[W],
    columns: &mut [&mut [u8]],
) {
    if size_of_val(from) <= TASK_BYTES {
        return backend.decode_columns(layout, from, columns);
    }
    // The half is a multiple of a line's bytes.
    let half = (from.len() / 2).next_multiple_of(LINE_BYTES);
    let pieces = columns.len();
    let mut first: [&mut [u8]; MAX_COLUMNS] = Default::default();
    let mut second: [&mut [u8]; MAX_COLUMNS] = Default::default();
    for ((first, second), column) in first.iter_mut().zip(&mut second).zip(columns) {
        (*first, *second) = column.split_at_mut(half);
    }
    let (from_first, from_second) = from.split_at(half);
    rayon::join(
        || decode_halves(backend, layout, from_first, &mut first[..pieces]),
        || decode_halves(backend, layout, from_second, &mut second[..pieces]),
    );
}

/// The most columns that there can be, as many as the widest word of batches has pieces.
const MAX_COLUMNS: usize = <u64 as Word>::MAX_PIECES;

fn check_columns<W: BatchWord>(
    layout: &Layout<W>,
    mut lengths: impl ExactSizeIterator<Item = usize>,
    positions: usize,
) {
    assert_eq!(lengths.len(), layout.pieces(), "a column for each piece");
    assert!(
        lengths.all(|length| length == positions),
        "a byte for each position"
    );
}

/// Does [`Backend::rank_into`] in parallel.
///
/// # Panics
/// If the slices differ in length.
pub fn rank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + Sync + ?Sized),
    indices: &[W],
    slots: &mut [W],
) {
    same_length(indices.len(), slots.len());
    let backend = Backend::detect();
    cut(slots).for_each(|(at, slots)| {
        backend.rank_into(scheme, &indices[at..][..slots.len()], slots);
    });
}

/// Does [`Backend::rank_in_place`] in parallel.
pub fn rank_in_place<W: BatchWord>(scheme: &(impl DenseBatch<W> + Sync + ?Sized), words: &mut [W]) {
    let backend = Backend::detect();
    cut(words).for_each(|(_, part)| backend.rank_in_place(scheme, part));
}

/// Does [`Backend::unrank_into`] in parallel.
///
/// # Panics
/// If the slices differ in length, or a slot is not below [`size`](crate::Dense::size).
pub fn unrank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + Sync + ?Sized),
    slots: &[W],
    indices: &mut [W],
) {
    same_length(slots.len(), indices.len());
    let backend = Backend::detect();
    cut(indices).for_each(|(at, indices)| {
        backend.unrank_into(scheme, &slots[at..][..indices.len()], indices);
    });
}

/// Does [`Backend::unrank_in_place`] in parallel.
///
/// # Panics
/// If a slot is not below [`size`](crate::Dense::size).
pub fn unrank_in_place<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + Sync + ?Sized),
    words: &mut [W],
) {
    let backend = Backend::detect();
    cut(words).for_each(|(_, part)| backend.unrank_in_place(scheme, part));
}

/// Does [`Backend::try_unrank_into`] in parallel.
///
/// # Errors
/// If a number is not below [`size`](crate::Dense::size): the error tells the first such, and nothing
/// is written.
///
/// # Panics
/// If the slices differ in length.
pub fn try_unrank_into<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + Sync + ?Sized),
    slots: &[W],
    indices: &mut [W],
) -> Result<(), SlotOutOfRange> {
    same_length(slots.len(), indices.len());
    check_slots(slots, scheme.size())?;
    unrank_into(scheme, slots, indices);
    Ok(())
}

/// Does [`Backend::try_unrank_in_place`] in parallel.
///
/// # Errors
/// If a number is not below [`size`](crate::Dense::size): the error tells the first such, and nothing
/// is written.
pub fn try_unrank_in_place<W: BatchWord>(
    scheme: &(impl DenseBatch<W> + Sync + ?Sized),
    words: &mut [W],
) -> Result<(), SlotOutOfRange> {
    check_slots(words, scheme.size())?;
    unrank_in_place(scheme, words);
    Ok(())
}

fn check_slots<W: BatchWord>(slots: &[W], size: W) -> Result<(), SlotOutOfRange> {
    let task = TASK_BYTES / size_of::<W>();
    let parts = slots.par_chunks(task).enumerate();
    let wrong = parts.find_map_first(|(number, part)| {
        let error = dense::check_slots(Backend::detect(), part, size).err()?;
        let position = error.position + number * task;
        Some(SlotOutOfRange { position, ..error })
    });
    wrong.map_or(Ok(()), Err)
}
