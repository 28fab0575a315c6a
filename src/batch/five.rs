//! Five pieces of 32 bits as bytes: the first four in one vector of words, the fifth in another.

use std::sync::LazyLock;

use super::kernels::{Kernel, ToAlternate, ToNatural};
use super::lanes::{Bytes, Isa, Lanes, Vectors, any_byte};
use crate::board::Square;
use crate::index::{Layout, Numbering};

/// How many pieces this is about.
pub(super) const FIVE: usize = 5;

/// A map from codes to codes, as tables of what an index wants of an image. Each fills a cache line, so
/// that a load of one never straddles two.
#[repr(C, align(64))]
pub(super) struct Images {
    /// The image itself.
    pub(super) codes: [u8; 64],
    /// Its low digit, and its high digit eight times.
    digits: [[u8; 64]; 2],
    /// Its low digit where the second byte of an index has that of piece 4, and its high digit where the
    /// highest byte has it.
    fifths: [[u8; 64]; 2],
    /// Zeros that the compiler does not know: it would make an instruction of its own of a choice between
    /// something and nothing.
    nothing: [u64; 8],
}

impl Images {
    fn new(image: impl Fn(u8) -> u8) -> Images {
        let codes: [u8; 64] = std::array::from_fn(|code| image(code as u8));
        Images {
            codes,
            digits: [codes.map(|code| code & 7), codes.map(|code| code & 0o70)],
            fifths: [
                codes.map(|code| (code & 7) << 4),
                codes.map(|code| code & 0o70),
            ],
            nothing: std::hint::black_box([0; 8]),
        }
    }
}

/// Every code itself.
pub(super) static IDENTITY: LazyLock<Images> = LazyLock::new(|| Images::new(|code| code));

/// Squares, the codes of the natural numbering, to codes of the alternate one.
pub(super) static TO_ALTERNATE: LazyLock<Images> =
    LazyLock::new(|| Images::new(|k| Numbering::Alternate.code(Square::from_low_bits(k))));

/// Codes of the alternate numbering to squares.
pub(super) static TO_NATURAL: LazyLock<Images> =
    LazyLock::new(|| Images::new(|code| Numbering::Alternate.square(code).number()));

/// The same 32 bits in every word, or as often as a word holds them.
#[inline(always)]
fn splat<W: Vectors, V: Lanes<W>>(isa: V::Isa, bits: u32) -> V {
    V::splat(isa, W::truncate(bits.into()))
}

/// The index of five codes: the low and the high digits of pieces 0 to 3, a byte each, the high ones
/// eight times; and the digits of piece 4 where the index has them.
#[inline(always)]
fn index_of_digits<W: Vectors, V: Lanes<W>>(isa: V::Isa, low: V, high: V, fifth: V) -> V {
    // Digits are joined in pairs, by products with 1 and 8, and in fours, by products with 1 and 64. Where
    // they stand the high ones are eight times themselves, and the products make 2^15 of it: of pieces 2
    // and 3 by two negative ones, as 2^15 is no positive number of 16 bits.
    let low = low.sum_of_products_of_8(splat(isa, 0x0801_0801));
    let high = high.sum_of_products_of_8(splat(isa, 0xc0f8_4008));
    let low = low.sum_of_products_of_16_or(splat(isa, 0x0040_0001), fifth);
    high.sum_of_products_of_16_or(splat(isa, 0x8000_0200), low)
}

/// The bits of piece 4's digits, of the low and the high one.
const FIFTH: [u32; 2] = [0o7 << 12, 0o7 << 27];

/// The index of codes: in the first vector those of pieces 0 to 3, a byte each, in the second that of
/// piece 4 in the highest byte, whatever the others are. The two highest bits of a byte do not count.
#[inline(always)]
fn index_of_codes<W: Vectors, V: Lanes<W>>(isa: V::Isa, four: V, fifth: V) -> V {
    let (low, high) = digits(isa, four);
    // The fifth's high digit is where it belongs.
    let fifth = fifth.choose_bits(splat(isa, FIFTH[1]), fifth >> V::shift(isa, 12));
    let fifth = fifth & splat(isa, FIFTH[0] | FIFTH[1]);
    index_of_digits(isa, low, high, fifth)
}

/// The digits of codes as [`index_of_digits`] wants them.
#[inline(always)]
fn digits<W: Vectors, V: Lanes<W>>(isa: V::Isa, codes: V) -> (V, V) {
    (
        codes & splat(isa, 0x0707_0707),
        codes & splat(isa, 0x3838_3838),
    )
}

/// The bytes of every 32 bits where [`fifth_by_tables`] wants a code: the second, and the highest.
const FIFTH_BYTES: [u64; 2] = [0x2222_2222_2222_2222, 0x8888_8888_8888_8888];

/// The digits of piece 4's image as [`index_of_digits`] wants them, of its code in the second byte and
/// in the highest one, which are named.
#[inline(always)]
fn fifth_by_tables<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    images: &Images,
    codes: [V; 2],
    named: [u64; 2],
) -> V {
    let [low, high] = &images.fifths;
    let fifth = V::load(isa, bytemuck::cast_slice(&images.nothing));
    let fifth = codes[1].translate_bytes_where(isa, named[1], high, fifth);
    codes[0].translate_bytes_where(isa, named[0], low, fifth)
}

/// The codes of an index, as [`index_of_codes`] wants them.
#[inline(always)]
fn codes_of_index<W: Vectors, V: Lanes<W>>(isa: V::Isa, x: V) -> (V, V) {
    // For each piece the bits that begin with its low digit, and those that end with its high digit
    // three bits up.
    let (lows, ends) = (
        x.take_bytes(isa, [0, 3, 6, 9]),
        x.take_bytes(isa, [12, 15, 18, 21]),
    );
    let four = lows.choose_bits(splat(isa, 0x0707_0707), ends);
    let fifth = x.choose_bits(splat(isa, 0o7 << 27), x << V::shift(isa, 12));
    (four, fifth)
}

/// A change of numbering piece by piece, through tables from codes to codes.
#[inline(always)]
fn translate<W: Vectors, V: Lanes<W>>(isa: V::Isa, images: &Images, x: V) -> V {
    let (four, fifth) = codes_of_index(isa, x);
    let [low, high] = &images.digits;
    let (low, high) = (
        four.translate_bytes(isa, low),
        four.translate_bytes(isa, high),
    );
    let fifth = fifth_by_tables(
        isa,
        images,
        [fifth >> V::shift(isa, 16), fifth],
        FIFTH_BYTES,
    );
    index_of_digits(isa, low, high, fifth)
}

/// A change of numbering of five pieces: by tables where bytes are translated by an instruction, as
/// for any number of pieces elsewhere.
#[derive(Clone, Copy)]
pub(super) struct ConvertFive<K> {
    otherwise: K,
    images: &'static Images,
}

impl<W: Vectors> ConvertFive<ToAlternate<W>> {
    /// To the alternate numbering.
    pub(super) fn to_alternate(layout: &Layout<W>) -> Self {
        ConvertFive {
            otherwise: ToAlternate::new(layout),
            images: &TO_ALTERNATE,
        }
    }
}

impl<W: Vectors> ConvertFive<ToNatural<W>> {
    /// To the natural numbering.
    pub(super) fn to_natural(layout: &Layout<W>) -> Self {
        ConvertFive {
            otherwise: ToNatural::new(layout),
            images: &TO_NATURAL,
        }
    }
}

impl<W: Vectors, K: Kernel<W>> Kernel<W> for ConvertFive<K> {
    #[inline(always)]
    fn map<V: Lanes<W>>(&self, isa: V::Isa, x: V) -> V {
        if V::TRANSLATES {
            translate(isa, self.images, x)
        } else {
            self.otherwise.map(isa, x)
        }
    }
}

/// Encodes rows of five bytes if there are enough for a vector, squares being looked up in the images
/// where bytes are translated by an instruction, unless they are what they are: how many, and the bits
/// that any byte has.
#[inline(always)]
pub(super) fn encode_rows<W: Vectors, I: Isa>(
    isa: I,
    images: &Images,
    numbering: Numbering,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    match numbering {
        Numbering::Natural => encode::<W, I, false>(isa, images, rows, to),
        Numbering::Alternate => encode::<W, I, true>(isa, images, rows, to),
    }
}

/// As [`encode_rows`], by the images if so asked.
#[inline(always)]
fn encode<W: Vectors, I: Isa, const TRANSLATE: bool>(
    isa: I,
    images: &Images,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    let count = <I::Bytes as Bytes>::Halves::COUNT;
    let mut encoder = Encoder::<I, TRANSLATE>::new(isa, images, W::BITS == 64);
    let vectors = to.chunks_exact_mut(count);
    for (to, rows) in vectors.zip(rows.chunks_exact(FIVE * count)) {
        encoder.encode(rows, to);
    }
    // What is left is less than a vector: the last vector's worth is done, some of it once more.
    let Some(last) = to.len().checked_sub(count) else {
        return (0, 0);
    };
    if let (Some(rows), Some(to)) = (rows.get(FIVE * last..), to.get_mut(last..)) {
        encoder.encode(rows, to);
    }
    (last + count, any_byte(isa, encoder.all))
}

/// Encodes five pieces a vector at a time.
struct Encoder<'a, I: Isa, const TRANSLATE: bool> {
    isa: I,
    images: &'a Images,
    fives: <I::Bytes as Bytes>::Fives,
    named: [u64; 2],
    /// The bits that any byte has.
    all: <I::Bytes as Bytes>::Halves,
}

impl<'a, I: Isa, const TRANSLATE: bool> Encoder<'a, I, TRANSLATE> {
    #[inline(always)]
    fn new(isa: I, images: &'a Images, wide: bool) -> Self {
        Encoder {
            isa,
            images,
            fives: I::Bytes::fives(isa, wide),
            // If the compiler knew them, it would make them anew for every vector.
            named: std::hint::black_box(FIFTH_BYTES),
            all: <I::Bytes as Bytes>::Halves::splat(isa, 0),
        }
    }

    #[inline(always)]
    fn encode<W: Vectors>(&mut self, rows: &[u8], to: &mut [W]) {
        let isa = self.isa;
        let (mut four, fifth) = I::Bytes::load_fives(isa, self.fives, rows);
        self.all = self.all | four | fifth;
        let indices = if <I::Bytes as Bytes>::Halves::TRANSLATES {
            if TRANSLATE {
                four = four.translate_bytes(isa, &self.images.codes);
            }
            let (low, high) = digits(isa, four);
            let fifth = fifth_by_tables(isa, self.images, [fifth, fifth], self.named);
            index_of_digits(isa, low, high, fifth)
        } else {
            index_of_codes(isa, four, fifth)
        };
        if W::BITS == 32 {
            indices.store(bytemuck::cast_slice_mut(to));
        } else {
            I::Bytes::store_fives(isa, indices, bytemuck::cast_slice_mut(to));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;
    use crate::dispatch;

    /// Translates all words of a slice, whether or not the backend has the instruction.
    #[inline(always)]
    fn translate_all<I: Isa>(isa: I, images: &Images, words: &mut [u32]) {
        for words in words.chunks_exact_mut(I::Of::<u32>::COUNT) {
            let x = I::Of::<u32>::load(isa, words);
            translate(isa, images, x).store(words);
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
            dispatch!(backend, isa => translate_all(isa, &TO_ALTERNATE, &mut found));
            for (&index, &found) in indices.iter().zip(&found) {
                assert_eq!(found, natural.to_alternate(index), "{backend}: {index:#o}");
            }
            dispatch!(backend, isa => translate_all(isa, &TO_NATURAL, &mut found));
            assert_eq!(found, indices, "{backend}");
        }
    }
}
