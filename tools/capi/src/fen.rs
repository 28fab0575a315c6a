//! Positions from FEN and back.

use std::ffi::c_char;

use tbindex::{Fen, PlacementCodec, PlacementError, Square};

use super::file::tbi_side;
use super::layout::{numbering, tbi_numbering};
use super::material::{material, tbi_material};
use super::memory::{put_text, text, write, write_if_asked};
use super::moves::{TBI_NO_SQUARE, side_to_move};
use super::status::{
    Failure, TBI_ERROR_ARGUMENT, TBI_ERROR_INDEX, TBI_ERROR_NAME, guard, tbi_status,
};

impl From<PlacementError> for Failure {
    fn from(error: PlacementError) -> Failure {
        let status = match error {
            PlacementError::OutOfRange { .. } => TBI_ERROR_INDEX,
            _ => TBI_ERROR_ARGUMENT,
        };
        Failure::new(status, error)
    }
}

/// Reads the first four fields of a FEN or EPD: writes its material, its index, in which like pieces are in
/// canonical order, its side to move, and its en-passant square or `TBI_NO_SQUARE`. All but `index` may be NULL.
///
/// `TBI_ERROR_ARGUMENT` if the FEN has castling rights, which an index cannot hold, an en-passant square though
/// `en_passant` is NULL, or pieces that are no material.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_encode_fen(
    fen: *const c_char,
    numbering: tbi_numbering,
    material: *mut tbi_material,
    index: *mut u64,
    side: *mut tbi_side,
    en_passant: *mut u8,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let fen: Fen = text(fen, "fen")?
            .parse()
            .map_err(|error| Failure::new(TBI_ERROR_NAME, error))?;
        if !fen.castling.is_empty() || (fen.en_passant.is_some() && en_passant.is_null()) {
            let right = match fen.castling.is_empty() {
                true => "an en-passant square",
                false => "castling rights",
            };
            return Err(Failure::argument(format!(
                "the position has {right}: expected none, as an index cannot hold any"
            )));
        }
        let found = fen.position.material().map_err(Failure::argument)?;
        let codec = PlacementCodec::<u64>::try_new(found, self::numbering(numbering)?)?;
        write(index, "index", codec.encode(&fen.position)?)?;
        let passed = fen.en_passant.map_or(TBI_NO_SQUARE, Square::number);
        write_if_asked(en_passant, "en_passant", passed)?;
        write_if_asked(side, "side", fen.position.side as u32)?;
        write_if_asked(material, "material", found.into())
    })
}

/// Writes the FEN of an index, and a zero byte, into a buffer of `size` bytes, else `TBI_ERROR_BUFFER`; and
/// the bytes that this takes to `needed`, if that is not NULL. 128 bytes are always enough.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits, `TBI_ERROR_ARGUMENT` if two pieces share a square.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_decode_fen(
    material: *const c_char,
    numbering: tbi_numbering,
    index: u64,
    side: tbi_side,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let material = self::material(material)?;
        let codec = PlacementCodec::<u64>::try_new(material, self::numbering(numbering)?)?;
        let position = codec.decode(index, side_to_move(side)?)?;
        put_text(&position.to_string(), buffer, size, needed)
    })
}
