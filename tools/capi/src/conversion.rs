//! The materials that captures and promotions lead to, and the maps of indices.

use std::ffi::{c_char, c_void};

use tbindex::{Color, Conversion, Material, MaterialMap, Numbering, Piece, PieceType};

use super::layout::{numbering, tbi_numbering};
use super::material::{material, tbi_material};
use super::memory::{self, copy_out, give, reference, take_back, write, write_if_asked};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::{ByWord, with_word};

/// In place of a piece number: no piece.
pub const TBI_NO_PIECE: u8 = 255;

/// A capture or a promotion, by the codes of the pieces (`tbi_material`).
///
/// The mover is the side of `promotion`, or without one the side that `captured` is not of.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_conversion {
    /// The piece that is taken, or 0.
    pub captured: u8,
    /// The piece that the pawn becomes, or 0.
    pub promotion: u8,
}

fn piece_of(code: u8) -> Outcome<Piece> {
    Piece::from_code(code)
        .ok_or_else(|| Failure::argument(format!("code {code}: expected that of a piece")))
}

/// The conversion of these codes.
pub(crate) fn of_c(conversion: tbi_conversion) -> Outcome<Conversion> {
    let captured = match conversion.captured {
        0 => None,
        code => Some(piece_of(code)?),
    };
    match (captured, conversion.promotion) {
        (None, 0) => Err(Failure::argument(
            "neither a capture nor a promotion: expected at least one of them",
        )),
        (Some(captured), 0) => Ok(Conversion::Capture { captured }),
        (captured, code) => {
            let Piece { color, kind, .. } = piece_of(code)?;
            if captured.is_some_and(|captured| captured.color == color) {
                return Err(Failure::argument(
                    "a promotion that takes a piece of its own side",
                ));
            }
            Ok(Conversion::Promotion {
                by: color,
                to: kind,
                captured: captured.map(|captured| captured.kind),
            })
        }
    }
}

fn in_c(conversion: Conversion) -> tbi_conversion {
    tbi_conversion {
        captured: conversion.captured().map_or(0, Piece::code),
        promotion: match conversion {
            Conversion::Capture { .. } => 0,
            Conversion::Promotion { by, to, .. } => Piece::new(by, to).code(),
        },
    }
}

/// Lists every conversion that a legal move of this material can be, at most 64, white's moves first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_conversions(
    material: *const c_char,
    out: *mut tbi_conversion,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let all = self::material(material)?.conversions().into_iter();
        let all: Vec<_> = all.map(|(conversion, _)| in_c(conversion)).collect();
        copy_out(&all, out, capacity, count, "conversions")
    })
}

/// Writes the material that a conversion leads to, with the colours as they were; `TBI_ERROR_ARGUMENT` if the
/// conversion is not possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_after(
    material: *const c_char,
    conversion: tbi_conversion,
    out: *mut tbi_material,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let material = self::material(material)?;
        let after = material.after(of_c(conversion)?);
        let after = after.ok_or_else(|| not_possible(material))?;
        write(out, "out", after.into())
    })
}

fn not_possible(material: Material) -> Failure {
    Failure::argument(format!(
        "this conversion is not possible: expected a capture or promotion of {material}"
    ))
}

/// Lists the normal materials on whose tables this one's depends, directly or through others, in an order in
/// which they can be made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_below(
    material: *const c_char,
    out: *mut tbi_material,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let below = self::material(material)?.below();
        let below: Vec<_> = below.into_iter().map(tbi_material::from).collect();
        copy_out(&below, out, capacity, count, "materials")
    })
}

/// Maps the index of a position to the index of the same position after a capture or a promotion, in the
/// normal one of the material that this leads to.
///
/// The map takes the captured piece's digits away, changes the pawn into the new piece, gives the pieces the
/// order of their new name, and exchanges the colours, with the board upside down, where the new material would
/// not be normal. It moves no piece: the caller does, before or after, as two pieces may share a square.
#[derive(Debug)]
pub struct tbi_material_map(ByWord<MaterialMap<u32>, MaterialMap<u64>>);

fn map_of(
    material: Material,
    numbering: Numbering,
    captured: Option<usize>,
    promoted: Option<(usize, PieceType)>,
) -> Outcome<tbi_material_map> {
    let wide = MaterialMap::try_new(material, numbering, captured, promoted)?;
    let narrow = MaterialMap::try_new(material, numbering, captured, promoted);
    Ok(tbi_material_map(ByWord {
        narrow: narrow.ok().flatten(),
        wide: wide.ok_or_else(|| not_possible(material))?,
    }))
}

/// Makes the map of the capture of the piece of number `captured`; `TBI_ERROR_ARGUMENT` if that is a king.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_capture(
    material: *const c_char,
    captured: u8,
    numbering: tbi_numbering,
    map: *mut *mut tbi_material_map,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(map, "map", || {
            let material = self::material(material)?;
            map_of(
                material,
                self::numbering(numbering)?,
                Some(captured.into()),
                None,
            )
        })
    })
}

/// Makes the map of the promotion of the pawn of number `pawn` to the piece of code `promotion`, either
/// colour's, and the capture of the piece of number `captured`, unless that is `TBI_NO_PIECE`;
/// `TBI_ERROR_ARGUMENT` if the promotion is not possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_promotion(
    material: *const c_char,
    pawn: u8,
    promotion: u8,
    captured: u8,
    numbering: tbi_numbering,
    map: *mut *mut tbi_material_map,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(map, "map", || {
            let material = self::material(material)?;
            let numbering = self::numbering(numbering)?;
            let promoted = (pawn.into(), piece_of(promotion)?.kind);
            let captured = (captured != TBI_NO_PIECE).then_some(captured.into());
            map_of(material, numbering, captured, Some(promoted))
        })
    })
}

/// Frees a map; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_free(map: *mut tbi_material_map) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(map, "map") });
}

/// Writes the normal material that a map leads to, and whether the map exchanges the colours, and with them
/// the side to move. Either pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_target(
    map: *const tbi_material_map,
    target: *mut tbi_material,
    swaps_colors: *mut bool,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let map = &reference(map, "map")?.0.wide;
        write_if_asked(target, "target", map.target().into())?;
        write_if_asked(
            swaps_colors,
            "swaps_colors",
            map.color(Color::White) == Color::Black,
        )
    })
}

/// Writes the target's index of the same squares for every index. It need not be canonical.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_map(
    map: *const tbi_material_map,
    r#in: *const c_void,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let map = reference(map, "map")?;
        with_word!(word_bytes, map in map.0 => {
            memory::batch(r#in, out, count)?.map(|index| map.map(index));
            Ok(())
        })
    })
}

/// Writes for every index of the target the index that maps to it, with the captured piece on the square of
/// code 0 and the pawn on the square of the piece that it became.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_unmap(
    map: *const tbi_material_map,
    r#in: *const c_void,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let map = reference(map, "map")?;
        with_word!(word_bytes, map in map.0 => {
            memory::batch(r#in, out, count)?.map(|index| map.unmap(index));
            Ok(())
        })
    })
}
