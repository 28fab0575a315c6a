//! What is told of slots: weights, twins, and runs of positions that differ in the last piece alone.

use std::ffi::c_void;

use tbindex::batch::{Backend, DenseBatch, SlotOutOfRange};
use tbindex::{Bitboard, Word};

use super::dense::{TBI_NO_SLOT_U64, tbi_dense};
use super::memory::{self, Range, apart, reference, slice_mut, write, write_if_asked};
use super::status::{Outcome, guard, guard_value, tbi_status};
use super::words::with_word;

/// The most positions that a run has.
const SQUARES: usize = 64;

/// Checks that all of these are slots.
fn check_slots<W: Word>(slots: &[W], size: W) -> Outcome {
    match slots.iter().position(|&slot| slot >= size) {
        None => Ok(()),
        Some(position) => Err(SlotOutOfRange {
            position,
            found: slots[position].to_u64(),
            size: size.to_u64(),
        }
        .into()),
    }
}

/// Writes for how many of all positions each slot stands. A sum over all slots, each times its weight, is a
/// sum over all positions that the numbering has room for.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_weight(
    dense: *const tbi_dense,
    slots: *const c_void,
    weights: *mut u32,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let dense = unsafe { reference(dense, "dense") }?;
        let weights = (weights, count, "weights");
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            // SAFETY: the caller's promise.
            let (slots, weights) = unsafe { memory::two((slots.cast(), count, "slots"), weights) }?;
            check_slots(slots, scheme.size())?;
            for (weight, &slot) in weights.iter_mut().zip(slots) {
                *weight = scheme.weight(slot);
            }
            Ok(())
        })
    })
}

/// Writes the other slot of the same class, if it has two, else `TBI_NO_SLOT_U32` or `TBI_NO_SLOT_U64`, for
/// every slot. `twins` may be `slots`.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_twin(
    dense: *const tbi_dense,
    slots: *const c_void,
    twins: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let dense = unsafe { reference(dense, "dense") }?;
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            // SAFETY: the caller's promise.
            let source = unsafe { memory::batch(slots, twins, count) }?;
            check_slots(source.input(), scheme.size())?;
            source.map(|slot| scheme.twin(slot).unwrap_or(Word::NO_SLOT));
            Ok(())
        })
    })
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
    // SAFETY: the caller's promise.
    guard_value(0, || unsafe { reference(dense, "dense") }?.last_piece())
}

impl tbi_dense {
    fn last_piece(&self) -> Outcome<usize> {
        with_word!(self.made.word_bytes(), made in self.made => Ok(self.scheme(made)?.last_piece()))
    }
}

/// Writes runs from a mark on, moves it on, and returns how many these are.
fn runs_from<W: Word>(scheme: &dyn DenseBatch<W>, mark: &mut u64, runs: &mut [tbi_run]) -> usize {
    for (made, place) in runs.iter_mut().enumerate() {
        // A mark that the word cannot hold is past the end.
        let at = W::try_from(u128::from(*mark)).ok();
        let Some((run, next)) = at.and_then(|at| scheme.run_at(at)) else {
            return made;
        };
        *place = tbi_run {
            index: run.index.to_u64(),
            last: run.last.0,
            first: run.first.map_or(TBI_NO_SLOT_U64, W::to_u64),
        };
        *mark = next.to_u64();
    }
    runs.len()
}

/// Writes the next runs of a numbering, at most `capacity`, from `*mark` on, which is 0 to begin with and
/// is moved on; and how many these are to `count`, 0 at the end. All runs together have every slot once.
///
/// Where the slots of runs follow without gaps, which they do except under `TBI_SCHEME_ORBIT`, a mark is the
/// first slot of a run.
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
            let made = with_word!(dense.made.word_bytes(), made in dense.made => {
                Ok(runs_from(dense.scheme(made)?, &mut at, places))
            })?;
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
        // SAFETY: they do not overlap; the rest is the caller's promise.
        let (dense, run, indices, slots) = unsafe {
            (
                reference(dense, "dense")?,
                *reference(run, "run")?,
                slice_mut(indices, room(indices), "indices")?,
                slice_mut(slots, room(slots), "slots")?,
            )
        };
        let (layout, piece, squares) = (dense.layout(), dense.last_piece()?, Bitboard(run.last));
        Backend::detect().check_indices(&layout, &[run.index])?;
        let index_of = |square| layout.with_square(run.index, piece, square);
        for (place, square) in indices.iter_mut().zip(squares.iter()) {
            *place = index_of(square);
        }
        for ((place, square), k) in slots.iter_mut().zip(squares.iter()).zip(0..) {
            *place = match run.first {
                TBI_NO_SLOT_U64 => dense.slot_of(index_of(square))?,
                first => first.saturating_add(k),
            };
        }
        // SAFETY: the caller's promise.
        unsafe { write_if_asked(count, "count", squares.iter().count()) }
    })
}

impl tbi_dense {
    /// The slot of a valid index, or `TBI_NO_SLOT_U64`.
    fn slot_of(&self, index: u64) -> Outcome<u64> {
        let slot = match &self.made.narrow {
            Some(made) => self.scheme(made)?.rank(index as u32).map(u64::from),
            None => self.scheme(&self.made.wide)?.rank(index),
        };
        Ok(slot.unwrap_or(TBI_NO_SLOT_U64))
    }
}
