//! The plain Rust calls, for `make bench` to time beside the C calls on the same buffers. Not part of the
//! interface: not in the header, and only with the feature `bench`.

use tbindex::batch;

use super::layout::{symmetry, tbi_layout, tbi_symmetry};
use super::memory::{self, Source, reference};
use super::status::{guard, tbi_status};

/// A batch as a Rust program has it: its slices are there already. The time is that of the batch alone.
#[cfg(feature = "bench")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_bench_flip_u32(
    layout: *const tbi_layout,
    symmetry: tbi_symmetry,
    r#in: *const u32,
    out: *mut u32,
    count: usize,
    nanoseconds: *mut u64,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let (layout, source) = unsafe {
            let layout = reference(layout, "layout")?.of::<u32>()?;
            (layout, memory::batch(r#in, out, count)?)
        };
        let symmetry = self::symmetry(symmetry)?;
        let start = std::time::Instant::now();
        match source {
            Source::InPlace(indices) => batch::flip_in_place(layout, symmetry, indices),
            Source::Apart(from, to) => batch::flip_into(layout, symmetry, from, to),
        }
        let time = start.elapsed().as_nanos() as u64;
        // SAFETY: the caller's promise.
        unsafe { memory::write(nanoseconds, "nanoseconds", time) }
    })
}
