//! Five pieces of 32 bits as bytes: the first four in one vector of words, the fifth in another.

use std::sync::LazyLock;

use super::bytes::{Bytes, any_byte};
use super::kernels::{Kernel, ToAlternate, ToNatural};
use super::lanes::{Isa, Lanes, Vectors};
use crate::board::Square;
use crate::index::{Layout, Numbering};

/// How many pieces this is about.
pub(super) const FIVE: usize = 5;

/// A table from squares to codes and one back.
pub(super) struct Tables {
    pub(super) code_of_square: [u8; 64],
    pub(super) square_of_code: [u8; 64],
}

/// The tables of the alternate numbering.
pub(super) static ALTERNATE: LazyLock<Tables> = LazyLock::new(|| {
    let of = |f: fn(u8) -> u8| std::array::from_fn(|k| f(k as u8));
    Tables {
        code_of_square: of(|k| Numbering::Alternate.code(Square::from_low_bits(k))),
        square_of_code: of(|k| Numbering::Alternate.square(k).number()),
    }
});

/// The same 32 bits in every word, or as often as a word holds them.
#[inline(always)]
fn splat<W: Vectors, V: Lanes<W>>(isa: V::Isa, bits: u32) -> V {
    V::splat(isa, W::truncate(bits.into()))
}

/// The index of codes: in the first vector those of pieces 0 to 3, a byte each, in the second that of
/// piece 4 in the highest byte, whatever the others are. The two highest bits of a byte do not count.
#[inline(always)]
fn index_of_codes<W: Vectors, V: Lanes<W>>(isa: V::Isa, four: V, fifth: V) -> V {
    // Digits are joined in pairs, by products with 1 and 8, and in fours, by products with 1 and 64.
    // Where they stand the high ones are eight times themselves; the doubling and the products make
    // 2^15 of it.
    let low = four & splat(isa, 0x0707_0707);
    let high = (four & splat(isa, 0x3838_3838)).twice();
    let low = low.sum_of_products_of_8(splat(isa, 0x0801_0801));
    let high = high.sum_of_products_of_8(splat(isa, 0x4008_4008));
    let low = low.sum_of_products_of_16(splat(isa, 1 << 22 | 1));
    let high = high.sum_of_products_of_16(splat(isa, 1 << 30 | 1 << 8));
    // The fifth's high digit is where it belongs.
    let (in_place, brought) = (0o7 << 27, 0o7 << 12);
    let last = fifth.merge(splat(isa, in_place), fifth >> V::shift(isa, 12));
    low | high | last & splat(isa, in_place | brought)
}

/// The codes of an index as [`index_of_codes`] wants them.
#[inline(always)]
fn codes_of_index<W: Vectors, V: Lanes<W>>(isa: V::Isa, x: V) -> (V, V) {
    // For each piece the bits that begin with its low digit, and those that end with its high digit
    // three bits up.
    let (lows, ends) = (
        x.take_bytes(isa, [0, 3, 6, 9]),
        x.take_bytes(isa, [12, 15, 18, 21]),
    );
    let four = lows.merge(splat(isa, 0x0707_0707), ends);
    let fifth = x.merge(splat(isa, 0o7 << 27), x << V::shift(isa, 12));
    (four, fifth)
}

/// A change of numbering piece by piece, through a table from codes to codes.
#[inline(always)]
fn translate<W: Vectors, V: Lanes<W>>(isa: V::Isa, table: &[u8; 64], x: V) -> V {
    let (four, fifth) = codes_of_index(isa, x);
    let four = four.translate_bytes(isa, table);
    index_of_codes(isa, four, fifth.translate_bytes(isa, table))
}

/// A change of numbering of five pieces: by tables where bytes are translated by an instruction, as
/// for any number of pieces elsewhere.
#[derive(Clone, Copy)]
pub(super) struct ConvertFive<K> {
    otherwise: K,
    table: &'static [u8; 64],
}

impl<W: Vectors> ConvertFive<ToAlternate<W>> {
    /// To the alternate numbering.
    pub(super) fn to_alternate(layout: &Layout<W>) -> Self {
        ConvertFive {
            otherwise: ToAlternate::new(layout),
            table: &ALTERNATE.code_of_square,
        }
    }
}

impl<W: Vectors> ConvertFive<ToNatural<W>> {
    /// To the natural numbering.
    pub(super) fn to_natural(layout: &Layout<W>) -> Self {
        ConvertFive {
            otherwise: ToNatural::new(layout),
            table: &ALTERNATE.square_of_code,
        }
    }
}

impl<W: Vectors, K: Kernel<W>> Kernel<W> for ConvertFive<K> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if V::TRANSLATES {
            translate(isa, self.table, x)
        } else {
            self.otherwise.map(isa, x)
        }
    }
}

/// Encodes rows of five bytes as far as whole vectors go: how many, and the bits that any byte has.
#[inline(always)]
pub(super) fn encode_rows<W: Vectors, I: Isa>(
    isa: I,
    code_of_square: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    match code_of_square {
        None => encode::<W, I, false>(isa, &[0; 64], rows, to),
        Some(table) => encode::<W, I, true>(isa, table, rows, to),
    }
}

/// As [`encode_rows`], through the table if so asked.
#[inline(always)]
fn encode<W: Vectors, I: Isa, const TABLE: bool>(
    isa: I,
    table: &[u8; 64],
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    let count = <I::Bytes as Bytes>::Halves::COUNT;
    let fives = I::Bytes::fives(isa);
    let mut all = <I::Bytes as Bytes>::Halves::splat(isa, 0);
    let mut done = 0;
    let rows = rows.windows(I::Bytes::BYTES_OF_FIVES).step_by(FIVE * count);
    for (to, rows) in to.chunks_exact_mut(count).zip(rows) {
        let (mut four, mut fifth) = I::Bytes::load_fives(isa, fives, rows);
        all = all | four | fifth;
        if TABLE {
            four = four.translate_bytes(isa, table);
            fifth = fifth.translate_bytes(isa, table);
        }
        let indices = index_of_codes(isa, four, fifth);
        if W::BITS == 32 {
            indices.store(bytemuck::cast_slice_mut(to));
        } else {
            let mut narrow = [0; 16];
            indices.store(&mut narrow);
            let words = narrow[..count].chunks_exact(I::Bytes::COUNT);
            for (to, words) in to.chunks_exact_mut(I::Bytes::COUNT).zip(words) {
                I::Bytes::load_narrow(isa, words).store(bytemuck::cast_slice_mut(to));
            }
        }
        done += count;
    }
    (done, any_byte(isa, all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;
    use crate::batch::lanes::Work;

    /// Translates all words of a slice, whether or not the backend has the instruction.
    struct Translate<'a>(&'a [u8; 64], &'a mut [u32]);

    impl Work for Translate<'_> {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            for words in self.1.chunks_exact_mut(I::Of::<u32>::COUNT) {
                let x = I::Of::<u32>::load(isa, words);
                translate(isa, self.0, x).store(words);
            }
        }
    }

    #[test]
    fn conversion_by_tables_equals_conversion_by_planes() {
        let natural = Layout::<u32>::natural(FIVE);
        // Every square for every piece, the others anywhere.
        let indices: Vec<u32> = (0..1 << 16)
            .map(|k: u32| k.wrapping_mul(0x9e37_79b9) >> 2)
            .chain((0..64).flat_map(|code| (0..5).map(move |k| natural.place(code, k))))
            .collect();
        for backend in Backend::available() {
            let mut found = indices.clone();
            backend.run(Translate(&ALTERNATE.code_of_square, &mut found));
            for (&index, &found) in indices.iter().zip(&found) {
                assert_eq!(found, natural.to_alternate(index), "{backend}: {index:#o}");
            }
            backend.run(Translate(&ALTERNATE.square_of_code, &mut found));
            assert_eq!(found, indices, "{backend}");
        }
    }
}
