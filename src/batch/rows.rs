//! Squares stored one byte each, to indices and back.
//!
//! Position-major rows go eight bytes to a 64-bit word, whatever the word of the index: a row is a
//! word of bytes, and its digits are gathered from all bytes at once. Piece-major columns go one
//! byte to each word of the index, a piece at a time.

use super::backend::Backend;
use super::choose::{InPlace, Into, with_conversion};
use super::five::{self, FIVE, IDENTITY, Images, TO_ALTERNATE, TO_NATURAL};
use super::lanes::{Bytes, Isa, Lanes, Vectors, any_byte};
use super::mapping::Fits;
use super::squares::SquareOutOfRange;
use crate::dispatch;
use crate::index::{Layout, Numbering};

/// The most pieces whose codes fit a word of bytes.
const BYTES_OF_WORD: usize = 8;

/// Writes the index of each row: what [`Backend::encode_rows`] does.
pub(super) fn encode_rows<W: Fits>(
    backend: Backend,
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
) -> Result<(), SquareOutOfRange> {
    let pieces = layout.pieces();
    assert_eq!(rows.len(), pieces * to.len(), "a byte for each piece");
    let natural = layout.with_numbering(Numbering::Natural);
    let mut all = 0;
    if layout.numbering() == Numbering::Natural || translates(backend) {
        all = dispatch!(backend, isa => encode_all(isa, layout, rows, to));
    } else {
        // One numbering after the other, by parts that stay in the nearest cache.
        let parts = rows.chunks(pieces * PART);
        for (to, rows) in to.chunks_mut(PART).zip(parts) {
            all |= dispatch!(backend, isa => encode_all(isa, &natural, rows, to));
            with_conversion(&natural, InPlace { backend, words: to });
        }
    }
    if all < 64 {
        return Ok(());
    }
    let bad = rows.iter().position(|&byte| byte > 63).unwrap_or(0);
    Err(SquareOutOfRange {
        position: bad / pieces,
        piece: bad % pieces,
        found: rows[bad],
    })
}

/// Writes the squares of each index as a row: what [`Backend::decode_rows`] does.
pub(super) fn decode_rows<W: Fits>(
    backend: Backend,
    layout: &Layout<W>,
    from: &[W],
    rows: &mut [u8],
) {
    let pieces = layout.pieces();
    assert_eq!(rows.len(), pieces * from.len(), "a byte for each piece");
    if layout.numbering() == Numbering::Natural || translates(backend) {
        return dispatch!(backend, isa => decode_all(isa, layout, from, rows));
    }
    let natural = layout.with_numbering(Numbering::Natural);
    let mut part = [W::ZERO; PART];
    let parts = rows.chunks_mut(pieces * PART);
    for (from, rows) in from.chunks(PART).zip(parts) {
        let part = &mut part[..from.len()];
        with_conversion(layout, Into::new(backend, from, part));
        dispatch!(backend, isa => decode_all(isa, &natural, part, rows));
    }
}

/// Whether a backend translates bytes by an instruction.
fn translates(backend: Backend) -> bool {
    #[inline(always)]
    fn has<I: Isa>(_: I) -> bool {
        I::Bytes::TRANSLATES
    }
    dispatch!(backend, isa => has(isa))
}

/// How many positions are encoded or decoded at a time where that is done in two steps.
const PART: usize = 512;

/// Encodes rows, and returns every bit that any byte has. The numbering is natural, or the backend
/// translates.
#[inline(always)]
fn encode_all<W: Vectors, I: Isa>(isa: I, layout: &Layout<W>, rows: &[u8], to: &mut [W]) -> u8 {
    // What becomes of squares.
    let images: &'static Images = match layout.numbering() {
        Numbering::Natural => &IDENTITY,
        Numbering::Alternate => &TO_ALTERNATE,
    };
    // A copy of its own: what lies behind a reference might be overwritten in the loop, for all that
    // the compiler knows.
    let layout = *layout;
    let pieces = layout.pieces();
    let mut done = 0;
    let mut all = 0;
    if pieces == FIVE {
        (done, all) = five::encode_rows(isa, images, layout.numbering(), rows, to);
    } else if pieces <= BYTES_OF_WORD {
        let alternate = layout.numbering() == Numbering::Alternate;
        let codes = alternate.then_some(&images.codes);
        (done, all) = encode_short_rows(isa, &layout, codes, rows, to);
    }
    let natural = layout.with_numbering(Numbering::Natural);
    let rest = to.get_mut(done..).unwrap_or_default();
    let rows = rows.get(done * pieces..).unwrap_or_default();
    for (to, row) in rest.iter_mut().zip(rows.chunks_exact(pieces.max(1))) {
        let mut index = W::ZERO;
        for (&square, k) in row.iter().zip(0..) {
            all |= square;
            index |= natural.place(square & 63, k);
        }
        *to = layout.from_natural(index);
    }
    all
}

/// Encodes rows of up to eight bytes as far as pairs of vectors go: how many, and the bits that any
/// byte has.
#[inline(always)]
fn encode_short_rows<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    code_of_square: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    let count = I::Bytes::COUNT;
    let (pieces, half) = (layout.pieces(), layout.half());
    let shuffle = I::Bytes::shuffle(isa, pieces);
    let used = I::Bytes::splat(isa, u64::MAX >> (64 - 8 * pieces));
    let mut all = I::Bytes::splat(isa, 0);
    let mut done = 0;
    for to in to.chunks_exact_mut(2 * count) {
        let rest = rows.get(done * pieces..).unwrap_or_default();
        let second = rest.get(count * pieces..).unwrap_or_default();
        let (Some(first), Some(second)) = (rest.get(..8 * count), second.get(..8 * count)) else {
            break;
        };
        let mut first = I::Bytes::load_rows(isa, shuffle, first);
        let mut second = I::Bytes::load_rows(isa, shuffle, second);
        all = all | first | second;
        if let Some(table) = code_of_square {
            first = first.translate_bytes(isa, table) & used;
            second = second.translate_bytes(isa, table) & used;
        }
        let first = first.index_of_codes(isa, half);
        let second = second.index_of_codes(isa, half);
        if W::BITS == 32 {
            first.narrow(second).store(bytemuck::cast_slice_mut(to));
        } else {
            let (to, to_second) = to.split_at_mut(count);
            first.store(bytemuck::cast_slice_mut(to));
            second.store(bytemuck::cast_slice_mut(to_second));
        }
        done += 2 * count;
    }
    (done, any_byte(isa, all))
}

/// Decodes into rows. The numbering is natural, or the backend translates.
#[inline(always)]
fn decode_all<W: Vectors, I: Isa>(isa: I, layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    let layout = *layout;
    let alternate = layout.numbering() == Numbering::Alternate;
    let square_of_code = alternate.then(|| &TO_NATURAL.codes);
    let (pieces, half) = (layout.pieces(), layout.half());
    let mut done = 0;
    if pieces <= BYTES_OF_WORD {
        done = decode_short_rows(isa, &layout, square_of_code, from, rows);
    }
    let from = from.get(done..).unwrap_or_default();
    let rows = rows.get_mut(done * pieces..).unwrap_or_default();
    for (&index, row) in from.iter().zip(rows.chunks_exact_mut(pieces.max(1))) {
        let index = layout.to_natural(index);
        for (square, k) in row.iter_mut().zip(0..) {
            let (low, high) = (index >> (3 * k), index >> (half + 3 * k));
            *square = low.low_byte() & 7 | (high.low_byte() & 7) << 3;
        }
    }
}

/// Decodes into rows of up to eight bytes as far as whole vectors go: how many.
#[inline(always)]
fn decode_short_rows<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    square_of_code: Option<&[u8; 64]>,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    let count = I::Bytes::COUNT;
    let (pieces, half) = (layout.pieces(), layout.half());
    let shuffle = I::Bytes::shuffle(isa, pieces);
    let mut done = 0;
    for from in from.chunks_exact(count) {
        let rest = rows.get_mut(done * pieces..);
        let Some(rows) = rest.and_then(|rest| rest.get_mut(..8 * count)) else {
            break;
        };
        let index = if W::BITS == 32 {
            I::Bytes::load_narrow(isa, bytemuck::cast_slice(from))
        } else {
            I::Bytes::load(isa, bytemuck::cast_slice(from))
        };
        let mut bytes = index.codes_of_index(isa, half);
        if let Some(table) = square_of_code {
            bytes = bytes.translate_bytes(isa, table);
        }
        bytes.store_rows(shuffle, rows);
        done += count;
    }
    done
}
