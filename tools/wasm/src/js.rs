//! The functions of the package.

use js_sys::Function;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

use crate::index::{self, Index};
use crate::pieces::{self, Mates, Named, PieceFacts, Reach};
use crate::solve::{self, Counts, LegalMoves, Report, Solution, Work};

fn thrown<T>(result: Result<T, String>) -> Result<T, JsError> {
    result.map_err(|message| JsError::new(&message))
}

fn object<T: Tsify + Serialize>(result: Result<T, String>) -> Result<Ts<T>, JsError> {
    Ok(thrown(result)?.into_ts()?)
}

/// A report that calls a function of JavaScript. An exception of that function is dropped.
fn report(function: Option<Function>) -> Option<Report> {
    let function = function?;
    Some(Box::new(move |work: Work| {
        if let Ok(work) = work.into_js() {
            let _ = function.call1(&JsValue::NULL, &work.into());
        }
    }))
}

/// The index of the position of a FEN under a numbering, `natural` or `alternate`.
///
/// # Errors
/// If it is no FEN of up to 21 pieces, with one king a side, or no numbering.
#[wasm_bindgen]
pub fn index(fen: &str, numbering: &str) -> Result<Ts<Index>, JsError> {
    object(index::index(fen, numbering))
}

/// The octal codes of the squares a1, b1 … h8 under a numbering.
///
/// # Errors
/// If there is no such numbering.
#[wasm_bindgen]
pub fn codes(numbering: &str) -> Result<Vec<u8>, JsError> {
    thrown(index::codes(numbering))
}

/// The canonical index of an octal index of a material.
///
/// # Errors
/// If the material, the numbering or the index is none.
#[wasm_bindgen]
pub fn canonical(material: &str, numbering: &str, index: &str) -> Result<String, JsError> {
    thrown(index::canonical(material, numbering, index))
}

/// The image of an octal index of a material under a symmetry, such as `flip_diagonal`.
///
/// # Errors
/// If the material, the numbering, the index or the symmetry is none.
#[wasm_bindgen]
pub fn flip(
    material: &str,
    numbering: &str,
    index: &str,
    symmetry: &str,
) -> Result<String, JsError> {
    thrown(index::flip(material, numbering, index, symmetry))
}

/// The placement of an octal index of a material, as the first field of a FEN.
///
/// # Errors
/// If the material, the numbering or the index is none, or two pieces share a square.
#[wasm_bindgen(js_name = placementOf)]
pub fn placement_of(material: &str, numbering: &str, index: &str) -> Result<String, JsError> {
    thrown(index::placement_of(material, numbering, index))
}

/// The pieces that have names, each of which stands for its notation.
///
/// # Errors
/// Never.
#[wasm_bindgen(js_name = namedPieces)]
pub fn named_pieces() -> Result<Ts<Named>, JsError> {
    object(Ok(pieces::named()))
}

/// The facts about a piece, which is written as a number, as squares (`01,02,10,15`), in Betza's notation (`WfF`) or as a name.
///
/// # Errors
/// If it is none of these.
#[wasm_bindgen]
pub fn piece(text: &str) -> Result<Ts<PieceFacts>, JsError> {
    object(pieces::piece(text))
}

/// The squares that a piece reaches from a square of a board of up to 256 squares, at most 64 in a row.
///
/// # Errors
/// If the piece is none, or the board or the square is not there.
#[wasm_bindgen]
pub fn reach(text: &str, width: u8, height: u8, from: u8) -> Result<Ts<Reach>, JsError> {
    object(pieces::reach(text, width, height, from))
}

/// The mates of king and piece against the bare king, on a board of up to 64 squares.
///
/// # Errors
/// If the piece is none, or the board is larger.
#[wasm_bindgen]
pub fn mates(text: &str, width: u8, height: u8) -> Result<Ts<Mates>, JsError> {
    object(pieces::mates(text, width, height))
}

/// The plies to mate with Black to move for each square of the black king; −1 where it is not mated, and −2 where it can't
/// stand.
///
/// # Errors
/// As of `mates`, or if the squares are not on the board.
#[wasm_bindgen(js_name = mateMap)]
pub fn mate_map(
    text: &str,
    width: u8,
    height: u8,
    white_king: u8,
    piece: u8,
) -> Result<Vec<i16>, JsError> {
    thrown(pieces::mate_map(text, width, height, white_king, piece))
}

/// The values of a position of up to 8 pieces and of its moves, by tables that are solved for it if they are not there yet.
/// Meanwhile the report is called on each ply.
///
/// # Errors
/// If it is no FEN of a legal position, or needs more than 2 GiB of memory.
#[wasm_bindgen]
pub fn solve(
    fen: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "(work: Work) => void")] progress: Option<
        Function,
    >,
) -> Result<Ts<Solution>, JsError> {
    object(solve::solve(fen, report(progress)))
}

/// The legal moves of a position of up to 8 pieces.
///
/// # Errors
/// If it is no FEN of a legal position.
#[wasm_bindgen]
pub fn moves(fen: &str) -> Result<Ts<LegalMoves>, JsError> {
    object(solve::moves(fen))
}

/// Takes a Syzygy file, `KQvK.rtbw` or `KQvK.rtbz`, by its name and its bytes, and returns its material.
///
/// # Errors
/// If it is damaged.
#[wasm_bindgen(js_name = addSyzygy)]
pub fn add_syzygy(name: &str, bytes: Vec<u8>) -> Result<String, JsError> {
    thrown(solve::add_syzygy(name, bytes))
}

/// As `solve`, by the Syzygy files that were added. They have no distance to mate.
///
/// # Errors
/// If it is no FEN of a legal position, or a file is missing.
#[wasm_bindgen(js_name = solveBySyzygy)]
pub fn solve_by_syzygy(fen: &str) -> Result<Ts<Solution>, JsError> {
    object(solve::solve_by_syzygy(fen))
}

/// The counts of the whole table of a material, such as `KPvKP`, by a metric, `dtz` or `dtm`. It is solved if it was not yet,
/// after all that it needs, and kept if it has at most 4 pieces. Meanwhile the report is called on each ply.
///
/// # Errors
/// If there is no such material or metric, or it needs more than 2 GiB of memory.
#[wasm_bindgen]
pub fn counts(
    material: &str,
    metric: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "(work: Work) => void")] progress: Option<
        Function,
    >,
) -> Result<Ts<Counts>, JsError> {
    object(solve::counts(material, metric, report(progress)))
}

/// A number that stands for the values of every `stride`th placement of a table's pieces, with both sides to move.
///
/// # Errors
/// As `counts`.
#[wasm_bindgen]
pub fn checksum(material: &str, metric: &str, stride: u32) -> Result<u32, JsError> {
    thrown(solve::checksum(material, metric, stride))
}
