//! Dense numberings, which take an index to a slot of an array and back.

use std::sync::OnceLock;

use tbindex::batch::{self, BatchWord, SlotOutOfRange};
use tbindex::{
    Compact, DenseBatch, DenseError, Diagonal, Group, Kings, Layout, Material, Orbit, Rules,
    Triangle,
};

use super::layout::{check_index, handle_of, numbering, tbi_layout, tbi_numbering};
use super::material::{group, tbi_group, tbi_material};
use super::memory::{self, Source, give, reference, take_back};
use super::status::{
    Failure, Outcome, TBI_ERROR_SLOT, TBI_ERROR_WORD, guard, guard_value, tbi_status,
};
use super::words::{ByWord, CWord, Kind, too_many_pieces};

/// A numbering of positions 0 ... size - 1 without holes, so that a table can be an array.
///
/// Which positions have a slot, and how many there are, is the scheme's affair; see the functions that
/// make one.
#[derive(Debug)]
pub struct tbi_dense {
    scheme: Scheme,
    layout: Layout<u64>,
    /// Made when it is first asked for, except the one of the smallest word, which is made at once.
    made: ByWord<Schemes>,
}

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

/// What a compact numbering does where both kings are on the diagonal: one of the `TBI_DIAGONAL_...`.
pub type tbi_diagonal = u32;

/// A position and its mirror image share a slot: every class has exactly one.
pub const TBI_DIAGONAL_EXACT: tbi_diagonal = 0;
/// Both have a slot, and are twins.
pub const TBI_DIAGONAL_BOTH: tbi_diagonal = 1;

/// What ranking writes for a position that has no slot, in words of 32 bits.
pub const TBI_NO_SLOT_U32: u32 = 0xffff_ffff;
/// What ranking writes for a position that has no slot, in words of 64 bits.
pub const TBI_NO_SLOT_U64: u64 = 0xffff_ffff_ffff_ffff;

/// What a numbering is made from, for any word.
#[derive(Clone, Copy, Debug)]
enum Scheme {
    Orbit(Group),
    Triangle(Group),
    Kings(Group),
    Compact(Material, Rules),
}

/// A numbering for a word.
struct Made<W>(Box<dyn DenseBatch<W> + Send + Sync>);

impl<W> std::fmt::Debug for Made<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made")
    }
}

#[derive(Debug)]
struct Schemes;

impl Kind for Schemes {
    type Of<W: BatchWord> = OnceLock<Made<W>>;
}

impl Scheme {
    fn make<W: BatchWord>(self, layout: Layout<u64>) -> Outcome<Made<W>> {
        let numbering = layout.numbering();
        let layout = Layout::try_new(layout.pieces(), numbering)?;
        Ok(Made(match self {
            Scheme::Orbit(group) => Box::new(Orbit::new(layout, group)),
            Scheme::Triangle(group) => Box::new(Triangle::new(layout, group)),
            Scheme::Kings(group) => Box::new(Kings::try_new(layout, group)?),
            Scheme::Compact(material, rules) => {
                Box::new(Compact::of_material(material, numbering, rules)?)
            }
        }))
    }
}

impl From<DenseError> for Failure {
    fn from(error: DenseError) -> Failure {
        match error {
            DenseError::Layout(_) | DenseError::TooManyPieces { .. } => {
                Failure::new(TBI_ERROR_WORD, error)
            }
            _ => Failure::argument(error),
        }
    }
}

impl From<SlotOutOfRange> for Failure {
    fn from(error: SlotOutOfRange) -> Failure {
        Failure::new(TBI_ERROR_SLOT, error)
    }
}

impl tbi_dense {
    fn new(scheme: Scheme, layout: Layout<u64>) -> Outcome<tbi_dense> {
        let is_narrow = Layout::<u32>::try_new(layout.pieces(), layout.numbering()).is_ok();
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

    /// The scheme in a word.
    pub(crate) fn of<W: CWord>(&self) -> Outcome<&dyn DenseBatch<W>> {
        let cell = W::of(&self.made).ok_or_else(|| too_many_pieces(self.layout.pieces()))?;
        let made = match cell.get() {
            Some(made) => made,
            None => {
                // If two threads make it at the same time, one of the two results is kept.
                let made = self.scheme.make(self.layout)?;
                cell.get_or_init(|| made)
            }
        };
        Ok(&*made.0)
    }

    /// Whether the smallest word that holds an index has 32 bits.
    pub(crate) fn is_narrow(&self) -> bool {
        self.made.narrow.is_some()
    }

    /// How many slots there are.
    pub(crate) fn size(&self) -> Outcome<u64> {
        match self.is_narrow() {
            true => Ok(self.of::<u32>()?.size().into()),
            false => Ok(self.of::<u64>()?.size()),
        }
    }

    /// The layout of the indices.
    pub(crate) fn layout(&self) -> Layout<u64> {
        self.layout
    }
}

/// Makes the exact numbering of a layout's indices, all pieces told apart, shared squares included: every
/// class of equivalent positions has one slot. Under D4 these are 2^(6n-3) + 2^(3n-2) slots for n pieces.
///
/// The scheme computes in the alternate numbering; indices of a natural layout are converted first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_orbit_new(
    layout: *const tbi_layout,
    group: tbi_group,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(dense, "dense", || {
                let layout = reference(layout, "layout")?.0.wide;
                tbi_dense::new(Scheme::Orbit(self::group(group)?), layout)
            })
        }
    })
}

/// Makes the classical numbering of a layout's indices by the leading piece, all pieces told apart:
/// 10 * 64^(n-1) slots for n pieces under D4, 32 * 64^(n-1) under the file mirror.
///
/// The scheme computes in the natural numbering; indices of an alternate layout are converted first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_triangle_new(
    layout: *const tbi_layout,
    group: tbi_group,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(dense, "dense", || {
                let layout = reference(layout, "layout")?.0.wide;
                tbi_dense::new(Scheme::Triangle(self::group(group)?), layout)
            })
        }
    })
}

/// Makes the classical numbering of a layout's indices by pairs of kings that don't touch, all pieces told
/// apart: 462 * 64^(n-2) slots for n pieces under D4, 1806 * 64^(n-2) under the file mirror. The kings
/// lead, as they do in every material's index. `TBI_ERROR_ARGUMENT` if there are fewer than two pieces.
///
/// The scheme computes in the natural numbering; indices of an alternate layout are converted first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_kings_new(
    layout: *const tbi_layout,
    group: tbi_group,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(dense, "dense", || {
                let layout = reference(layout, "layout")?.0.wide;
                tbi_dense::new(Scheme::Kings(self::group(group)?), layout)
            })
        }
    })
}

/// Makes the numbering of a material by king pairs and sets of like pieces: the smallest tables.
///
/// The scheme computes in the natural numbering; indices of the alternate one are converted first.
/// `TBI_ERROR_WORD` if the material has more than 10 pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_compact_new(
    material: *const tbi_material,
    numbering: tbi_numbering,
    rules: tbi_rules,
    diagonal: tbi_diagonal,
    dense: *mut *mut tbi_dense,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(dense, "dense", || {
                let material = reference(material, "material")?.0;
                let layout = Layout::of_material(material, self::numbering(numbering)?)?;
                let rules = self::rules(rules, diagonal)?;
                tbi_dense::new(Scheme::Compact(material, rules), layout)
            })
        }
    })
}

fn rules(rules: tbi_rules, diagonal: tbi_diagonal) -> Outcome<Rules> {
    let rules = match rules {
        TBI_RULES_ALL => Rules::ALL,
        TBI_RULES_DISTINCT => Rules::DISTINCT,
        TBI_RULES_KINGS_APART => Rules::KINGS_APART,
        TBI_RULES_KINGS_APART_SHARED => Rules::KINGS_APART_SHARED,
        _ => {
            let message = format!("rules {rules}: expected one of the TBI_RULES_…");
            return Err(Failure::argument(message));
        }
    };
    match diagonal {
        TBI_DIAGONAL_EXACT => Ok(rules.with_diagonal(Diagonal::Exact)),
        TBI_DIAGONAL_BOTH => Ok(rules.with_diagonal(Diagonal::Both)),
        _ => Err(Failure::argument(format!(
            "diagonal {diagonal}: expected one of the TBI_DIAGONAL_…"
        ))),
    }
}

/// Frees a dense numbering; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_free(dense: *mut tbi_dense) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(dense, "dense") }
    });
}

/// How many slots there are; 0 if `dense` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_size(dense: *const tbi_dense) -> u64 {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        unsafe { reference(dense, "dense") }?.size()
    })
}

/// Makes the layout of the indices that are ranked and unranked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_layout(
    dense: *const tbi_dense,
    layout: *mut *mut tbi_layout,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let dense = reference(dense, "dense")?;
            give(layout, "layout", || Ok(handle_of(dense.layout)))
        }
    })
}

impl<W> Source<'_, W> {
    /// What is read.
    fn input(&self) -> &[W] {
        match self {
            Source::InPlace(words) => words,
            Source::Apart(from, _) => from,
        }
    }
}

unsafe fn rank<W: CWord>(
    dense: *const tbi_dense,
    indices: *const W,
    slots: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let dense = unsafe { reference(dense, "dense") }?.of::<W>()?;
    // SAFETY: the caller's promise.
    let source = unsafe { memory::batch(indices, slots, count) }?;
    check_index(&dense.layout(), source.input())?;
    match source {
        Source::InPlace(words) => batch::rank_in_place(dense, words),
        Source::Apart(indices, slots) => batch::rank_into(dense, indices, slots),
    }
    Ok(())
}

/// Writes the slot of every index, `TBI_NO_SLOT_U32` where the numbering has no room for the position.
/// `slots` may be `indices`.
///
/// `TBI_ERROR_INDEX` if an index has bits above its digits; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_rank_u32(
    dense: *const tbi_dense,
    indices: *const u32,
    slots: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { rank(dense, indices, slots, count) })
}

/// As `tbi_dense_rank_u32`, for words of 64 bits, with `TBI_NO_SLOT_U64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_rank_u64(
    dense: *const tbi_dense,
    indices: *const u64,
    slots: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { rank(dense, indices, slots, count) })
}

unsafe fn unrank<W: CWord>(
    dense: *const tbi_dense,
    slots: *const W,
    indices: *mut W,
    count: usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    let dense = unsafe { reference(dense, "dense") }?.of::<W>()?;
    // SAFETY: the caller's promise.
    let source = unsafe { memory::batch(slots, indices, count) }?;
    match source {
        Source::InPlace(words) => batch::try_unrank_in_place(dense, words)?,
        Source::Apart(slots, indices) => batch::try_unrank_into(dense, slots, indices)?,
    }
    Ok(())
}

/// Writes the index of every slot. `indices` may be `slots`.
///
/// `TBI_ERROR_SLOT` if a slot is not below the size; then nothing was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_unrank_u32(
    dense: *const tbi_dense,
    slots: *const u32,
    indices: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { unrank(dense, slots, indices, count) })
}

/// As `tbi_dense_unrank_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_dense_unrank_u64(
    dense: *const tbi_dense,
    slots: *const u64,
    indices: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { unrank(dense, slots, indices, count) })
}
