//! Batches, which do the same to every index of a buffer, with SIMD.

use std::ffi::c_void;

use tbindex::batch::Backend;

use super::equivalence::tbi_equivalence;
use super::layout::{numbering, symmetry, tbi_layout, tbi_numbering, tbi_symmetry};
use super::memory::{self, Range, Source, apart, reference, slice_mut};
use super::status::{guard, tbi_status};
use super::words::with_word;

/// Writes the image of every index under a symmetry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_flip(
    layout: tbi_layout,
    symmetry: tbi_symmetry,
    r#in: *const c_void,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        let symmetry = self::symmetry(symmetry)?;
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            // SAFETY: the caller's promise.
            match unsafe { memory::batch::<W>(r#in, out, count) }? {
                Source::InPlace(words) => Backend::detect().flip_in_place(&layout, symmetry, words),
                Source::Apart(from, to) => Backend::detect().flip_into(&layout, symmetry, from, to),
            }
            Ok(())
        })
    })
}

/// Writes for every index of the layout's numbering the index of the same position under another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_convert(
    layout: tbi_layout,
    to_numbering: tbi_numbering,
    r#in: *const c_void,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        let other = numbering(to_numbering)?;
        with_word!(word_bytes, W => {
            let layout = layout.of::<W>()?;
            // SAFETY: the caller's promise.
            match unsafe { memory::batch::<W>(r#in, out, count) }? {
                Source::InPlace(words) => Backend::detect().convert_in_place(&layout, other, words),
                Source::Apart(from, to) => Backend::detect().convert_into(&layout, other, from, to),
            }
            Ok(())
        })
    })
}

/// Writes the canonical form of every index, and to `symmetries`, if that is not NULL, a byte each: the
/// symmetry that leads there, before like pieces are sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_canonical(
    equivalence: *const tbi_equivalence,
    r#in: *const c_void,
    out: *mut c_void,
    symmetries: *mut u8,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let same = unsafe { reference(equivalence, "equivalence") }?;
        let backend = Backend::detect();
        if !symmetries.is_null() {
            let codes = Range::new(symmetries, count, "symmetries");
            let bytes = count.saturating_mul(word_bytes);
            apart(&[Range::new(r#in.cast::<u8>(), bytes, "in"), codes])?;
            apart(&[Range::new(out.cast::<u8>(), bytes, "out"), codes])?;
        }
        with_word!(word_bytes, same in same.0 => {
            // SAFETY: the caller's promise.
            let source = unsafe { memory::batch(r#in, out, count) }?;
            if symmetries.is_null() {
                match source {
                    Source::InPlace(words) => backend.canonical_in_place(same, words),
                    Source::Apart(from, to) => backend.canonical_into(same, from, to),
                }
                return Ok(());
            }
            // SAFETY: they overlap neither buffer, as was checked above; the rest is the caller's promise.
            let codes = unsafe { slice_mut(symmetries, count, "symmetries") }?;
            match source {
                Source::InPlace(words) => {
                    backend.canonical_with_symmetry_in_place(same, words, codes);
                }
                Source::Apart(from, to) => {
                    backend.canonical_with_symmetry_into(same, from, to, codes);
                }
            }
            Ok(())
        })
    })
}

/// Writes whether each index is canonical, as a bitmap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_canonical(
    equivalence: *const tbi_equivalence,
    r#in: *const c_void,
    bitmap: *mut u64,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let same = unsafe { reference(equivalence, "equivalence") }?;
        let bitmap = (bitmap, count.div_ceil(64), "bitmap");
        with_word!(word_bytes, same in same.0 => {
            // SAFETY: the caller's promise.
            let (from, bitmap) = unsafe { memory::two((r#in.cast(), count, "in"), bitmap) }?;
            Backend::detect().is_canonical_into(same, from, bitmap);
            Ok(())
        })
    })
}

/// Writes how many different images each index has under the group, a byte each: 8 or 4 under D4, 2
/// under the file mirror, 1 under the trivial group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_orbit_size(
    equivalence: *const tbi_equivalence,
    r#in: *const c_void,
    sizes: *mut u8,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let same = unsafe { reference(equivalence, "equivalence") }?;
        let sizes = (sizes, count, "sizes");
        with_word!(word_bytes, same in same.0 => {
            // SAFETY: the caller's promise.
            let (from, sizes) = unsafe { memory::two((r#in.cast(), count, "in"), sizes) }?;
            Backend::detect().orbit_size_into(same, from, sizes);
            Ok(())
        })
    })
}
