//! One position's index under a numbering, and everything that follows from it.

use serde::Serialize;
use tbindex::{
    Compact, Dense, Diagonal, Fen, Kings, Numbering, Orbit, PlacementCodec, Position, Rules,
    Square, Symmetry, Triangle,
};
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// A piece's digits.
#[derive(Serialize, Tsify)]
pub struct PieceDigits {
    /// The FEN letter.
    letter: char,
    square: String,
    /// The piece's number, which is the place of its digits from the right.
    number: usize,
    high: u8,
    low: u8,
}

/// The image of an index under a symmetry.
#[derive(Serialize, Tsify)]
pub struct Image {
    symmetry: String,
    /// In octal, without a prefix.
    index: String,
    /// The bits that differ, in octal.
    changed: String,
    /// Whether the symmetry exchanges files and ranks, and with them the halves of natural indices.
    exchanges: bool,
    /// The placement as the first field of a FEN.
    placement: String,
    /// Whether it leaves the index as it is.
    stabilises: bool,
    /// Whether it belongs to the group under which positions of this material are the same.
    in_group: bool,
}

/// The slot of the position in a scheme.
#[derive(Serialize, Tsify)]
pub struct Slot {
    scheme: String,
    /// The positions that have a slot.
    room: String,
    /// The number of slots, in decimal.
    size: String,
    /// In decimal; none if the scheme has no room for the position, or is not for so many pieces.
    slot: Option<String>,
}

/// A position's index.
#[derive(Serialize, Tsify)]
pub struct Index {
    material: String,
    numbering: String,
    /// In octal: the high digits of all pieces and then the low ones, the piece with the greatest number first.
    index: String,
    /// The piece with the greatest number first.
    pieces: Vec<PieceDigits>,
    images: Vec<Image>,
    canonical: String,
    /// The symmetry that leads to the canonical index.
    symmetry: String,
    orbit_size: u32,
    /// The number of positions that are the same, with like pieces in any order, in decimal.
    class_size: String,
    /// The numbers of like pieces, a list for each kind of which there are several.
    like: Vec<Vec<usize>>,
    slots: Vec<Slot>,
}

fn octal(index: u128, pieces: usize) -> String {
    format!("{index:0width$o}", width = 2 * pieces)
}

/// The index of the position of a FEN under a numbering, `natural` or `alternate`.
///
/// # Errors
/// If it is no FEN of up to 21 pieces, with one king a side, or no numbering.
#[wasm_bindgen]
pub fn index(fen: &str, numbering: &str) -> Result<Ts<Index>, JsError> {
    let numbering: Numbering = numbering.parse()?;
    let fen: Fen = fen.parse()?;
    let material = fen.position.material()?;
    let codec = PlacementCodec::<u128>::try_new(material, numbering)?;
    let (same, layout) = (codec.equivalence(), codec.equivalence().layout());
    let count = material.piece_count();
    let index = codec.encode(&fen.position)?;
    let letter = |square: Square| fen.position.board[square.index()].map_or('?', char::from);
    let pieces = (0..count).rev().map(|number| {
        let square = layout.square(index, number);
        let code = numbering.code(square);
        PieceDigits {
            letter: letter(square),
            square: square.to_string(),
            number,
            high: code >> 3,
            low: code & 7,
        }
    });
    let group = material.group();
    let images = Symmetry::ALL.map(|symmetry| {
        let image = layout.flip(symmetry, index);
        Image {
            symmetry: symmetry.to_string(),
            index: octal(image, count),
            changed: octal(index ^ image, count),
            exchanges: symmetry as u8 & 4 != 0,
            placement: placement(&codec, image, &fen.position),
            stabilises: image == index && group.members().contains(&symmetry),
            in_group: group.members().contains(&symmetry),
        }
    });
    let (canonical, symmetry) = same.canonical_with_symmetry(index);
    let like = same.like().sets().iter();
    let like = like.map(|set| (0..count).filter(|k| set >> k & 1 != 0).collect());
    let index = Index {
        material: material.to_string(),
        numbering: numbering.to_string(),
        index: octal(index, count),
        pieces: pieces.collect(),
        images: images.into(),
        canonical: octal(canonical, count),
        symmetry: symmetry.to_string(),
        orbit_size: same.orbit_size(index),
        class_size: same.class_size(index).to_string(),
        like: like.collect(),
        slots: slots(&codec, index),
    };
    Ok(index.into_ts()?)
}

fn placement(codec: &PlacementCodec<u128>, index: u128, like: &Position) -> String {
    let image = codec.decode(index, like.side);
    let fen = image.map_or_else(|_| String::new(), |position| position.to_string());
    fen.split(' ').next().unwrap_or_default().to_owned()
}

/// The slots under all schemes, as [`tbindex::Estimate`] names them.
fn slots(codec: &PlacementCodec<u128>, index: u128) -> Vec<Slot> {
    let (material, layout) = (codec.material(), codec.equivalence().layout());
    let group = material.group();
    let compact = |rules, diagonal| -> Option<Box<dyn Dense<u128>>> {
        let compact = Compact::try_new(material, layout.numbering(), rules, diagonal).ok()?;
        Some(Box::new(compact))
    };
    let schemes: [Option<Box<dyn Dense<u128>>>; 8] = [
        Some(Box::new(Triangle::new(layout, group))),
        Some(Box::new(Orbit::new(layout, group))),
        Some(Box::new(Kings::new(layout, group))),
        compact(Rules::All, Diagonal::Exact),
        compact(Rules::Distinct, Diagonal::Exact),
        compact(Rules::KingsApartShared, Diagonal::Exact),
        compact(Rules::KingsApart, Diagonal::Both),
        compact(Rules::KingsApart, Diagonal::Exact),
    ];
    let named = tbindex::Estimate::all(material).into_iter().zip(schemes);
    let slots = named.map(|(named, scheme)| Slot {
        scheme: named.scheme.to_owned(),
        room: named.room.to_owned(),
        size: named.slots.to_string(),
        slot: scheme.and_then(|scheme| Some(scheme.rank(index)?.to_string())),
    });
    slots.collect()
}

/// The octal codes of the squares a1, b1 … h8 under a numbering.
///
/// # Errors
/// If there is no such numbering.
#[wasm_bindgen]
pub fn codes(numbering: &str) -> Result<Vec<u8>, JsError> {
    let numbering: Numbering = numbering.parse()?;
    Ok(Square::all().map(|square| numbering.code(square)).collect())
}

/// The canonical index of an octal index of a material.
///
/// # Errors
/// If the material, the numbering or the index is none.
#[wasm_bindgen]
pub fn canonical(material: &str, numbering: &str, index: &str) -> Result<String, JsError> {
    let (codec, index) = parsed(material, numbering, index)?;
    let canonical = codec.equivalence().canonical(index);
    Ok(octal(canonical, codec.equivalence().layout().pieces()))
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
    let (codec, index) = parsed(material, numbering, index)?;
    let symmetry: Symmetry = symmetry.parse()?;
    let image = codec.equivalence().layout().flip(symmetry, index);
    Ok(octal(image, codec.equivalence().layout().pieces()))
}

/// The placement of an octal index of a material, as the first field of a FEN.
///
/// # Errors
/// If the material, the numbering or the index is none, or two pieces share a square.
#[wasm_bindgen(js_name = placementOf)]
pub fn placement_of(material: &str, numbering: &str, index: &str) -> Result<String, JsError> {
    let (codec, index) = parsed(material, numbering, index)?;
    let position = codec.decode(index, tbindex::Color::White)?;
    let fen = position.to_string();
    Ok(fen.split(' ').next().unwrap_or_default().to_owned())
}

fn parsed(
    material: &str,
    numbering: &str,
    index: &str,
) -> Result<(PlacementCodec<u128>, u128), JsError> {
    let material = material.parse()?;
    let numbering = numbering.parse()?;
    let codec = PlacementCodec::try_new(material, numbering)?;
    let digits = index.strip_prefix("0o").unwrap_or(index);
    let value = (digits.bytes().all(|digit| digit.is_ascii_digit()))
        .then(|| u128::from_str_radix(digits, 8).ok())
        .flatten()
        .filter(|&value| codec.equivalence().layout().is_valid(value));
    let most = 2 * codec.equivalence().layout().pieces();
    let value = value.ok_or_else(|| {
        JsError::new(&format!(
            "{index:?} is no index of {material}: expected up to {most} octal digits"
        ))
    })?;
    Ok((codec, value))
}
