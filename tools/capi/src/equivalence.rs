//! Equivalences, which say what counts as the same position.

use tbindex::batch::BatchWord;
use tbindex::{Equivalence, LikePieces, LikePiecesError};

use super::layout::{handle_of, numbering, tbi_layout, tbi_numbering};
use super::material::{group, tbi_group, tbi_material};
use super::memory::{give, reference, slice, take_back};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::{ByWord, CWord, Kind, too_many_pieces};

/// What counts as the same position: a layout, a group of symmetries, and sets of like pieces, which may
/// exchange their squares. The canonical index of a position is the smallest of all its equivalents.
#[derive(Debug)]
pub struct tbi_equivalence(ByWord<Equivalences>);

#[derive(Debug)]
struct Equivalences;

impl Kind for Equivalences {
    type Of<W: BatchWord> = Equivalence<W>;
}

impl tbi_equivalence {
    /// The equivalence in a word.
    pub(crate) fn of<W: CWord>(&self) -> Outcome<&Equivalence<W>> {
        W::of(&self.0).ok_or_else(|| too_many_pieces(self.0.wide.layout().pieces()))
    }
}

/// Makes the equivalence of a material's positions.
///
/// `TBI_ERROR_WORD` if it has more than 10 pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_of_material(
    material: *const tbi_material,
    numbering: tbi_numbering,
    equivalence: *mut *mut tbi_equivalence,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(equivalence, "equivalence", || {
                let material = reference(material, "material")?.0;
                let numbering = self::numbering(numbering)?;
                Ok(tbi_equivalence(ByWord {
                    narrow: Equivalence::of_material(material, numbering).ok(),
                    wide: Equivalence::of_material(material, numbering)?,
                }))
            })
        }
    })
}

/// Makes the equivalence of any pieces under a group. `like_sets` are `like_count` sets of like pieces,
/// each a bit mask of piece numbers; pieces in no set are alike to none.
///
/// `TBI_ERROR_ARGUMENT` if a piece is in two sets, or there is no piece of a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_new(
    layout: *const tbi_layout,
    group: tbi_group,
    like_sets: *const u32,
    like_count: usize,
    equivalence: *mut *mut tbi_equivalence,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(equivalence, "equivalence", || {
                let layout = &reference(layout, "layout")?.0;
                let group = self::group(group)?;
                let sets = slice(like_sets, like_count, "like_sets")?;
                let like = LikePieces::try_new(sets, layout.wide.pieces())?;
                Ok(tbi_equivalence(ByWord {
                    narrow: match layout.narrow {
                        Some(layout) => Some(Equivalence::try_new(layout, group, like.clone())?),
                        None => None,
                    },
                    wide: Equivalence::try_new(layout.wide, group, like)?,
                }))
            })
        }
    })
}

impl From<LikePiecesError> for Failure {
    fn from(error: LikePiecesError) -> Failure {
        Failure::argument(error)
    }
}

/// Makes the layout of the equivalence's indices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_layout(
    equivalence: *const tbi_equivalence,
    layout: *mut *mut tbi_layout,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let same = reference(equivalence, "equivalence")?;
            give(layout, "layout", || Ok(handle_of(same.0.wide.layout())))
        }
    })
}

/// The group of symmetries; `TBI_GROUP_TRIVIAL` if `equivalence` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_group(equivalence: *const tbi_equivalence) -> tbi_group {
    guard_value(super::material::TBI_GROUP_TRIVIAL, || {
        // SAFETY: the caller's promise.
        let same = unsafe { reference(equivalence, "equivalence") }?;
        Ok(same.0.wide.group() as u32)
    })
}

/// Frees an equivalence; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_equivalence_free(equivalence: *mut tbi_equivalence) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(equivalence, "equivalence") }
    });
}
