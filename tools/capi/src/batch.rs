//! Batches, which do the same to every index of a buffer, with SIMD.
//!
//! The header states the rules for all of them. Buffers may begin at any multiple of a word's size. The
//! output may be the same as the input; otherwise they must not overlap. With `count` 0 no buffer is used.

use tbindex::batch;

use super::equivalence::tbi_equivalence;
use super::layout::{numbering, symmetry, tbi_layout, tbi_numbering, tbi_symmetry};
use super::memory::{self, Range, Source, apart, reference, slice, slice_mut};
use super::status::{Outcome, guard, tbi_status};
use super::words::CWord;

unsafe fn flip<W: CWord>(
    layout: *const tbi_layout,
    symmetry: tbi_symmetry,
    from: *const W,
    to: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let symmetry = self::symmetry(symmetry)?;
    // SAFETY: the caller's promise.
    match unsafe { memory::batch(from, to, count) }? {
        Source::InPlace(indices) => batch::flip_in_place(layout, symmetry, indices),
        Source::Apart(from, to) => batch::flip_into(layout, symmetry, from, to),
    }
    Ok(())
}

/// Writes the image of every index under a symmetry. `out` may be `in`.
///
/// Of an index with bits above its digits the image is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_flip_u32(
    layout: *const tbi_layout,
    symmetry: tbi_symmetry,
    r#in: *const u32,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { flip(layout, symmetry, r#in, out, count) })
}

/// As `tbi_flip_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_flip_u64(
    layout: *const tbi_layout,
    symmetry: tbi_symmetry,
    r#in: *const u64,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { flip(layout, symmetry, r#in, out, count) })
}

unsafe fn convert<W: CWord>(
    layout: *const tbi_layout,
    to_numbering: tbi_numbering,
    from: *const W,
    to: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let layout = unsafe { reference(layout, "layout") }?.of::<W>()?;
    let numbering = numbering(to_numbering)?;
    // SAFETY: the caller's promise.
    match unsafe { memory::batch(from, to, count) }? {
        Source::InPlace(indices) => batch::convert_in_place(layout, numbering, indices),
        Source::Apart(from, to) => batch::convert_into(layout, numbering, from, to),
    }
    Ok(())
}

/// Writes every index, which is of the layout's numbering, as it is under another. `out` may be `in`.
///
/// Of an index with bits above its digits the result is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_convert_u32(
    layout: *const tbi_layout,
    to_numbering: tbi_numbering,
    r#in: *const u32,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { convert(layout, to_numbering, r#in, out, count) })
}

/// As `tbi_convert_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_convert_u64(
    layout: *const tbi_layout,
    to_numbering: tbi_numbering,
    r#in: *const u64,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { convert(layout, to_numbering, r#in, out, count) })
}

unsafe fn canonical<W: CWord>(
    equivalence: *const tbi_equivalence,
    from: *const W,
    to: *mut W,
    symmetries: *mut u8,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let same = unsafe { reference(equivalence, "equivalence") }?.of::<W>()?;
    if symmetries.is_null() {
        // SAFETY: the caller's promise.
        match unsafe { memory::batch(from, to, count) }? {
            Source::InPlace(indices) => batch::canonical_in_place(same, indices),
            Source::Apart(from, to) => batch::canonical_into(same, from, to),
        }
        return Ok(());
    }
    let codes = Range::new(symmetries, count, "symmetries");
    apart(&[Range::new(from, count, "in"), codes])?;
    apart(&[Range::new(to, count, "out"), codes])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (source, codes) = unsafe {
        let source = memory::batch(from, to, count)?;
        (source, slice_mut(symmetries, count, "symmetries")?)
    };
    match source {
        Source::InPlace(indices) => {
            batch::canonical_with_symmetry_in_place(same, indices, codes);
        }
        Source::Apart(from, to) => batch::canonical_with_symmetry_into(same, from, to, codes),
    }
    Ok(())
}

/// Writes the canonical form of every index, and to `symmetries`, if that is not NULL, a byte each: the
/// symmetry that leads there, before like pieces are sorted. `out` may be `in`.
///
/// Of an index with bits above its digits the result is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_canonical_u32(
    equivalence: *const tbi_equivalence,
    r#in: *const u32,
    out: *mut u32,
    symmetries: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { canonical(equivalence, r#in, out, symmetries, count) })
}

/// As `tbi_canonical_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_canonical_u64(
    equivalence: *const tbi_equivalence,
    r#in: *const u64,
    out: *mut u64,
    symmetries: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { canonical(equivalence, r#in, out, symmetries, count) })
}

unsafe fn is_canonical<W: CWord>(
    equivalence: *const tbi_equivalence,
    from: *const W,
    bitmap: *mut u64,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let same = unsafe { reference(equivalence, "equivalence") }?.of::<W>()?;
    let words = count.div_ceil(64);
    let (input, output) = (
        Range::new(from, count, "in"),
        Range::new(bitmap, words, "bitmap"),
    );
    apart(&[input, output])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (from, bitmap) = unsafe {
        let from = slice(from, count, "in")?;
        (from, slice_mut(bitmap, words, "bitmap")?)
    };
    batch::is_canonical_into(same, from, bitmap);
    Ok(())
}

/// Writes whether each index is canonical, as a bitmap of (count + 63) / 64 words: bit k % 64 of word k / 64 is
/// that of index k. Bits past the last index are zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_canonical_u32(
    equivalence: *const tbi_equivalence,
    r#in: *const u32,
    bitmap: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { is_canonical(equivalence, r#in, bitmap, count) })
}

/// As `tbi_is_canonical_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_canonical_u64(
    equivalence: *const tbi_equivalence,
    r#in: *const u64,
    bitmap: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { is_canonical(equivalence, r#in, bitmap, count) })
}

unsafe fn orbit_size<W: CWord>(
    equivalence: *const tbi_equivalence,
    from: *const W,
    sizes: *mut u8,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let same = unsafe { reference(equivalence, "equivalence") }?.of::<W>()?;
    let (input, output) = (
        Range::new(from, count, "in"),
        Range::new(sizes, count, "sizes"),
    );
    apart(&[input, output])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (from, sizes) = unsafe {
        let from = slice(from, count, "in")?;
        (from, slice_mut(sizes, count, "sizes")?)
    };
    batch::orbit_size_into(same, from, sizes);
    Ok(())
}

/// Writes how many different indices the group alone makes of each index, a byte each: 8 or 4 under D4, 2
/// under the file mirror, 1 under the trivial group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_orbit_size_u32(
    equivalence: *const tbi_equivalence,
    r#in: *const u32,
    sizes: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { orbit_size(equivalence, r#in, sizes, count) })
}

/// As `tbi_orbit_size_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_orbit_size_u64(
    equivalence: *const tbi_equivalence,
    r#in: *const u64,
    sizes: *mut u8,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { orbit_size(equivalence, r#in, sizes, count) })
}
