//! What is told of slots: weights, twins, and runs of positions that differ in the last piece alone.

use tbindex::{Bitboard, Layout};

use super::dense::{TBI_NO_SLOT_U64, tbi_dense};
use super::memory::{
    self, Range, Source, apart, copy_out, reference, slice, slice_mut, write, write_if_asked,
};
use super::status::{Failure, Outcome, TBI_ERROR_SLOT, guard, guard_value, tbi_status};
use super::words::CWord;

/// The most positions that a run has.
const SQUARES: usize = 64;

impl tbi_dense {
    fn check_slot(&self, slot: u64) -> Outcome {
        let size = self.size()?;
        match slot < size {
            true => Ok(()),
            false => Err(Failure::new(
                TBI_ERROR_SLOT,
                format!("slot {slot}: expected one below {size}"),
            )),
        }
    }

    /// The slot of an index, in the smallest word that holds it.
    fn rank(&self, index: u64) -> Outcome<Option<u64>> {
        Ok(match self.is_narrow() {
            true => self.of::<u32>()?.rank(index as u32).map(u64::from),
            false => self.of::<u64>()?.rank(index),
        })
    }
}

/// Writes for how many of all positions a slot stands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_weight(
    dense: *const tbi_dense,
    slot: u64,
    weight: *mut u32,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let dense = reference(dense, "dense")?;
            dense.check_slot(slot)?;
            let found = match dense.is_narrow() {
                true => dense.of::<u32>()?.weight(slot as u32),
                false => dense.of::<u64>()?.weight(slot),
            };
            write(weight, "weight", found)
        }
    })
}

/// Writes the other slot of the same class, if it has two, else `TBI_NO_SLOT_U64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_twin(
    dense: *const tbi_dense,
    slot: u64,
    twin: *mut u64,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let dense = reference(dense, "dense")?;
            dense.check_slot(slot)?;
            let found = match dense.is_narrow() {
                true => dense.of::<u32>()?.twin(slot as u32).map(u64::from),
                false => dense.of::<u64>()?.twin(slot),
            };
            write(twin, "twin", found.unwrap_or(TBI_NO_SLOT_U64))
        }
    })
}

/// Checks that all of these are slots.
fn check_slots<W: CWord>(slots: &[W], size: W) -> Outcome {
    match slots.iter().position(|&slot| slot >= size) {
        None => Ok(()),
        Some(position) => Err(Failure::new(
            TBI_ERROR_SLOT,
            format!(
                "slot {} at position {position}: expected slots below {size}",
                slots[position]
            ),
        )),
    }
}

unsafe fn weights<W: CWord>(
    dense: *const tbi_dense,
    slots: *const W,
    weights: *mut u32,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let scheme = unsafe { reference(dense, "dense") }?.of::<W>()?;
    apart(&[
        Range::new(slots, count, "slots"),
        Range::new(weights, count, "weights"),
    ])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    let (slots, weights) = unsafe {
        let slots = slice(slots, count, "slots")?;
        (slots, slice_mut(weights, count, "weights")?)
    };
    check_slots(slots, scheme.size())?;
    for (weight, &slot) in weights.iter_mut().zip(slots) {
        *weight = scheme.weight(slot);
    }
    Ok(())
}

/// Writes for how many of all positions each slot stands. A sum over all slots, each times its weight, is a
/// sum over all positions that the numbering has room for.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_weights_u32(
    dense: *const tbi_dense,
    slots: *const u32,
    weights: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::weights(dense, slots, weights, count) })
}

/// As `tbi_dense_weights_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_weights_u64(
    dense: *const tbi_dense,
    slots: *const u64,
    weights: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::weights(dense, slots, weights, count) })
}

unsafe fn twins<W: CWord>(
    dense: *const tbi_dense,
    slots: *const W,
    twins: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let scheme = unsafe { reference(dense, "dense") }?.of::<W>()?;
    let twin = |slot| scheme.twin(slot).unwrap_or(W::NO_SLOT);
    // SAFETY: the caller's promise.
    match unsafe { memory::batch(slots, twins, count) }? {
        Source::InPlace(slots) => {
            check_slots(slots, scheme.size())?;
            for slot in slots {
                *slot = twin(*slot);
            }
        }
        Source::Apart(slots, twins) => {
            check_slots(slots, scheme.size())?;
            for (place, &slot) in twins.iter_mut().zip(slots) {
                *place = twin(slot);
            }
        }
    }
    Ok(())
}

/// Writes the other slot of the same class, if it has two, else `TBI_NO_SLOT_U32`, for every slot. `twins`
/// may be `slots`.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_twins_u32(
    dense: *const tbi_dense,
    slots: *const u32,
    twins: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::twins(dense, slots, twins, count) })
}

/// As `tbi_dense_twins_u32`, for words of 64 bits, with `TBI_NO_SLOT_U64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_twins_u64(
    dense: *const tbi_dense,
    slots: *const u64,
    twins: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::twins(dense, slots, twins, count) })
}

/// Up to 64 positions of a dense numbering that differ only in the square of the last piece.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_run {
    /// The index of the first position: that with the last piece on the first of its squares.
    pub index: u64,
    /// The squares of the last piece, a bit for each; never 0.
    pub last: u64,
    /// The slot of the first position, the others following without gaps in the order of the squares, or
    /// `TBI_NO_SLOT_U64` where they do not: then `tbi_dense_run_positions` knows the slots.
    pub first: u64,
}

/// The number of the piece that varies within a run; 0 if `dense` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_last_piece(dense: *const tbi_dense) -> usize {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let dense = unsafe { reference(dense, "dense") }?;
        Ok(match dense.is_narrow() {
            true => dense.of::<u32>()?.last_piece(),
            false => dense.of::<u64>()?.last_piece(),
        })
    })
}

fn runs_from<W: CWord>(dense: &tbi_dense, mark: &mut u64, runs: &mut [tbi_run]) -> Outcome<usize> {
    let scheme = dense.of::<W>()?;
    let mut made = 0;
    for place in runs {
        // A mark that the word cannot hold is past the end.
        let Ok(at) = W::try_from(u128::from(*mark)) else {
            break;
        };
        let Some((run, next)) = scheme.run_at(at) else {
            break;
        };
        *place = tbi_run {
            index: run.index.to_u64(),
            last: run.last.0,
            first: run.first.map_or(TBI_NO_SLOT_U64, W::to_u64),
        };
        *mark = next.to_u64();
        made += 1;
    }
    Ok(made)
}

/// Writes the next runs of a numbering, at most `capacity`, from `*mark` on, which is 0 to begin with and
/// is moved on; and how many these are to `count`, 0 at the end. All runs together have every slot once.
///
/// Where the slots of runs follow without gaps, which they do except in `tbi_dense_orbit_new`'s numbering,
/// a mark is the first slot of a run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_runs(
    dense: *const tbi_dense,
    mark: *mut u64,
    runs: *mut tbi_run,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    guard(|| {
        apart(&[
            Range::new(runs, capacity, "runs"),
            Range::new(mark, 1, "mark"),
            Range::new(count, 1, "count"),
        ])?;
        // SAFETY: they do not overlap; the rest is the caller's promise.
        unsafe {
            write(count, "count", 0)?;
            let dense = reference(dense, "dense")?;
            let mut at = *reference(mark.cast_const(), "mark")?;
            let places = slice_mut(runs, capacity, "runs")?;
            let made = match dense.is_narrow() {
                true => runs_from::<u32>(dense, &mut at, places)?,
                false => runs_from::<u64>(dense, &mut at, places)?,
            };
            write(mark, "mark", at)?;
            write(count, "count", made)
        }
    })
}

/// Writes the index and the slot of every position of a run, in the order of the last piece's squares, and
/// how many these are to `count`. `indices` and `slots` have room for 64 each; any of the three may be NULL.
///
/// `TBI_ERROR_INDEX` if the run's index has bits above its digits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_run_positions(
    dense: *const tbi_dense,
    run: *const tbi_run,
    indices: *mut u64,
    slots: *mut u64,
    count: *mut usize,
) -> tbi_status {
    guard(|| {
        let room = |pointer: *mut u64| if pointer.is_null() { 0 } else { SQUARES };
        apart(&[
            Range::new(run, 1, "run"),
            Range::new(indices, room(indices), "indices"),
            Range::new(slots, room(slots), "slots"),
            Range::new(count, usize::from(!count.is_null()), "count"),
        ])?;
        // SAFETY: the caller's promise.
        let (dense, run) = unsafe { (reference(dense, "dense")?, *reference(run, "run")?) };
        let layout: Layout<u64> = dense.layout();
        super::layout::check_index(&layout, &[run.index])?;
        let piece = match dense.is_narrow() {
            true => dense.of::<u32>()?.last_piece(),
            false => dense.of::<u64>()?.last_piece(),
        };
        let (mut of_run, mut slots_of_run) = ([0; SQUARES], [0; SQUARES]);
        let squares = Bitboard(run.last);
        for (k, square) in squares.iter().enumerate() {
            of_run[k] = layout.with_square(run.index, piece, square);
            slots_of_run[k] = match run.first {
                TBI_NO_SLOT_U64 if slots.is_null() => 0,
                TBI_NO_SLOT_U64 => dense.rank(of_run[k])?.unwrap_or(TBI_NO_SLOT_U64),
                first => first.saturating_add(k as u64),
            };
        }
        let found = squares.iter().count();
        // SAFETY: the caller's promise.
        unsafe {
            write_if_asked(count, "count", found)?;
            let mut ignored = 0;
            if !indices.is_null() {
                copy_out(
                    &of_run[..found],
                    indices,
                    found,
                    &raw mut ignored,
                    "indices",
                )?;
            }
            if !slots.is_null() {
                copy_out(
                    &slots_of_run[..found],
                    slots,
                    found,
                    &raw mut ignored,
                    "slots",
                )?;
            }
        }
        Ok(())
    })
}
