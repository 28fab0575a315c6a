//! Dense numberings, which take an index to a slot of an array and back.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

use tbindex::batch::{Backend, BatchWord, DenseBatch};
use tbindex::{Compact, Diagonal, Group, Kings, Layout, Material, Orbit, Rules, Triangle, Word};

use super::layout::{numbering, tbi_layout, tbi_numbering};
use super::material::{group, material, tbi_group};
use super::memory::{self, Source, give, reference, take_back};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::{ByWord, with_word};

/// A numbering of positions 0 ... size - 1 without holes, so that a table can be an array. The scheme decides
/// which positions have a slot, and how many there are.
#[derive(Debug)]
pub struct tbi_dense {
    scheme: Scheme,
    layout: Layout<u64>,
    /// Made when it is first asked for, except the one of the smallest word, which is made at once.
    pub(crate) made: ByWord<OnceLock<Made<u32>>, OnceLock<Made<u64>>>,
}

/// How the indices of a layout are numbered, all pieces told apart: one of the `TBI_SCHEME_...`.
pub type tbi_scheme = u32;

/// Every class of equivalent positions has exactly one slot, shared squares included: under D4 there are
/// 2^(6n-3) + 2^(3n-2) slots for n pieces. Computed in the alternate numbering.
pub const TBI_SCHEME_ORBIT: tbi_scheme = 0;
/// By the square of the leading piece: 10 * 64^(n-1) slots for n pieces under D4, 32 * 64^(n-1) under the
/// file mirror. Computed in the natural numbering.
pub const TBI_SCHEME_TRIANGLE: tbi_scheme = 1;
/// By pairs of kings that do not touch: 462 * 64^(n-2) slots for n pieces under D4, 1806 * 64^(n-2) under the
/// file mirror. The kings lead, as they do in every material's index. Computed in the natural numbering.
pub const TBI_SCHEME_KINGS: tbi_scheme = 2;

/// Which positions a compact numbering has slots for: one of the `TBI_RULES_...`.
pub type tbi_rules = u32;

/// Any squares, shared or not; pawns on ranks 2 to 7.
pub const TBI_RULES_ALL: tbi_rules = 0;
/// No two pieces on one square.
pub const TBI_RULES_DISTINCT: tbi_rules = 1;
/// No two pieces on one square, kings not on neighbouring squares.
pub const TBI_RULES_KINGS_APART: tbi_rules = 2;
/// Kings not on neighbouring squares, the other pieces anywhere.
pub const TBI_RULES_KINGS_APART_SHARED: tbi_rules = 3;

/// The treatment of positions with both kings on the diagonal: one of the `TBI_DIAGONAL_...`.
pub type tbi_diagonal = u32;

/// A position and its mirror image share a slot: every class has exactly one.
pub const TBI_DIAGONAL_EXACT: tbi_diagonal = 0;
/// Both have a slot, and are twins.
pub const TBI_DIAGONAL_BOTH: tbi_diagonal = 1;

/// The word that ranking writes for a position without a slot, in words of 32 bits.
pub const TBI_NO_SLOT_U32: u32 = 0xffff_ffff;
/// The word that ranking writes for a position without a slot, in words of 64 bits.
pub const TBI_NO_SLOT_U64: u64 = 0xffff_ffff_ffff_ffff;

/// The arguments that a numbering is made from, for any word.
#[derive(Clone, Copy, Debug)]
enum Scheme {
    Orbit(Group),
    Triangle(Group),
    Kings(Group),
    Compact(Material, Rules, Diagonal),
}

/// A numbering for a word.
pub(crate) struct Made<W>(Box<dyn DenseBatch<W> + Send + Sync>);

impl<W> std::fmt::Debug for Made<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made")
    }
}

impl tbi_dense {
    fn new(scheme: Scheme, layout: Layout<u64>) -> Outcome<tbi_dense> {
        let is_narrow = tbi_layout::from(layout).of::<u32>().is_ok();
        let dense = tbi_dense {
            scheme,
            layout,
            made: ByWord {
                narrow: is_narrow.then(OnceLock::new),
                wide: OnceLock::new(),
            },
        };
        dense.size()?;
        Ok(dense)
    }

    /// The numbering for a word, from where it is kept.
    pub(crate) fn scheme<'a, W: BatchWord>(
        &self,
        made: &'a OnceLock<Made<W>>,
    ) -> Outcome<&'a dyn DenseBatch<W>> {
        if let Some(made) = made.get() {
            return Ok(&*made.0);
        }
        let numbering = self.layout.numbering();
        let layout = Layout::try_new(self.layout.pieces(), numbering)?;
        let new: Box<dyn DenseBatch<W> + Send + Sync> = match self.scheme {
            Scheme::Orbit(group) => Box::new(Orbit::new(layout, group)),
            Scheme::Triangle(group) => Box::new(Triangle::new(layout, group)),
            Scheme::Kings(group) => Box::new(Kings::new(layout, group)),
            Scheme::Compact(material, rules, diagonal) => {
                Box::new(Compact::try_new(material, numbering, rules, diagonal)?)
            }
        };
        // If two threads make it at the same time, one of the two results is kept.
        Ok(&*made.get_or_init(|| Made(new)).0)
    }

    /// How many slots there are.
    pub(crate) fn size(&self) -> Outcome<u64> {
        with_word!(self.made.word_bytes(), made in self.made => {
            Ok(self.scheme(made)?.size().to_u64())
        })
    }
}

/// Makes a numbering of a layout's indices, of at least two pieces for `TBI_SCHEME_KINGS`. Indices of another
/// numbering of the squares than the scheme computes in are converted on the way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_of_layout(
    layout: tbi_layout,
    scheme: tbi_scheme,
    group: tbi_group,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(dense, "dense", || {
            let group = self::group(group)?;
            let scheme = match scheme {
                TBI_SCHEME_ORBIT => Scheme::Orbit(group),
                TBI_SCHEME_TRIANGLE => Scheme::Triangle(group),
                TBI_SCHEME_KINGS if layout.of::<u64>()?.pieces() < 2 => {
                    return Err(Failure::argument("1 piece: expected at least 2, the kings"));
                }
                TBI_SCHEME_KINGS => Scheme::Kings(group),
                _ => return Err(Failure::choice("scheme", scheme, "TBI_SCHEME_…")),
            };
            tbi_dense::new(scheme, layout.of()?)
        })
    })
}

/// Makes the numbering of a material by king pairs and sets of like pieces, which has the fewest slots. It
/// computes in the natural numbering; indices of the alternate one are converted on the way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_of_material(
    material: *const c_char,
    numbering: tbi_numbering,
    rules: tbi_rules,
    diagonal: tbi_diagonal,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(dense, "dense", || {
            let material = self::material(material)?;
            let layout = Layout::try_new(material.piece_count(), self::numbering(numbering)?)?;
            let all = [
                Rules::All,
                Rules::Distinct,
                Rules::KingsApart,
                Rules::KingsApartShared,
            ];
            let rules = Failure::chosen("rules", rules, all, "TBI_RULES_…")?;
            let all = [Diagonal::Exact, Diagonal::Both];
            let diagonal = Failure::chosen("diagonal", diagonal, all, "TBI_DIAGONAL_…")?;
            tbi_dense::new(Scheme::Compact(material, rules, diagonal), layout)
        })
    })
}

/// Frees a dense numbering; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_free(dense: *mut tbi_dense) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(dense, "dense") });
}

/// How many slots there are; 0 if `dense` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_size(dense: *const tbi_dense) -> u64 {
    // SAFETY: the caller's promise.
    guard_value(0, || unsafe { reference(dense, "dense") }?.size())
}

/// The layout of the indices that are ranked and unranked; without pieces if `dense` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_layout(dense: *const tbi_dense) -> tbi_layout {
    // SAFETY: the caller's promise.
    guard_value(tbi_layout::default(), || unsafe {
        Ok(reference(dense, "dense")?.layout.into())
    })
}

/// Writes the slot of every index, `TBI_NO_SLOT_U32` or `TBI_NO_SLOT_U64` where there is none.
///
/// `TBI_ERROR_INDEX` if an index has bits above its digits; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_rank(
    dense: *const tbi_dense,
    indices: *const c_void,
    slots: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let dense = reference(dense, "dense")?;
        let backend = Backend::detect();
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            let source = memory::batch(indices, slots, count)?;
            backend.check_indices(&scheme.layout(), source.input())?;
            match source {
                Source::InPlace(words) => backend.rank_in_place(scheme, words),
                Source::Apart(indices, slots) => backend.rank_into(scheme, indices, slots),
            }
            Ok(())
        })
    })
}

/// Writes the index of every slot.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_unrank(
    dense: *const tbi_dense,
    slots: *const c_void,
    indices: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let dense = reference(dense, "dense")?;
        let backend = Backend::detect();
        with_word!(word_bytes, made in dense.made => {
            let scheme = dense.scheme(made)?;
            match memory::batch(slots, indices, count)? {
                Source::InPlace(words) => backend.unrank_in_place(scheme, words)?,
                Source::Apart(slots, indices) => backend.unrank_into(scheme, slots, indices)?,
            }
            Ok(())
        })
    })
}
