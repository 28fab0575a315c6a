//! Equivalences of positions.

use std::ffi::c_char;

use tbindex::{Equivalence, LikePieces};

use super::layout::{numbering, tbi_layout, tbi_numbering};
use super::material::{TBI_GROUP_TRIVIAL, group, material, tbi_group};
use super::memory::{give, reference, slice, take_back};
use super::status::{guard, guard_value, tbi_status};
use super::words::ByWord;

/// An equivalence of positions: a layout, a group of symmetries, and sets of like pieces, which may exchange
/// their squares. The canonical index of a position is the smallest of all its equivalents.
#[derive(Debug)]
pub struct tbi_equivalence(pub(crate) ByWord<Equivalence<u32>, Equivalence<u64>>);

/// Makes the equivalence of a material's positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_of_material(
    material: *const c_char,
    numbering: tbi_numbering,
    equivalence: *mut *mut tbi_equivalence,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(equivalence, "equivalence", || {
            let material = self::material(material)?;
            let numbering = self::numbering(numbering)?;
            Ok(tbi_equivalence(ByWord {
                narrow: Equivalence::try_new(material, numbering).ok(),
                wide: Equivalence::try_new(material, numbering)?,
            }))
        })
    })
}

/// Makes the equivalence of any pieces under a group. `like_sets` are `like_count` sets of like pieces,
/// each a bit mask of piece numbers; pieces in no set are alike to none.
///
/// `TBI_ERROR_ARGUMENT` if a piece is in two sets, or there is no piece of a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_of_layout(
    layout: tbi_layout,
    group: tbi_group,
    like_sets: *const u32,
    like_count: usize,
    equivalence: *mut *mut tbi_equivalence,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(equivalence, "equivalence", || {
            let (group, wide) = (self::group(group)?, layout.of()?);
            let sets = slice(like_sets, like_count, "like_sets")?;
            let like = LikePieces::try_new(sets, wide.pieces())?;
            let narrow = layout.of().ok();
            Ok(tbi_equivalence(ByWord {
                narrow: narrow.map(|layout| Equivalence::new(layout, group, like.clone())),
                wide: Equivalence::new(wide, group, like),
            }))
        })
    })
}

/// The layout of the equivalence's indices; without pieces if `equivalence` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_layout(equivalence: *const tbi_equivalence) -> tbi_layout {
    // SAFETY: the caller's promise.
    guard_value(tbi_layout::default(), || unsafe {
        let same = reference(equivalence, "equivalence")?;
        Ok(same.0.wide.layout().into())
    })
}

/// The group of symmetries; `TBI_GROUP_TRIVIAL` if `equivalence` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_group(equivalence: *const tbi_equivalence) -> tbi_group {
    // SAFETY: the caller's promise.
    guard_value(TBI_GROUP_TRIVIAL, || unsafe {
        let same = reference(equivalence, "equivalence")?;
        Ok(same.0.wide.group() as u32)
    })
}

/// Frees an equivalence; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_free(equivalence: *mut tbi_equivalence) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(equivalence, "equivalence") });
}
