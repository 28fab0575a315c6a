//! Batches that turn squares into indices and back.

use std::ffi::c_void;

use tbindex::batch::Backend;

use super::layout::tbi_layout;
use super::memory::{self, Range, apart, slice, slice_mut};
use super::status::{Failure, Outcome, guard, tbi_status};
use super::words::{MAX_PIECES, with_word};

impl tbi_layout {
    /// How many bytes the squares of `count` positions are.
    fn row_bytes(self, count: usize) -> Outcome<usize> {
        count
            .checked_mul(self.pieces as usize)
            .ok_or_else(|| Failure::argument(format!("{count} positions: more than memory has")))
    }
}

/// Writes the indices of `count` positions. `rows` are their squares, a byte each, 0 to 63, else
/// `TBI_ERROR_SQUARE`: all of the first position, piece 0 first, then all of the second.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_rows(
    layout: tbi_layout,
    rows: *const u8,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        let rows = (rows, layout.row_bytes(count)?, "rows");
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            // SAFETY: the caller's promise.
            let (rows, to) = unsafe { memory::two(rows, (out.cast(), count, "out")) }?;
            Ok(Backend::detect().encode_rows(&layout, rows, to)?)
        })
    })
}

/// Writes the squares of `count` indices as `tbi_encode_rows` reads them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_rows(
    layout: tbi_layout,
    r#in: *const c_void,
    rows: *mut u8,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        let rows = (rows, layout.row_bytes(count)?, "rows");
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            // SAFETY: the caller's promise.
            let (from, rows) = unsafe { memory::two((r#in.cast(), count, "in"), rows) }?;
            Backend::detect().decode_rows(&layout, from, rows);
            Ok(())
        })
    })
}

/// The names of columns in messages.
const COLUMNS: [&str; MAX_PIECES] = [
    "column 0", "column 1", "column 2", "column 3", "column 4", "column 5", "column 6", "column 7",
    "column 8", "column 9",
];

/// Where the columns of a batch lie.
fn ranges(
    columns: impl Iterator<Item = *const u8>,
    count: usize,
) -> impl Iterator<Item = Range<'static>> {
    let named = columns.zip(COLUMNS);
    named.map(move |(column, name)| Range::new(column, count, name))
}

/// Writes the indices of `count` positions. `columns` are as many pointers as there are pieces, each to the
/// squares of one piece, piece 0 first, in every position, a byte each, 0 to 63, else `TBI_ERROR_SQUARE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_columns(
    layout: tbi_layout,
    columns: *const *const u8,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            let pieces = layout.pieces();
            if count == 0 {
                return Ok(());
            }
            // SAFETY: the caller's promise.
            let pointers = unsafe { slice(columns, pieces, "columns") }?;
            let to = Range::new(out.cast::<W>(), count, "out");
            // Columns are only read, so one may be given twice.
            let list = Range::new(columns, pieces, "columns");
            for read in ranges(pointers.iter().copied(), count).chain([list]) {
                apart(&[to, read])?;
            }
            let mut slices: [&[u8]; MAX_PIECES] = [&[]; MAX_PIECES];
            for ((column, &pointer), name) in slices.iter_mut().zip(pointers).zip(COLUMNS) {
                // SAFETY: it does not overlap what is written; the rest is the caller's promise.
                *column = unsafe { slice(pointer, count, name) }?;
            }
            // SAFETY: it overlaps nothing that is read; the rest is the caller's promise.
            let to = unsafe { slice_mut(out.cast(), count, "out") }?;
            Ok(Backend::detect().encode_columns(&layout, &slices[..pieces], to)?)
        })
    })
}

/// Writes the squares of `count` indices into columns, as `tbi_encode_columns` reads them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_columns(
    layout: tbi_layout,
    r#in: *const c_void,
    columns: *const *mut u8,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            let pieces = layout.pieces();
            if count == 0 {
                return Ok(());
            }
            // SAFETY: the caller's promise.
            let pointers = unsafe { slice(columns, pieces, "columns") }?;
            let mut all = [Range::new(columns, pieces, "columns"); MAX_PIECES + 2];
            all[1] = Range::new(r#in.cast::<W>(), count, "in");
            let written = ranges(pointers.iter().map(|column| column.cast_const()), count);
            for (place, column) in all[2..].iter_mut().zip(written) {
                *place = column;
            }
            apart(&all[..pieces + 2])?;
            let mut slices: [&mut [u8]; MAX_PIECES] = Default::default();
            for ((column, &pointer), name) in slices.iter_mut().zip(pointers).zip(COLUMNS) {
                // SAFETY: it overlaps neither what is read nor the others; the rest is the caller's promise.
                *column = unsafe { slice_mut(pointer, count, name) }?;
            }
            // SAFETY: it does not overlap what is written; the rest is the caller's promise.
            let from = unsafe { slice(r#in.cast(), count, "in") }?;
            Backend::detect().decode_columns(&layout, from, &mut slices[..pieces]);
            Ok(())
        })
    })
}
