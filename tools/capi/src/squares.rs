//! Batches that turn squares into indices and back. The rules are those of `batch.rs`.

use tbindex::batch;

use super::layout::tbi_layout;
use super::memory::{Range, apart, reference, slice, slice_mut};
use super::status::{Failure, Outcome, TBI_ERROR_SQUARE, guard, tbi_status};
use super::words::{CWord, MAX_PIECES};

/// How many bytes the squares of `count` positions are.
fn row_bytes(count: usize, pieces: usize) -> Outcome<usize> {
    count
        .checked_mul(pieces)
        .ok_or_else(|| Failure::argument(format!("{count} positions: more than memory has")))
}

impl From<batch::SquareOutOfRange> for Failure {
    fn from(error: batch::SquareOutOfRange) -> Failure {
        Failure::new(TBI_ERROR_SQUARE, error)
    }
}

unsafe fn encode_rows<W: CWord>(
    layout: *const tbi_layout,
    rows: *const u8,
    to: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let bytes = row_bytes(count, layout.pieces())?;
    let (input, output) = (
        Range::new(rows, bytes, "rows"),
        Range::new(to, count, "out"),
    );
    apart(&[input, output])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (rows, to) = unsafe {
        let rows = slice(rows, bytes, "rows")?;
        (rows, slice_mut(to, count, "out")?)
    };
    Ok(batch::encode_rows(layout, rows, to)?)
}

/// Writes the indices of `count` positions. `rows` are their squares, a byte each, 0 to 63: all of the
/// first position, piece 0 first, then those of the second.
///
/// `TBI_ERROR_SQUARE` if a byte is above 63; what was written then is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_rows_u32(
    layout: *const tbi_layout,
    rows: *const u8,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { encode_rows(layout, rows, out, count) })
}

/// As `tbi_encode_rows_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_rows_u64(
    layout: *const tbi_layout,
    rows: *const u8,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { encode_rows(layout, rows, out, count) })
}

unsafe fn decode_rows<W: CWord>(
    layout: *const tbi_layout,
    from: *const W,
    rows: *mut u8,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let bytes = row_bytes(count, layout.pieces())?;
    let (input, output) = (
        Range::new(from, count, "in"),
        Range::new(rows, bytes, "rows"),
    );
    apart(&[input, output])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (from, rows) = unsafe {
        let from = slice(from, count, "in")?;
        (from, slice_mut(rows, bytes, "rows")?)
    };
    batch::decode_rows(layout, from, rows);
    Ok(())
}

/// Writes the squares of `count` indices as `tbi_encode_rows_u32` reads them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_rows_u32(
    layout: *const tbi_layout,
    r#in: *const u32,
    rows: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { decode_rows(layout, r#in, rows, count) })
}

/// As `tbi_decode_rows_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_rows_u64(
    layout: *const tbi_layout,
    r#in: *const u64,
    rows: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { decode_rows(layout, r#in, rows, count) })
}

/// What columns are called in messages.
const COLUMNS: [&str; MAX_PIECES] = [
    "column 0", "column 1", "column 2", "column 3", "column 4", "column 5", "column 6", "column 7",
    "column 8", "column 9",
];

/// Where the words and the columns of a batch lie.
fn column_ranges<'n>(
    words: Range<'n>,
    columns: &[*const u8],
    count: usize,
) -> [Range<'n>; MAX_PIECES + 1] {
    let mut ranges = [words; MAX_PIECES + 1];
    let named = columns.iter().zip(COLUMNS);
    for (range, (&column, name)) in ranges[1..].iter_mut().zip(named) {
        *range = Range::new(column, count, name);
    }
    ranges
}

unsafe fn encode_columns<W: CWord>(
    layout: *const tbi_layout,
    columns: *const *const u8,
    to: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let pieces = layout.pieces();
    if count == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let pointers = unsafe { slice(columns, pieces, "columns") }?;
    let ranges = column_ranges(Range::new(to, count, "out"), pointers, count);
    for column in &ranges[1..=pieces] {
        // Columns are only read, so one may be given twice.
        apart(&[ranges[0], *column])?;
    }
    let list = Range::new(columns, pieces, "columns");
    apart(&[ranges[0], list])?;
    let mut slices: [&[u8]; MAX_PIECES] = [&[]; MAX_PIECES];
    for ((column, &pointer), name) in slices.iter_mut().zip(pointers).zip(COLUMNS) {
        // SAFETY: it does not overlap what is written; the rest is the caller's promise.
        *column = unsafe { slice(pointer, count, name) }?;
    }
    // SAFETY: it overlaps nothing that is read; the rest is the caller's promise.
    let to = unsafe { slice_mut(to, count, "out") }?;
    Ok(batch::encode_columns(layout, &slices[..pieces], to)?)
}

/// Writes the indices of `count` positions. `columns` are as many pointers as there are pieces, each to
/// the squares of one piece, piece 0 first, in every position, a byte each, 0 to 63.
///
/// `TBI_ERROR_SQUARE` if a byte is above 63; what was written then is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_columns_u32(
    layout: *const tbi_layout,
    columns: *const *const u8,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { encode_columns(layout, columns, out, count) })
}

/// As `tbi_encode_columns_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_columns_u64(
    layout: *const tbi_layout,
    columns: *const *const u8,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { encode_columns(layout, columns, out, count) })
}

unsafe fn decode_columns<W: CWord>(
    layout: *const tbi_layout,
    from: *const W,
    columns: *const *mut u8,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let pieces = layout.pieces();
    if count == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let pointers = unsafe { slice(columns, pieces, "columns") }?;
    let mut starts = [std::ptr::null(); MAX_PIECES];
    for (start, pointer) in starts.iter_mut().zip(pointers) {
        *start = pointer.cast_const();
    }
    let ranges = column_ranges(Range::new(from, count, "in"), &starts[..pieces], count);
    apart(&ranges[..=pieces])?;
    let list = Range::new(columns, pieces, "columns");
    for column in &ranges[1..=pieces] {
        apart(&[list, *column])?;
    }
    let mut slices: [&mut [u8]; MAX_PIECES] = Default::default();
    for ((column, &pointer), name) in slices.iter_mut().zip(pointers).zip(COLUMNS) {
        // SAFETY: it overlaps neither what is read nor the others; the rest is the caller's promise.
        *column = unsafe { slice_mut(pointer, count, name) }?;
    }
    // SAFETY: it does not overlap what is written; the rest is the caller's promise.
    let from = unsafe { slice(from, count, "in") }?;
    batch::decode_columns(layout, from, &mut slices[..pieces]);
    Ok(())
}

/// Writes the squares of `count` indices into columns, as `tbi_encode_columns_u32` reads them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_columns_u32(
    layout: *const tbi_layout,
    r#in: *const u32,
    columns: *const *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { decode_columns(layout, r#in, columns, count) })
}

/// As `tbi_decode_columns_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_columns_u64(
    layout: *const tbi_layout,
    r#in: *const u64,
    columns: *const *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { decode_columns(layout, r#in, columns, count) })
}
