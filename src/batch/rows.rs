//! Squares stored one byte each, to indices and back.
//!
//! Position-major rows go eight bytes to a 64-bit word, whatever the word of the index: a row is a
//! word of bytes, and its digits are gathered from all bytes at once. Piece-major columns go one
//! byte to each word of the index, a piece at a time.

use super::backend::Backend;
use super::bytes::{Bytes, any_byte};
use super::columns::{DecodeColumns, EncodeColumns};
use super::five::{self, FIVE, IDENTITY, Images, TO_ALTERNATE, TO_NATURAL};
use super::lanes::{Isa, Lanes, Vectors, Work};
use crate::index::{Layout, Numbering};

/// The most pieces whose codes fit a word of bytes.
const BYTES_OF_WORD: usize = 8;

/// A byte that is no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("piece {piece} of position {position} stands on {found}: squares are 0 to 63")]
pub struct SquareOutOfRange {
    /// The position's number in the batch, from 0.
    pub position: usize,
    /// The piece's number.
    pub piece: usize,
    /// What was there in place of a square's number.
    pub found: u8,
}

/// # Squares, one byte each
///
/// A square is its number, a1 = 0 to h8 = 63, whatever the layout's numbering. *Rows* are
/// position-major: the squares of the first position, piece 0 first, then those of the second.
/// *Columns* are piece-major: one slice for each piece, its square in every position.
impl Backend {
    /// Writes the index of each row ([`Layout::encode`]).
    ///
    /// # Errors
    /// If a byte is above 63: the first such is reported, and what has been written is unspecified.
    ///
    /// # Panics
    /// If there are not exactly as many bytes as all the positions have pieces.
    pub fn encode_rows<W: Vectors>(
        self,
        layout: &Layout<W>,
        rows: &[u8],
        to: &mut [W],
    ) -> Result<(), SquareOutOfRange> {
        W::encode_rows(self, layout, rows, to)
    }

    /// Writes the index of each position ([`Layout::encode`]).
    ///
    /// # Errors
    /// If a byte is above 63: that of the first position is reported, and what has been written is
    /// unspecified.
    ///
    /// # Panics
    /// If there is not one column for each piece, as long as `to`.
    pub fn encode_columns<W: Vectors>(
        self,
        layout: &Layout<W>,
        columns: &[&[u8]],
        to: &mut [W],
    ) -> Result<(), SquareOutOfRange> {
        W::encode_columns(self, layout, columns, to)
    }

    /// Writes the squares of each index as a row ([`Layout::decode`]).
    ///
    /// # Panics
    /// If there are not exactly as many bytes as all the positions have pieces.
    pub fn decode_rows<W: Vectors>(self, layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
        W::decode_rows(self, layout, from, rows);
    }

    /// Writes the squares of each index into columns ([`Layout::decode`]).
    ///
    /// # Panics
    /// If there is not one column for each piece, as long as `from`.
    pub fn decode_columns<W: Vectors>(
        self,
        layout: &Layout<W>,
        from: &[W],
        columns: &mut [&mut [u8]],
    ) {
        W::decode_columns(self, layout, from, columns);
    }
}

/// What they do, in functions that are compiled wherever they are called: see [`Compiled`].
///
/// [`Compiled`]: super::compiled::Compiled
impl Backend {
    /// Whether bytes are translated by an instruction.
    fn translates(self) -> bool {
        self.run(Translates)
    }

    pub(super) fn encode_rows_here<W: Vectors>(
        self,
        layout: &Layout<W>,
        rows: &[u8],
        to: &mut [W],
    ) -> Result<(), SquareOutOfRange> {
        let pieces = layout.pieces();
        assert_eq!(rows.len(), pieces * to.len(), "a byte for each piece");
        let natural = layout.with_numbering(Numbering::Natural);
        let mut all = 0;
        if layout.numbering() == Numbering::Natural || self.translates() {
            all = self.run(EncodeRows::new(layout, rows, to));
        } else {
            // One numbering after the other, by parts that stay in the nearest cache.
            let parts = rows.chunks(pieces * PART);
            for (to, rows) in to.chunks_mut(PART).zip(parts) {
                all |= self.run(EncodeRows::new(&natural, rows, to));
                self.convert_in_place(&natural, layout.numbering(), to);
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

    pub(super) fn encode_columns_here<W: Vectors>(
        self,
        layout: &Layout<W>,
        columns: &[&[u8]],
        to: &mut [W],
    ) -> Result<(), SquareOutOfRange> {
        assert_eq!(columns.len(), layout.pieces(), "a column for each piece");
        let positions = to.len();
        for column in columns {
            assert_eq!(column.len(), positions, "a byte for each position");
        }
        let all = self.run(EncodeColumns {
            layout: *layout,
            columns,
            to,
        });
        if all < 64 {
            return Ok(());
        }
        let bad = |position: usize| columns.iter().position(|column| column[position] > 63);
        let position = (0..positions).find(|&k| bad(k).is_some()).unwrap_or(0);
        let piece = bad(position).unwrap_or(0);
        Err(SquareOutOfRange {
            position,
            piece,
            found: columns[piece][position],
        })
    }

    pub(super) fn decode_rows_here<W: Vectors>(
        self,
        layout: &Layout<W>,
        from: &[W],
        rows: &mut [u8],
    ) {
        assert_eq!(
            rows.len(),
            layout.pieces() * from.len(),
            "a byte for each piece"
        );
        if layout.numbering() == Numbering::Natural || self.translates() {
            return self.run(DecodeRows::new(layout, from, rows));
        }
        let natural = layout.with_numbering(Numbering::Natural);
        let mut part = [W::ZERO; PART];
        let parts = rows.chunks_mut(layout.pieces() * PART);
        for (from, rows) in from.chunks(PART).zip(parts) {
            let part = &mut part[..from.len()];
            self.convert_into(layout, Numbering::Natural, from, part);
            self.run(DecodeRows::new(&natural, part, rows));
        }
    }

    pub(super) fn decode_columns_here<W: Vectors>(
        self,
        layout: &Layout<W>,
        from: &[W],
        columns: &mut [&mut [u8]],
    ) {
        assert_eq!(columns.len(), layout.pieces(), "a column for each piece");
        for column in columns.iter() {
            assert_eq!(column.len(), from.len(), "a byte for each position");
        }
        self.run(DecodeColumns {
            layout: *layout,
            from,
            columns,
        });
    }
}

struct Translates;

impl Work for Translates {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> bool {
        I::Bytes::TRANSLATES
    }
}

/// How many positions are encoded or decoded at a time where that is done in two steps.
const PART: usize = 512;

/// Encodes rows; the output has every bit that any byte has. The numbering is natural, or the
/// backend translates.
struct EncodeRows<'a, W> {
    layout: Layout<W>,
    /// What becomes of squares.
    images: &'static Images,
    rows: &'a [u8],
    to: &'a mut [W],
}

impl<'a, W: Vectors> EncodeRows<'a, W> {
    fn new(layout: &Layout<W>, rows: &'a [u8], to: &'a mut [W]) -> Self {
        EncodeRows {
            layout: *layout,
            images: match layout.numbering() {
                Numbering::Natural => &IDENTITY,
                Numbering::Alternate => &TO_ALTERNATE,
            },
            rows,
            to,
        }
    }
}

impl<W: Vectors> Work for EncodeRows<'_, W> {
    type Output = u8;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u8 {
        let EncodeRows {
            layout,
            images,
            rows,
            to,
        } = self;
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
struct DecodeRows<'a, W> {
    layout: Layout<W>,
    square_of_code: Option<&'static [u8; 64]>,
    from: &'a [W],
    rows: &'a mut [u8],
}

impl<'a, W: Vectors> DecodeRows<'a, W> {
    fn new(layout: &Layout<W>, from: &'a [W], rows: &'a mut [u8]) -> Self {
        let alternate = layout.numbering() == Numbering::Alternate;
        DecodeRows {
            layout: *layout,
            square_of_code: alternate.then(|| &TO_NATURAL.codes),
            from,
            rows,
        }
    }
}

impl<W: Vectors> Work for DecodeRows<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let DecodeRows {
            layout,
            square_of_code,
            from,
            rows,
        } = self;
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
