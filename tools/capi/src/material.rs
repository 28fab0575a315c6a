//! Materials and squares.

use std::ffi::c_char;

use tbindex::{Material, Piece, Square};

use super::memory::{text, write};
use super::status::{
    Failure, Outcome, TBI_ERROR_NAME, TBI_ERROR_SQUARE, guard, guard_value, tbi_status,
};

/// Which pieces are on the board, such as KQvKR. Functions that take a material take its name: white's
/// pieces, `v`, black's, each side `K` first and then `Q R B N P`, at most 21 in all. They answer
/// `TBI_ERROR_NAME` if the name is none.
///
/// The pieces of an index are numbered from 0; the last, the leading piece, is the white king, the one
/// before it the black king, the others follow downwards in the order of the name.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tbi_material {
    /// The name, with a zero byte at its end.
    pub name: [c_char; 24],
    /// The letters of the pieces by their numbers in an index, piece 0 first: of KQvKR `rQkK`, white's in
    /// capitals; with a zero byte at its end.
    pub index_order: [c_char; 24],
    /// The codes of the pieces by their numbers in an index: white pawn 1, knight 3, bishop 4, rook 5, queen
    /// 6, king 7; black pawn 10, knight 11 to king 15.
    pub codes: [u8; 24],
    /// The places in the name of the pieces by their numbers in an index.
    pub places: [u8; 24],
    /// How many pieces there are, kings included.
    pub piece_count: u32,
    /// The symmetries that keep the value of the positions: `TBI_GROUP_D4` without pawns,
    /// `TBI_GROUP_FILE_MIRROR` with.
    pub group: tbi_group,
    /// Whether white is at least as strong as black: of a material and its twin with exchanged colours the
    /// normal one has the table.
    pub is_normal: bool,
}

/// Which symmetries keep a position's value: one of the `TBI_GROUP_...`.
pub type tbi_group = u32;

/// Only the identity.
pub const TBI_GROUP_TRIVIAL: tbi_group = 0;
/// The identity and the file mirror: positions with pawns.
pub const TBI_GROUP_FILE_MIRROR: tbi_group = 1;
/// All eight symmetries: positions without pawns.
pub const TBI_GROUP_D4: tbi_group = 2;

/// Values in an array that has room for more.
fn padded<T: Copy + Default>(values: impl Iterator<Item = T>) -> [T; 24] {
    let mut all = [T::default(); 24];
    for (place, value) in all.iter_mut().zip(values) {
        *place = value;
    }
    all
}

impl From<Material> for tbi_material {
    fn from(material: Material) -> tbi_material {
        let letters = |letters: String| padded(letters.bytes().map(|letter| letter as c_char));
        tbi_material {
            name: letters(material.to_string()),
            index_order: letters(material.index_order().map(char::from).collect()),
            codes: padded(material.index_order().map(Piece::code)),
            places: padded(material.name_of_index().iter().map(|&place| place as u8)),
            piece_count: material.piece_count() as u32,
            group: material.group() as u32,
            is_normal: material.normal() == material,
        }
    }
}

/// The material of a name.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn material(name: *const c_char) -> Outcome<Material> {
    // SAFETY: the caller's promise.
    let parsed = unsafe { text(name, "material") }?.parse();
    parsed.map_err(|error| Failure::new(TBI_ERROR_NAME, error))
}

/// Writes the properties of the material of a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_parse(
    material: *const c_char,
    out: *mut tbi_material,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { write(out, "out", self::material(material)?.into()) })
}

/// Writes the material with exchanged colours: of KQvKR, KRvKQ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_swap_colors(
    material: *const c_char,
    out: *mut tbi_material,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { write(out, "out", self::material(material)?.swap_colors().into()) })
}

/// Writes the number of a square from its name, such as `e4`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_square_parse(name: *const c_char, square: *mut u8) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let parsed = text(name, "name")?.parse::<Square>();
        let parsed = parsed.map_err(|error| Failure::new(TBI_ERROR_NAME, error))?;
        write(square, "square", parsed.number())
    })
}

/// The name of a square, `a1` to `h8`; never freed. Empty, with `TBI_ERROR_SQUARE`'s message, if the
/// number is above 63.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_square_name(square: u8) -> *const c_char {
    guard_value(c"".as_ptr(), || {
        let square = Square::try_from(square)
            .map_err(|error| Failure::new(TBI_ERROR_SQUARE, error))?
            .number();
        let name = SQUARE_NAMES.as_bytes().get(3 * usize::from(square)..);
        Ok(name.unwrap_or(b"\0").as_ptr().cast())
    })
}

/// All names, each with its zero byte.
const SQUARE_NAMES: &str = concat!(
    "a1\0b1\0c1\0d1\0e1\0f1\0g1\0h1\0",
    "a2\0b2\0c2\0d2\0e2\0f2\0g2\0h2\0",
    "a3\0b3\0c3\0d3\0e3\0f3\0g3\0h3\0",
    "a4\0b4\0c4\0d4\0e4\0f4\0g4\0h4\0",
    "a5\0b5\0c5\0d5\0e5\0f5\0g5\0h5\0",
    "a6\0b6\0c6\0d6\0e6\0f6\0g6\0h6\0",
    "a7\0b7\0c7\0d7\0e7\0f7\0g7\0h7\0",
    "a8\0b8\0c8\0d8\0e8\0f8\0g8\0h8\0",
);

/// The group of a number.
pub(crate) fn group(number: tbi_group) -> Outcome<tbindex::Group> {
    Failure::chosen("group", number, tbindex::Group::ALL, "TBI_GROUP_…")
}
