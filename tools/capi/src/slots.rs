//! The weights and the twins of slots.

use std::ffi::c_void;

use tbindex::Word;
use tbindex::batch::OutOfRange;

use super::dense::tbi_dense;
use super::memory::{self, reference};
use super::status::{Outcome, guard, tbi_status};
use super::words::with_word;

/// Checks that all of these are slots.
fn check_slots<W: Word>(slots: &[W], size: W) -> Outcome {
    match slots.iter().position(|&slot| slot >= size) {
        None => Ok(()),
        Some(position) => Err(OutOfRange::Slot {
            position,
            found: slots[position].to_u64(),
            size: size.to_u64(),
        }
        .into()),
    }
}

/// Writes for how many of all positions each slot stands.
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
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let dense = reference(dense, "dense")?;
        let weights = (weights, count, "weights");
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            let (slots, weights) = memory::two((slots.cast(), count, "slots"), weights)?;
            check_slots(slots, scheme.size())?;
            for (weight, &slot) in weights.iter_mut().zip(slots) {
                *weight = scheme.weight(slot);
            }
            Ok(())
        })
    })
}

/// Writes for every slot the other slot of the same class, or `TBI_NO_SLOT_U32` or `TBI_NO_SLOT_U64`.
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
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let dense = reference(dense, "dense")?;
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            let source = memory::batch(slots, twins, count)?;
            check_slots(source.input(), scheme.size())?;
            source.map(|slot| scheme.twin(slot).unwrap_or(Word::NO_SLOT));
            Ok(())
        })
    })
}
