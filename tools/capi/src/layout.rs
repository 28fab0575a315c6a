//! Layouts, which say where the digits of an index are.

use tbindex::batch::BatchWord;
use tbindex::{Layout, LayoutError, Numbering, Symmetry, Word};

use super::material::tbi_material;
use super::memory::{give, reference, take_back};
use super::status::{Failure, Outcome, TBI_ERROR_WORD, guard, guard_value, tbi_status};
use super::words::{ByWord, CWord, Kind, too_many_pieces};

/// The layout of an index: how many pieces, 1 to 10, under which numbering of the squares.
///
/// The six-bit code of every piece's square is a high and a low octal digit; the index has the high
/// digits of all pieces, the leading piece's first, and then the low digits. 5 pieces fit 32 bits, 10 fit
/// 64.
#[derive(Debug)]
pub struct tbi_layout(pub(crate) ByWord<Layouts>);

#[derive(Debug)]
pub(crate) struct Layouts;

impl Kind for Layouts {
    type Of<W: BatchWord> = Layout<W>;
}

impl tbi_layout {
    /// The layout in a word.
    pub(crate) fn of<W: CWord>(&self) -> Outcome<&Layout<W>> {
        W::of(&self.0).ok_or_else(|| too_many_pieces(self.0.wide.pieces()))
    }
}

/// A numbering of the squares: one of the `TBI_NUMBERING_...`.
pub type tbi_numbering = u32;

/// High digit the rank, low digit the file.
pub const TBI_NUMBERING_NATURAL: tbi_numbering = 0;
/// The numbering under which no symmetry changes a high digit.
pub const TBI_NUMBERING_ALTERNATE: tbi_numbering = 1;

/// A symmetry of the board: one of the `TBI_SYMMETRY_...`. Bit 0 mirrors the files, bit 1 the ranks, bit 2
/// exchanges file and rank before that.
pub type tbi_symmetry = u32;

/// Nothing moves.
pub const TBI_SYMMETRY_IDENTITY: tbi_symmetry = 0;
/// a <-> h: files are mirrored, the flip around the vertical axis.
pub const TBI_SYMMETRY_FLIP_HORIZONTAL: tbi_symmetry = 1;
/// 1 <-> 8: ranks are mirrored, the flip around the horizontal axis.
pub const TBI_SYMMETRY_FLIP_VERTICAL: tbi_symmetry = 2;
/// a1 -> h8.
pub const TBI_SYMMETRY_ROTATE_180: tbi_symmetry = 3;
/// Mirrored along a1-h8.
pub const TBI_SYMMETRY_FLIP_DIAGONAL: tbi_symmetry = 4;
/// Counter-clockwise, a1 -> h1.
pub const TBI_SYMMETRY_ROTATE_270: tbi_symmetry = 5;
/// Clockwise, a1 -> a8.
pub const TBI_SYMMETRY_ROTATE_90: tbi_symmetry = 6;
/// Mirrored along a8-h1.
pub const TBI_SYMMETRY_FLIP_ANTI_DIAGONAL: tbi_symmetry = 7;

/// Makes the layout of `pieces` pieces, 1 to 10.
///
/// `TBI_ERROR_WORD` if there are none, or more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_new(
    pieces: usize,
    numbering: tbi_numbering,
    layout: *mut *mut tbi_layout,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe { give(layout, "layout", || by_word(pieces, numbering)) }
    })
}

/// Makes the layout of a material's indices.
///
/// `TBI_ERROR_WORD` if it has more than 10 pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_of_material(
    material: *const tbi_material,
    numbering: tbi_numbering,
    layout: *mut *mut tbi_layout,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(layout, "layout", || {
                by_word(reference(material, "material")?.0.piece_count(), numbering)
            })
        }
    })
}

/// Frees a layout; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_free(layout: *mut tbi_layout) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(layout, "layout") }
    });
}

/// How many pieces an index holds; 0 if `layout` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_pieces(layout: *const tbi_layout) -> usize {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let layout = unsafe { reference(layout, "layout") }?;
        Ok(layout.0.wide.pieces())
    })
}

/// The numbering of the squares; `TBI_NUMBERING_NATURAL` if `layout` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_numbering(layout: *const tbi_layout) -> tbi_numbering {
    guard_value(TBI_NUMBERING_NATURAL, || {
        // SAFETY: the caller's promise.
        let layout = unsafe { reference(layout, "layout") }?;
        Ok(number_of(layout.0.wide.numbering()))
    })
}

/// The width of the smallest word that holds an index, 32 or 64; 0 if `layout` is NULL. It is the width
/// of the words of index files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_layout_word_bits(layout: *const tbi_layout) -> u32 {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let layout = unsafe { reference(layout, "layout") }?;
        Ok(if layout.0.narrow.is_some() { 32 } else { 64 })
    })
}

fn by_word(pieces: usize, number: tbi_numbering) -> Outcome<tbi_layout> {
    let numbering = numbering(number)?;
    Ok(tbi_layout(ByWord {
        narrow: Layout::try_new(pieces, numbering).ok(),
        wide: Layout::try_new(pieces, numbering)?,
    }))
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        match error.pieces {
            0 => Failure::argument(error),
            _ => Failure::new(TBI_ERROR_WORD, error),
        }
    }
}

/// The handle of a layout.
pub(crate) fn handle_of(layout: Layout<u64>) -> tbi_layout {
    tbi_layout(ByWord {
        narrow: Layout::try_new(layout.pieces(), layout.numbering()).ok(),
        wide: layout,
    })
}

/// The numbering of a number.
pub(crate) fn numbering(number: tbi_numbering) -> Outcome<Numbering> {
    match number {
        TBI_NUMBERING_NATURAL => Ok(Numbering::Natural),
        TBI_NUMBERING_ALTERNATE => Ok(Numbering::Alternate),
        _ => Err(Failure::argument(format!(
            "numbering {number}: expected one of the TBI_NUMBERING_…"
        ))),
    }
}

/// The number of a numbering.
pub(crate) fn number_of(numbering: Numbering) -> tbi_numbering {
    match numbering {
        Numbering::Natural => TBI_NUMBERING_NATURAL,
        Numbering::Alternate => TBI_NUMBERING_ALTERNATE,
    }
}

/// The symmetry of a number.
pub(crate) fn symmetry(number: tbi_symmetry) -> Outcome<Symmetry> {
    match number {
        0..8 => Ok(Symmetry::from_code(number as u8)),
        _ => Err(Failure::argument(format!(
            "symmetry {number}: expected one of the TBI_SYMMETRY_…"
        ))),
    }
}

/// Checks that the word of an index has no bits above the digits; `position` is the index's place.
pub(crate) fn check_index<W: Word + Into<u128>>(layout: &Layout<W>, indices: &[W]) -> Outcome {
    let all = indices.iter().fold(W::ZERO, |all, &index| all | index);
    if layout.is_valid(all) {
        return Ok(());
    }
    let (position, index) = indices
        .iter()
        .enumerate()
        .find(|&(_, &index)| !layout.is_valid(index))
        .unwrap_or((0, &all));
    Err(Failure::new(
        super::status::TBI_ERROR_INDEX,
        format!(
            "index {index:#o} at position {position} is out of range: {} pieces have indices below {:#o}",
            layout.pieces(),
            layout.index_count()
        ),
    ))
}
