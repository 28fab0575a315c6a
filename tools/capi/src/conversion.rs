//! What a material turns into by captures and promotions, and the maps of its indices.

use tbindex::batch::BatchWord;
use tbindex::{Color, Conversion, MaterialMap, Piece, PieceType};

use super::layout::{numbering, tbi_numbering};
use super::material::tbi_material;
use super::memory::{self, Source, copy_out, give, reference, slice_mut, take_back, write};
use super::status::{Failure, Outcome, TBI_ERROR_BUFFER, guard, guard_value, tbi_status};
use super::words::{ByWord, CWord, Kind, too_many_pieces};

/// In place of a piece number: no piece.
pub const TBI_NO_PIECE: u8 = 255;

/// A capture or a promotion, by the codes of the pieces that `tbi_material_pieces` has.
///
/// The mover is the side of `promotion`, or without one the side that `captured` is not of.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_conversion {
    /// What is taken, or 0.
    pub captured: u8,
    /// What the pawn becomes, or 0.
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

/// Writes every conversion that a legal move of this material can be, white's moves first, and how many
/// these are to `count`. `out` has room for `capacity`; 64 are always enough.
///
/// `TBI_ERROR_BUFFER` if there is too little room: then `count` says how much it takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_conversions(
    material: *const tbi_material,
    out: *mut tbi_conversion,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let material = reference(material, "material")?.0;
            let all = material.conversions().into_iter();
            let all: Vec<_> = all.map(|(conversion, _)| in_c(conversion)).collect();
            copy_out(&all, out, capacity, count, "conversions")
        }
    })
}

/// Makes the material that a conversion leads to, with the colours as they were.
///
/// `TBI_ERROR_ARGUMENT` if the conversion is not possible in this material.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_after(
    material: *const tbi_material,
    conversion: tbi_conversion,
    after: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(after, "after", || {
                let material = reference(material, "material")?.0;
                let found = material.after(of_c(conversion)?).map(tbi_material);
                found.ok_or_else(|| not_possible(material))
            })
        }
    })
}

fn not_possible(material: tbindex::Material) -> Failure {
    Failure::argument(format!(
        "this conversion is not possible: expected a capture or promotion of {material}"
    ))
}

/// Whether white is at least as strong as black: of a material and its twin with exchanged colours the
/// normal one has the table. False if `material` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_is_normal(material: *const tbi_material) -> bool {
    guard_value(false, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { reference(material, "material") }?.0.is_normal())
    })
}

/// Makes this material or its twin with exchanged colours, whichever is normal: of KNvKR, KRvKN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_normal(
    material: *const tbi_material,
    normal: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(normal, "normal", || {
                Ok(tbi_material(reference(material, "material")?.0.normal()))
            })
        }
    })
}

/// Makes the normal materials on whose tables this one's depends, directly or through others, in an order
/// in which they can be made; and writes how many these are to `count`. `out` has room for `capacity`
/// handles, each of which is yours to free.
///
/// `TBI_ERROR_BUFFER` if there is too little room: then `count` says how much it takes, and no handle is
/// made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_below(
    material: *const tbi_material,
    out: *mut *mut tbi_material,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            write(count, "count", 0)?;
            let below = reference(material, "material")?.0.below();
            write(count, "count", below.len())?;
            if below.len() > capacity {
                return Err(Failure::new(
                    TBI_ERROR_BUFFER,
                    format!(
                        "room for {capacity} materials: expected room for {}",
                        below.len()
                    ),
                ));
            }
            let places = slice_mut(out, below.len(), "out")?;
            for (place, material) in places.iter_mut().zip(below) {
                give(std::ptr::from_mut(place), "out", || {
                    Ok(tbi_material(material))
                })?;
            }
            Ok(())
        }
    })
}

/// Takes the index of a position to the index of the same position after a capture or a promotion, in the
/// normal one of the material that this leads to.
///
/// It takes the captured piece's digits away, makes the pawn what it becomes, gives the pieces the order
/// of their new name, and exchanges the colours, with the board upside down, where the new material would
/// not be normal. The move itself is the caller's, before or after it: an index can hold two pieces on one
/// square.
#[derive(Debug)]
pub struct tbi_material_map(ByWord<Maps>);

#[derive(Debug)]
struct Maps;

impl Kind for Maps {
    type Of<W: BatchWord> = MaterialMap<W>;
}

/// Makes the map of the capture of the piece of number `captured`.
///
/// `TBI_ERROR_ARGUMENT` if that is a king or no piece, `TBI_ERROR_WORD` if the material has more than 10
/// pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_capture(
    material: *const tbi_material,
    captured: u8,
    numbering: tbi_numbering,
    map: *mut *mut tbi_material_map,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(map, "map", || {
                let material = reference(material, "material")?.0;
                let numbering = self::numbering(numbering)?;
                let captured = usize::from(captured);
                let wide = MaterialMap::capture(material, captured, numbering)?;
                Ok(tbi_material_map(ByWord {
                    narrow: MaterialMap::capture(material, captured, numbering)
                        .ok()
                        .flatten(),
                    wide: wide.ok_or_else(|| not_possible(material))?,
                }))
            })
        }
    })
}

/// Makes the map of the promotion of the pawn of number `pawn` to the piece of code `promotion`, either
/// colour's, perhaps with the capture of the piece of number `captured`, else `TBI_NO_PIECE`.
///
/// `TBI_ERROR_ARGUMENT` if there is no such promotion, `TBI_ERROR_WORD` if the material has more than 10
/// pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_promotion(
    material: *const tbi_material,
    pawn: u8,
    promotion: u8,
    captured: u8,
    numbering: tbi_numbering,
    map: *mut *mut tbi_material_map,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(map, "map", || {
                let material = reference(material, "material")?.0;
                let numbering = self::numbering(numbering)?;
                let to: PieceType = piece_of(promotion)?.kind;
                let pawn = usize::from(pawn);
                let captured = match captured {
                    TBI_NO_PIECE => None,
                    number => Some(usize::from(number)),
                };
                let wide = MaterialMap::promotion(material, pawn, to, captured, numbering)?;
                Ok(tbi_material_map(ByWord {
                    narrow: MaterialMap::promotion(material, pawn, to, captured, numbering)
                        .ok()
                        .flatten(),
                    wide: wide.ok_or_else(|| not_possible(material))?,
                }))
            })
        }
    })
}

/// Frees a map; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_free(map: *mut tbi_material_map) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(map, "map") }
    });
}

/// Makes the normal material that a map leads to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_target(
    map: *const tbi_material_map,
    target: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(target, "target", || {
                Ok(tbi_material(reference(map, "map")?.0.wide.target()))
            })
        }
    })
}

/// Whether a map exchanges the colours, and with them the side to move; false if `map` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_swaps_colors(map: *const tbi_material_map) -> bool {
    guard_value(false, || {
        // SAFETY: the caller's promise.
        let map = unsafe { reference(map, "map") }?;
        Ok(map.0.wide.color(Color::White) == Color::Black)
    })
}

/// Does something to every index of a batch.
unsafe fn map_batch<W: CWord>(
    map: *const tbi_material_map,
    from: *const W,
    to: *mut W,
    count: usize,
    change: fn(&MaterialMap<W>, W) -> W,
) -> Outcome {
    // SAFETY: the caller's promise.
    let both = unsafe { &reference(map, "map")?.0 };
    let map = W::of(both).ok_or_else(|| too_many_pieces(both.wide.layout().pieces()))?;
    // SAFETY: the caller's promise.
    match unsafe { memory::batch(from, to, count) }? {
        Source::InPlace(indices) => {
            for index in indices {
                *index = change(map, *index);
            }
        }
        Source::Apart(from, to) => {
            for (place, &index) in to.iter_mut().zip(from) {
                *place = change(map, index);
            }
        }
    }
    Ok(())
}

/// Writes the target's index of the same squares for every index. It need not be canonical. `out` may be
/// `in`.
///
/// Of an index with bits above its digits the result is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_u32(
    map: *const tbi_material_map,
    r#in: *const u32,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { map_batch(map, r#in, out, count, MaterialMap::map) })
}

/// As `tbi_material_map_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_map_u64(
    map: *const tbi_material_map,
    r#in: *const u64,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { map_batch(map, r#in, out, count, MaterialMap::map) })
}

/// Writes, for every index of the target, the index that maps to it, with the captured piece, if one is, on
/// the square of code 0 and the pawn on the square of what it became. `out` may be `in`.
///
/// Of an index with bits above its digits the result is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_unmap_u32(
    map: *const tbi_material_map,
    r#in: *const u32,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { map_batch(map, r#in, out, count, MaterialMap::unmap) })
}

/// As `tbi_material_unmap_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_material_unmap_u64(
    map: *const tbi_material_map,
    r#in: *const u64,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { map_batch(map, r#in, out, count, MaterialMap::unmap) })
}
