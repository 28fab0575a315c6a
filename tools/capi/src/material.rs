//! Materials and squares.

use std::ffi::c_char;

use tbindex::{Material, Piece, Square};

use super::memory::{give, put_text, reference, slice_mut, take_back, text, write};
use super::status::{
    Failure, Outcome, TBI_ERROR_BUFFER, TBI_ERROR_NAME, TBI_ERROR_SQUARE, guard, guard_value,
    tbi_status,
};

/// Which pieces are on the board, such as KQvKR.
///
/// The pieces of an index are numbered from 0; the last, the leading piece, is the white king, the one
/// before it the black king, the others follow downwards in the order of the name.
#[derive(Debug)]
pub struct tbi_material(pub(crate) Material);

/// Which symmetries keep a position's value: one of the `TBI_GROUP_...`.
pub type tbi_group = u32;

/// Only the identity.
pub const TBI_GROUP_TRIVIAL: tbi_group = 0;
/// The identity and the file mirror: positions with pawns.
pub const TBI_GROUP_FILE_MIRROR: tbi_group = 1;
/// All eight symmetries: positions without pawns.
pub const TBI_GROUP_D4: tbi_group = 2;

/// Makes the material of a name: white's pieces, `v`, black's, each side `K` first and then `Q R B N P`,
/// at most 21 in all.
///
/// `TBI_ERROR_NAME` if the name is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_parse(
    name: *const c_char,
    material: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(material, "material", || {
                let material = text(name, "name")?.parse();
                material
                    .map(tbi_material)
                    .map_err(|error| Failure::new(TBI_ERROR_NAME, error))
            })
        }
    })
}

/// Makes the material with exchanged colours: of KQvKR, KRvKQ.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_swap_colors(
    material: *const tbi_material,
    swapped: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let material = reference(material, "material")?;
            give(swapped, "swapped", || {
                Ok(tbi_material(material.0.swap_colors()))
            })
        }
    })
}

/// Frees a material; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_free(material: *mut tbi_material) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(material, "material") }
    });
}

/// How many pieces there are, kings included; 0 if `material` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_piece_count(material: *const tbi_material) -> usize {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let material = unsafe { reference(material, "material") }?;
        Ok(material.0.piece_count())
    })
}

/// The symmetries that keep the value of the material's positions: `TBI_GROUP_D4` without pawns,
/// `TBI_GROUP_FILE_MIRROR` with; `TBI_GROUP_TRIVIAL` if `material` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_group(material: *const tbi_material) -> tbi_group {
    guard_value(TBI_GROUP_TRIVIAL, || {
        // SAFETY: the caller's promise.
        let material = unsafe { reference(material, "material") }?;
        Ok(material.0.group() as u32)
    })
}

/// Writes the name, and a zero byte, into a buffer of `size` bytes; and the bytes that this takes to
/// `needed`, if that is not NULL. With `size` 0 and `buffer` NULL only the latter.
///
/// `TBI_ERROR_BUFFER` if the buffer is too small.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_name(
    material: *const tbi_material,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let material = reference(material, "material")?;
            put_text(&material.0.to_string(), buffer, size, needed)
        }
    })
}

/// Writes the letters of the pieces by their numbers in an index, piece 0 first: of KQvKR `rQkK`,
/// white's in capitals. As `tbi_material_name` otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_index_order(
    material: *const tbi_material,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let material = reference(material, "material")?;
            let letters: String = material.0.index_order().map(Piece::letter).collect();
            put_text(&letters, buffer, size, needed)
        }
    })
}

/// Writes, for every piece number of an index, the piece's code (white pawn 1, knight 3, bishop 4, rook
/// 5, queen 6, king 7; black pawn 10, knight 11 to king 15) to `codes` and its place in the name to
/// `places`; either may be NULL. Both have room for `count` pieces.
///
/// `TBI_ERROR_BUFFER` if `count` is less than the number of pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_pieces(
    material: *const tbi_material,
    codes: *mut u8,
    places: *mut u8,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let material = reference(material, "material")?.0;
            let pieces = material.piece_count();
            if count < pieces {
                return Err(Failure::new(
                    TBI_ERROR_BUFFER,
                    format!("room for {count} pieces: {material} has {pieces}"),
                ));
            }
            if !codes.is_null() {
                let codes = slice_mut(codes, pieces, "codes")?;
                for (code, piece) in codes.iter_mut().zip(material.index_order()) {
                    *code = piece.code();
                }
            }
            if !places.is_null() {
                let places = slice_mut(places, pieces, "places")?;
                for (place, of_index) in places.iter_mut().zip(material.name_of_index()) {
                    *place = of_index as u8;
                }
            }
            Ok(())
        }
    })
}

/// Writes the number of a square, a1 = 0, b1 = 1, ... h8 = 63, from its name, such as `e4`.
///
/// `TBI_ERROR_NAME` if the name is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_square_parse(name: *const c_char, square: *mut u8) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let parsed = text(name, "name")?.parse::<Square>();
            let parsed = parsed.map_err(|error| Failure::new(TBI_ERROR_NAME, error))?;
            write(square, "square", parsed.number())
        }
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
    let group = tbindex::Group::ALL
        .into_iter()
        .find(|&group| group as u32 == number);
    group.ok_or_else(|| {
        Failure::argument(format!("group {number}: expected one of the TBI_GROUP_…"))
    })
}
