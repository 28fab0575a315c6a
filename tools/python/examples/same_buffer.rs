//! The library's batch calls on a buffer of somebody else's, for `benches/overhead.py` to call by
//! ctypes: the same function, compiled in the same way, on the very memory of a numpy array.

#![allow(
    unsafe_code,
    reason = "the functions are called from Python with an address"
)]

use std::time::Instant;

use tbindex::batch::Backend;
use tbindex::{Equivalence, Group, Layout, Symmetry};

/// The nanoseconds of one call of `Layout::flip`'s batch, of four pieces, in place.
///
/// # Safety
/// `words` must be the address of `len` words that nobody else uses meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flip_in_place(words: *mut u32, len: usize) -> u64 {
    // SAFETY: as the caller promises.
    let words = unsafe { std::slice::from_raw_parts_mut(words, len) };
    let layout = Layout::new(4, Numbering::Natural);
    let start = Instant::now();
    Backend::detect().flip_in_place(&layout, Symmetry::Rotate90, words);
    start.elapsed().as_nanos() as u64
}

/// The nanoseconds of one call from one buffer to another.
///
/// # Safety
/// The same of both buffers, which must not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn flip_into(from: *const u32, to: *mut u32, len: usize) -> u64 {
    // SAFETY: as the caller promises.
    let (from, to) = unsafe {
        (
            std::slice::from_raw_parts(from, len),
            std::slice::from_raw_parts_mut(to, len),
        )
    };
    let layout = Layout::new(4, Numbering::Natural);
    let start = Instant::now();
    Backend::detect().flip_into(&layout, Symmetry::Rotate90, from, to);
    start.elapsed().as_nanos() as u64
}

/// The nanoseconds of canonical forms in place.
///
/// # Safety
/// As for [`flip_in_place`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn canonical_in_place(words: *mut u32, len: usize) -> u64 {
    // SAFETY: as the caller promises.
    let words = unsafe { std::slice::from_raw_parts_mut(words, len) };
    let same = Equivalence::new(
        Layout::new(4, Numbering::Natural),
        Group::D4,
        LikePieces::default(),
    );
    let start = Instant::now();
    Backend::detect().canonical_in_place(&same, words);
    start.elapsed().as_nanos() as u64
}
