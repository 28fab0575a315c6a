//! Rows of two to five squares, whose indices have at most 30 bits. They are done in words of 32 bits,
//! whatever the word of the index. The codes of the first four pieces fill one word; that of the fifth is
//! in a second.
//!
//! In the first cache, AVX2 thus encodes rows of three and four squares 2.6 to 4.8 times as fast as in
//! words of 64 bits, and decodes rows of five 1.7 to 2.3 times as fast (natural numbering, Emerald Rapids).

use crate::batch::codes::{digits, fifth_of_bytes, index_of_digits};
use crate::simd::{Bytes, Isa, Lanes, Vectors, any_byte};

/// The numbers of pieces in a short row.
pub(super) const SHORT: std::ops::RangeInclusive<usize> = 2..=5;

/// Encodes rows of squares and returns the number of rows done, which is all of them or none, and the bits
/// that are set in any square.
///
/// If there is a table, squares are first replaced by their entries in it. This is for vectors that
/// [translate](Lanes::TRANSLATES) bytes. There may be more bytes than the rows have.
#[inline(always)]
pub(super) fn encode<W: Vectors, I: Isa>(
    isa: I,
    pieces: usize,
    table: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    let Some(rows) = rows.get(..pieces * to.len()) else {
        return (0, 0);
    };
    match table.filter(|_| <I::Bytes as Bytes>::Words32::TRANSLATES) {
        None if pieces == 5 => encode_as::<W, I, true, false>(isa, pieces, &[0; 64], rows, to),
        None => encode_as::<W, I, false, false>(isa, pieces, &[0; 64], rows, to),
        Some(table) if pieces == 5 => encode_as::<W, I, true, true>(isa, pieces, table, rows, to),
        Some(table) => encode_as::<W, I, false, true>(isa, pieces, table, rows, to),
    }
}

#[inline(always)]
fn encode_as<W: Vectors, I: Isa, const FIVE: bool, const TRANSLATE: bool>(
    isa: I,
    pieces: usize,
    table: &[u8; 64],
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    // This tells the compiler the length of a row where it can be known.
    let pieces = if FIVE { 5 } else { pieces };
    let count = <I::Bytes as Bytes>::Words32::COUNT;
    let mut encoder = Encoder::<I, FIVE, TRANSLATE> {
        isa,
        table,
        half: 3 * pieces as u32,
        used: <I::Bytes as Bytes>::Words32::splat(isa, u32::MAX >> (32 - 8 * pieces.min(4))),
        short: I::Bytes::short(isa, pieces, W::BITS == 64),
        all: <I::Bytes as Bytes>::Words32::splat(isa, 0),
    };
    let vectors = to.chunks_exact_mut(count);
    for (to, rows) in vectors.zip(rows.chunks_exact(pieces * count)) {
        encoder.encode(rows, to);
    }
    // Less than a vector is left. So the last vector's worth is done, and some of it is done twice.
    let Some(last) = to.len().checked_sub(count) else {
        return (0, 0);
    };
    if let (Some(rows), Some(to)) = (rows.get(pieces * last..), to.get_mut(last..)) {
        encoder.encode(rows, to);
    }
    (last + count, any_byte(isa, encoder.all))
}

/// An encoder that takes a vector of rows at a time.
struct Encoder<'a, I: Isa, const FIVE: bool, const TRANSLATE: bool> {
    isa: I,
    table: &'a [u8; 64],
    half: u32,
    /// A mask of the bytes of the first four pieces, or of all pieces if there are fewer.
    used: <I::Bytes as Bytes>::Words32,
    short: <I::Bytes as Bytes>::Short,
    /// The bits that are set in any square so far.
    all: <I::Bytes as Bytes>::Words32,
}

impl<I: Isa, const FIVE: bool, const TRANSLATE: bool> Encoder<'_, I, FIVE, TRANSLATE> {
    #[inline(always)]
    fn encode<W: Vectors>(&mut self, rows: &[u8], to: &mut [W]) {
        let isa = self.isa;
        let mut four;
        let mut fifth = <I::Bytes as Bytes>::Words32::splat(isa, 0);
        if FIVE {
            (four, fifth) = I::Bytes::load_fives(isa, self.short, rows);
            self.all = self.all | four | fifth;
        } else {
            four = I::Bytes::load_fours(isa, self.short, rows);
            self.all = self.all | four;
        }
        if TRANSLATE {
            four = four.translate_bytes(isa, self.table);
            if FIVE {
                fifth = fifth.translate_bytes(isa, self.table);
            } else {
                // Bytes without a piece were translated, too.
                four = four & self.used;
            }
        }
        if FIVE {
            fifth = fifth_of_bytes(isa, fifth);
        }
        let half = if FIVE { 15 } else { self.half };
        let indices = index_of_digits(isa, half, digits(isa, four), fifth);
        if W::BITS == 32 {
            indices.store(bytemuck::cast_slice_mut(to));
        } else {
            I::Bytes::store_wide(isa, indices, bytemuck::cast_slice_mut(to));
        }
    }
}

/// Decodes indices into rows of codes and returns the number of rows done. It goes as far as there are
/// whole vectors and room to write beyond the ends of rows, and does none where words of 64 bits are as
/// fast. The digits of the codes are exchanged if `turned`.
#[inline(always)]
pub(super) fn decode<W: Vectors, I: Isa>(
    isa: I,
    pieces: usize,
    turned: bool,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    let Some(spread) = I::Bytes::spread_short(isa, pieces, turned) else {
        return 0;
    };
    if pieces == 5 {
        decode_as::<W, I, true>(isa, pieces, spread, from, rows)
    } else {
        decode_as::<W, I, false>(isa, pieces, spread, from, rows)
    }
}

#[inline(always)]
fn decode_as<W: Vectors, I: Isa, const FIVE: bool>(
    isa: I,
    pieces: usize,
    spread: <I::Bytes as Bytes>::SpreadShort,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    let pieces = if FIVE { 5 } else { pieces };
    let count = <I::Bytes as Bytes>::Words32::COUNT;
    let mut done = 0;
    for from in from.chunks_exact(count) {
        let rest = rows.get_mut(done * pieces..);
        let Some(rows) = rest.and_then(|rest| rest.get_mut(..6 * count)) else {
            break;
        };
        let indices = if W::BITS == 32 {
            <I::Bytes as Bytes>::Words32::load(isa, bytemuck::cast_slice(from))
        } else {
            let (first, second) = from.split_at(count / 2);
            let first = I::Bytes::load(isa, bytemuck::cast_slice(first));
            first.narrow(I::Bytes::load(isa, bytemuck::cast_slice(second)))
        };
        I::Bytes::store_short::<FIVE>(isa, spread, indices, rows);
        done += count;
    }
    done
}
