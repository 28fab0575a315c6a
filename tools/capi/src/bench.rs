//! The plain Rust calls, for `make bench` and `tools/python/benches/overhead.py` to time beside their own on the same
//! buffers. Not part of the interface: not in the header, and only with the feature `bench`.

use std::ffi::{c_char, c_void};
use std::time::Instant;

use syzygy_tables::batch::Positions;
use syzygy_tables::cozy_chess;
use tbgen::{Metric, Value, index_order, pack_indices};
use tbindex::batch::Backend;
use tbindex::{Layout, Numbering};

use super::layout::{symmetry, tbi_layout, tbi_symmetry};
use super::material::material;
use super::memory::{self, Source};
use super::status::{guard, tbi_status};
use super::tables::tbi_tables;

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
        let start = Instant::now();
        match source {
            Source::InPlace(indices) => backend.flip_in_place(&layout, symmetry, indices),
            Source::Apart(from, to) => backend.flip_into(&layout, symmetry, from, to),
        }
        let time = start.elapsed().as_nanos() as u64;
        // SAFETY: the caller's promise.
        unsafe { memory::write(nanoseconds, "nanoseconds", time) }
    })
}

/// The outcomes of indices of a material with white to move, or their distances to zeroing, as a Rust program asks for them: on
/// the threads of rayon, with a vector of results. The time is without writing them to `out`, where -32768 is none.
///
/// # Panics
/// If there are no tables of so many pieces.
#[cfg(feature = "bench")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_bench_probe(
    tables: *const tbi_tables,
    material: *const c_char,
    distances: bool,
    r#in: *const u32,
    out: *mut i16,
    count: usize,
    nanoseconds: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let prober = &memory::reference(tables, "tables")?.prober;
        let material = self::material(material)?;
        let order = index_order(material).expect("a material with tables");
        let layout = Layout::try_new(material.piece_count(), Numbering::Natural)?;
        let (from, out) = memory::two((r#in, count, "in"), (out, count, "out"))?;
        let start = Instant::now();
        let mut packed = vec![0; count];
        pack_indices(&order, &layout, from, &mut packed);
        let side = order.side(cozy_chess::Color::White);
        let positions = Positions::Squares(order.material(), side, &packed);
        let time = match distances {
            false => {
                let found = prober.probe_wdl(positions);
                let time = start.elapsed();
                let found = found
                    .into_iter()
                    .map(|found| found.map_or(i16::MIN, |wdl| wdl as i16));
                out.iter_mut()
                    .zip(found)
                    .for_each(|(out, found)| *out = found);
                time
            }
            true => {
                let found = prober.values(Metric::Dtz, positions);
                let time = start.elapsed();
                let plies = |(value, _): (Value, bool)| value.signed(Metric::Dtz);
                let found = found.into_iter().map(|found| found.map_or(i16::MIN, plies));
                out.iter_mut()
                    .zip(found)
                    .for_each(|(out, found)| *out = found);
                time
            }
        };
        memory::write(nanoseconds, "nanoseconds", time.as_nanos() as u64)
    })
}
