//! The plain Rust calls, for `make bench` to time beside the C calls on the same buffers. Not part of the
//! interface: not in the header, and only with the feature `bench`.

use std::ffi::c_void;

use tbindex::batch::Backend;

use super::layout::{symmetry, tbi_layout, tbi_symmetry};
use super::memory::{self, Source};
use super::status::{guard, tbi_status};

/// A batch of words of 32 bits as a Rust program has it: its slices are there already. The time is that of the
/// batch alone.
#[cfg(feature = "bench")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_bench_flip(
    layout: tbi_layout,
    symmetry: tbi_symmetry,
    r#in: *const c_void,
    out: *mut c_void,
    count: usize,
    nanoseconds: *mut u64,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let source = unsafe { memory::batch::<u32>(r#in, out, count) }?;
        let (layout, symmetry) = (layout.of()?, self::symmetry(symmetry)?);
        let backend = Backend::detect();
        let start = std::time::Instant::now();
        match source {
            Source::InPlace(indices) => backend.flip_in_place(&layout, symmetry, indices),
            Source::Apart(from, to) => backend.flip_into(&layout, symmetry, from, to),
        }
        let time = start.elapsed().as_nanos() as u64;
        // SAFETY: the caller's promise.
        unsafe { memory::write(nanoseconds, "nanoseconds", time) }
    })
}
