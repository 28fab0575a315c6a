//! Encodes and decodes rows: squares that are stored one byte each, position by position.
//!
//! A row is taken as a word of bytes, of 32 bits for up to five pieces ([`short`]) and of 64 bits for
//! up to eight, and the digits of all its codes are gathered at once. [Longer rows](long) are a word of 64
//! bits and a byte or two; rows of ten are encoded as two rows of five. Under the alternate numbering, one
//! look-up for a whole vector of bytes turns squares into codes, or codes into squares; where that takes
//! several instructions, it is a pass of its own. Where vectors are of no help, every piece is [looked
//! up](look_up).

use super::long::{LONG, NINE};
use super::{long, look_up, short};
use crate::batch::backend::Backend;
use crate::batch::codes::{TO_ALTERNATE, TO_NATURAL, codes_of_squares, squares_of_turned_codes};
use crate::batch::out_of_range::OutOfRange;
use crate::dispatch;
use crate::index::{Layout, Numbering};
use crate::simd::{Bytes, Isa, Lanes, Vectors, any_byte};

/// The most pieces whose codes fit a word of bytes.
const BYTES_OF_WORD: usize = 8;

/// Writes the index of each row, for [`Backend::encode_rows`].
pub(in crate::batch) fn encode_rows<W: Vectors>(
    backend: Backend,
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
) -> Result<(), OutOfRange> {
    let pieces = layout.pieces();
    if dispatch!(@token backend, isa => encode_on(isa, layout, rows, to)) < 64 {
        return Ok(());
    }
    let bad = rows.iter().position(|&byte| byte > 63).unwrap_or(0);
    Err(OutOfRange::Square {
        position: bad / pieces,
        piece: bad % pieces,
        found: rows[bad],
    })
}

/// Writes the squares of each index as a row, for [`Backend::decode_rows`].
pub(in crate::batch) fn decode_rows<W: Vectors>(
    backend: Backend,
    layout: &Layout<W>,
    from: &[W],
    rows: &mut [u8],
) {
    dispatch!(@token backend, isa => decode_on(isa, layout, from, rows));
}

/// Encodes rows with these instructions and returns the bits that are set in any square.
///
/// Each condition that is a constant of the instructions is a branch of its own, so that nothing is compiled for the
/// other case.
pub fn encode_on<I: Isa, W: Vectors>(isa: I, layout: &Layout<W>, rows: &[u8], to: &mut [W]) -> u8 {
    let natural = layout.numbering() == Numbering::Natural;
    if !W::NARROW && layout.pieces() == 10 && has_vectors::<I>(natural) {
        // Two rows of five, whose indices are the halves of a word.
        let five = Layout::<u32>::new(5, layout.numbering());
        let all = encode_on(isa, &five, rows, bytemuck::cast_slice_mut(to));
        isa.vectorize(
            #[inline(always)]
            || {
                let odd = to.len() % I::Of::<W>::COUNT;
                let (whole, odd) = to.split_at_mut(to.len() - odd);
                join_fives::<W, I::Of<W>>(isa, whole);
                join_fives::<W, W>((), odd);
            },
        );
        return all;
    }
    if natural {
        return isa.vectorize(
            #[inline(always)]
            || encode_all(isa, layout, None, rows, to),
        );
    }
    if I::Bytes::TRANSLATES {
        return isa.vectorize(
            #[inline(always)]
            || encode_all(isa, layout, Some(&TO_ALTERNATE.codes), rows, to),
        );
    }
    if I::Bytes::LOOKS_UP {
        let mut codes = [0; PART_BYTES + SLACK];
        return isa.vectorize(
            #[inline(always)]
            || encode_in_parts(isa, layout, rows, to, &mut codes),
        );
    }
    look_up::encode(layout, rows, to)
}

/// Decodes rows with these instructions.
pub fn decode_on<I: Isa, W: Vectors>(isa: I, layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    if layout.numbering() == Numbering::Natural {
        return isa.vectorize(
            #[inline(always)]
            || decode_all(isa, layout, None, from, rows),
        );
    }
    if I::Bytes::TRANSLATES {
        return isa.vectorize(
            #[inline(always)]
            || decode_all(isa, layout, Some(&TO_NATURAL.codes), from, rows),
        );
    }
    if I::Bytes::LOOKS_UP {
        return isa.vectorize(
            #[inline(always)]
            || decode_in_parts(isa, layout, from, rows),
        );
    }
    look_up::decode(layout, from, rows);
}

/// Whether rows are encoded by vectors. Where squares are not codes, the instructions must turn them into codes. Nothing is
/// entered to find out: a small batch takes some hundred cycles.
const fn has_vectors<I: Isa>(natural: bool) -> bool {
    natural || I::Bytes::TRANSLATES || I::Bytes::LOOKS_UP
}

/// Joins two indices of five pieces, the halves of each word of 64 bits, to one of ten.
#[inline(always)]
fn join_fives<W: Vectors, V: Lanes<W>>(isa: V::Isa, words: &mut [W]) {
    let shift = |bits| V::shift(isa, bits);
    let digits = |first: u32| V::splat(isa, W::truncate(0x7fff << first));
    for words in words.chunks_exact_mut(V::COUNT) {
        let x = V::load(isa, words);
        let first = x & digits(0) | x << shift(15) & digits(30);
        let second = x >> shift(17) & digits(15) | x >> shift(2) & digits(45);
        (first | second).store(words);
    }
}

/// The number of bytes that are recoded in one pass. They stay in the nearest cache.
const PART_BYTES: usize = 2048;

/// The number of bytes after these that may be read.
const SLACK: usize = 64;

/// The number of positions of so many bytes that are encoded or decoded in one part. They fill whole
/// vectors of any kind.
const fn part_positions(pieces: usize) -> usize {
    PART_BYTES / pieces / 32 * 32
}

/// Encodes rows and returns the bits that are set in any square. Squares are codes, or the table has their
/// codes.
#[inline(always)]
fn encode_all<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    table: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> u8 {
    // A local copy, as the compiler must assume that the loop may overwrite a value behind a reference.
    let layout = *layout;
    let (done, all) = encode_codes(isa, layout.pieces(), table, rows, to);
    all | encode_rest(&layout, done, rows, to)
}

/// Does as [`encode_all`] does, for the alternate numbering. Part by part, squares become codes in a buffer,
/// `codes`.
#[inline(always)]
fn encode_in_parts<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
    codes: &mut [u8; PART_BYTES + SLACK],
) -> u8 {
    let layout = *layout;
    let pieces = layout.pieces();
    let positions = part_positions(pieces);
    let mut all = 0;
    let parts = to.chunks_mut(positions);
    for (to, rows) in parts.zip(rows.chunks(pieces * positions)) {
        let mut done = 0;
        if let Some(any) = recode(isa, rows, codes) {
            (done, _) = encode_codes(isa, pieces, None, codes, to);
            all |= any;
        }
        all |= encode_rest(&layout, done, rows, to);
    }
    all
}

/// Writes the codes of squares and returns the bits that are set in any square, or `None` if there are too
/// few squares for a vector.
#[inline(always)]
fn recode<I: Isa>(isa: I, squares: &[u8], codes: &mut [u8]) -> Option<u8> {
    let count = 8 * I::Bytes::COUNT;
    let mut all = I::Bytes::splat(isa, 0);
    let last = squares.len().checked_sub(count)?;
    for (squares, codes) in squares
        .chunks_exact(count)
        .zip(codes.chunks_exact_mut(count))
    {
        let squares = I::Bytes::load_all(isa, squares);
        all = all | squares;
        codes_of_squares(isa, squares).store_all(codes);
    }
    // Less than a vector is left. So the last vector's worth is done, and some of it is done twice.
    let squares = I::Bytes::load_all(isa, squares.get(last..)?);
    let codes = codes.get_mut(last..)?;
    codes_of_squares(isa, squares).store_all(codes);
    Some(any_byte(isa, all | squares))
}

/// Encodes the rows from number `done` on, one by one, and returns the bits that are set in any of their
/// squares.
#[inline(always)]
fn encode_rest<W: Vectors>(layout: &Layout<W>, done: usize, rows: &[u8], to: &mut [W]) -> u8 {
    let pieces = layout.pieces();
    let natural = layout.with_numbering(Numbering::Natural);
    let rest = to.get_mut(done..).unwrap_or_default();
    let rows = rows.get(done * pieces..).unwrap_or_default();
    let mut all = 0;
    for (to, row) in rest.iter_mut().zip(rows.chunks_exact(pieces.max(1))) {
        let mut index = W::ZERO;
        for (&square, k) in row.iter().zip(0..) {
            all |= square;
            index |= natural.place(square & 63, k);
        }
        *to = natural.convert(layout.numbering(), index);
    }
    all
}

/// Encodes rows of up to nine codes, or of squares whose codes the table has, as far as whole vectors go.
/// Returns the number of these rows and the bits that are set in any of their bytes. There may be more
/// bytes than the rows have.
#[inline(always)]
fn encode_codes<W: Vectors, I: Isa>(
    isa: I,
    pieces: usize,
    table: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    if short::SHORT.contains(&pieces) {
        return short::encode(isa, pieces, table, rows, to);
    }
    if pieces == NINE {
        return long::encode(isa, table, rows, to);
    }
    if pieces > BYTES_OF_WORD {
        return (0, 0);
    }
    let count = I::Bytes::COUNT;
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
        if let Some(table) = table {
            first = first.translate_bytes(isa, table) & used;
            second = second.translate_bytes(isa, table) & used;
        }
        let half = 3 * pieces as u32;
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

/// Decodes indices into rows. Codes are squares, or the table has their squares.
#[inline(always)]
fn decode_all<W: Vectors, I: Isa>(
    isa: I,
    layout: &Layout<W>,
    table: Option<&[u8; 64]>,
    from: &[W],
    rows: &mut [u8],
) {
    let layout = *layout;
    let done = decode_codes(isa, layout.pieces(), table, false, from, rows);
    decode_rest(&layout, done, from, rows);
}

/// Does as [`decode_all`] does, for the alternate numbering. Part by part, codes are written to the rows and
/// then become squares.
#[inline(always)]
fn decode_in_parts<W: Vectors, I: Isa>(isa: I, layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    let layout = *layout;
    let pieces = layout.pieces();
    let mut done = 0;
    for part in from.chunks(part_positions(pieces)) {
        // Bytes written beyond the part's rows belong to the next part, which overwrites them.
        let rows = rows.get_mut(done * pieces..).unwrap_or_default();
        let of_part = decode_codes(isa, pieces, None, true, part, rows);
        let codes = rows.get_mut(..of_part * pieces).unwrap_or_default();
        if !recode_back(isa, codes) {
            break;
        }
        done += of_part;
    }
    decode_rest(&layout, done, from, rows);
}

/// Replaces codes, whose digits are exchanged, by their squares, and returns whether there were enough for
/// a vector. If there were not, nothing is replaced.
#[inline(always)]
fn recode_back<I: Isa>(isa: I, codes: &mut [u8]) -> bool {
    let count = 8 * I::Bytes::COUNT;
    // The loop leaves less than a vector. So the last vector's worth is done before the loop replaces some
    // of it.
    let last = codes.len().checked_sub(count);
    let Some(codes_left) = last.and_then(|last| codes.get(last..)) else {
        return false;
    };
    let squares_left = squares_of_turned_codes(isa, I::Bytes::load_all(isa, codes_left));
    for codes in codes.chunks_exact_mut(count) {
        let squares = squares_of_turned_codes(isa, I::Bytes::load_all(isa, codes));
        squares.store_all(codes);
    }
    if let Some(codes_left) = last.and_then(|last| codes.get_mut(last..)) {
        squares_left.store_all(codes_left);
    }
    true
}

/// Decodes indices into the rows from number `done` on, one by one.
#[inline(always)]
fn decode_rest<W: Vectors>(layout: &Layout<W>, done: usize, from: &[W], rows: &mut [u8]) {
    let (pieces, half) = (layout.pieces(), layout.half());
    let from = from.get(done..).unwrap_or_default();
    let rows = rows.get_mut(done * pieces..).unwrap_or_default();
    for (&index, row) in from.iter().zip(rows.chunks_exact_mut(pieces.max(1))) {
        let index = layout.convert(Numbering::Natural, index);
        for (square, k) in row.iter_mut().zip(0..) {
            let (low, high) = (index >> (3 * k), index >> (half + 3 * k));
            *square = low.low_byte() & 7 | (high.low_byte() & 7) << 3;
        }
    }
}

/// Decodes indices into rows of up to ten codes, or of the table's entries for codes, as far as whole
/// vectors go and there is room after the rows. Returns the number of these rows. The codes' digits are
/// exchanged if `turned`, which excludes a table.
#[inline(always)]
fn decode_codes<W: Vectors, I: Isa>(
    isa: I,
    pieces: usize,
    table: Option<&[u8; 64]>,
    turned: bool,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    if LONG.contains(&pieces) {
        return long::decode(isa, pieces, table, turned, from, rows);
    }
    let count = I::Bytes::COUNT;
    if from.len() < count || pieces > BYTES_OF_WORD {
        return 0;
    }
    let mut done = 0;
    if table.is_none() {
        done = short::decode(isa, pieces, turned, from, rows);
    }
    let from = from.get(done..).unwrap_or_default();
    if from.is_empty() {
        return done;
    }
    let shuffle = I::Bytes::shuffle(isa, pieces);
    let spread = I::Bytes::spread(isa, pieces, turned);
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
        let mut bytes = index.codes_of_index(isa, spread);
        if let Some(table) = table {
            bytes = bytes.translate_bytes(isa, table);
        }
        bytes.store_rows(shuffle, rows);
        done += count;
    }
    done
}
