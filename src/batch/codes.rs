//! Codes of squares that are bytes side by side: their recoding between the numberings, and the index of 32
//! bits that up to five of them make.

use std::sync::LazyLock;

use super::lanes::{Lanes, Vectors};
use crate::board::Square;
use crate::index::Numbering;

/// Tables from the codes of one numbering to those of the other for the same squares. Each table fills a
/// cache line, so that a load of one never straddles two.
#[repr(C, align(64))]
pub(super) struct Recoding {
    /// For each code of the one numbering, the code of the other.
    pub(super) codes: [u8; 64],
    /// The low digits of these codes.
    low: [u8; 64],
    /// Eight times the high digits of these codes.
    high: [u8; 64],
}

impl Recoding {
    fn new(of_code: impl Fn(u8) -> u8) -> Recoding {
        let codes: [u8; 64] = std::array::from_fn(|code| of_code(code as u8));
        Recoding {
            codes,
            low: codes.map(|code| code & 7),
            high: codes.map(|code| code & 0o70),
        }
    }
}

/// From squares, which are the codes of the natural numbering, to codes of the alternate one.
pub(super) static TO_ALTERNATE: LazyLock<Recoding> =
    LazyLock::new(|| Recoding::new(|k| Numbering::Alternate.code(Square::from_low_bits(k))));

/// From codes of the alternate numbering to squares.
pub(super) static TO_NATURAL: LazyLock<Recoding> =
    LazyLock::new(|| Recoding::new(|code| Numbering::Alternate.square(code).number()));

/// A vector that repeats the same 32 bits, once or twice in every word.
#[inline(always)]
fn splat<W: Vectors, V: Lanes<W>>(isa: V::Isa, bits: u32) -> V {
    V::splat(isa, W::truncate(bits.into()))
}

/// The low digits of the codes in these vectors' bytes, and eight times the high digits.
#[inline(always)]
pub(super) fn digits<W: Vectors, V: Lanes<W>>(isa: V::Isa, codes: V) -> (V, V) {
    (
        codes & splat(isa, 0x0707_0707),
        codes & splat(isa, 0x3838_3838),
    )
}

/// The index of up to four codes, joined with the bits of `fifth`. Each digit is a byte; the high ones come
/// as eight times themselves. The layout's `half` is 6 to 15. If there are fewer than four pieces, the
/// other bytes must be zero.
#[inline(always)]
pub(super) fn index_of_digits<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    half: u32,
    (low, high): (V, V),
    fifth: V,
) -> V {
    // Products with 1 and 8 join digits in pairs, products with 1 and 64 join pairs in fours. The high
    // digits come as eight times themselves. Their products are 2^half times as great as those of the low
    // digits. For pieces 2 and 3 both factors are negative, as 2^15 is no positive number of 16 bits with
    // sign.
    let low = low.sum_of_products_of_8(splat(isa, 0x0801_0801));
    let high = high.sum_of_products_of_8(splat(isa, 0xc0f8_4008));
    let low = low.sum_of_products_of_16_or(splat(isa, 0x0040_0001), fifth);
    let fours = 1u32 << (half - 6) | (1u32 << half).wrapping_neg() << 16;
    high.sum_of_products_of_16_or(splat(isa, fours), low)
}

/// The digits of piece 4 in their places in an index of five pieces. The piece's code is both the second
/// and the highest byte of every 32 bits; the other bytes may be anything.
#[inline(always)]
pub(super) fn fifth_of_bytes<W: Vectors, V: Lanes<W>>(isa: V::Isa, codes: V) -> V {
    // The high digit is in place, the low one four bits below. Taking bytes is left to port 5, which has less
    // to do here than the one that multiplies.
    if V::TRANSLATES {
        return codes.take_bytes(isa, [0, 4, 16, 24]) & splat(isa, 0o7 << 27 | 0o7 << 12);
    }
    (codes & splat(isa, 0x3800_0700)).low_product_of_16(splat(isa, 0x0001_0010))
}

/// An index of five pieces with each code replaced by that of the other numbering.
///
/// This is for vectors that [translate](Lanes::TRANSLATES) bytes.
#[inline(always)]
pub(super) fn recode_five<W: Vectors, V: Lanes<W>>(isa: V::Isa, to: &Recoding, x: V) -> V {
    // For each piece two bytes: one begins with its low digit, and the other has its high digit three bits
    // up.
    let lows = x.take_bytes(isa, [0, 3, 6, 9]);
    let ends = x.take_bytes(isa, [12, 15, 18, 21]);
    let four = lows.choose_bits(splat(isa, 0x0707_0707), ends);
    let digits = (
        four.translate_bytes(isa, &to.low),
        four.translate_bytes(isa, &to.high),
    );
    // The code of piece 4 is made in the highest byte.
    let high = splat(isa, 0o7 << 27);
    let twelve = V::shift(isa, 12);
    let fifth = x.choose_bits(high, x << twelve);
    let fifth = fifth.translate_bytes(isa, &to.codes);
    let fifth = fifth.choose_bits(high, fifth >> twelve) & splat(isa, 0o7 << 27 | 0o7 << 12);
    index_of_digits(isa, 15, digits, fifth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;
    use crate::batch::lanes::Isa;
    use crate::dispatch;
    use crate::index::Layout;

    /// Recodes all words of a slice, on backends without the instruction, too.
    #[inline(always)]
    fn recode_all<I: Isa>(isa: I, to: &Recoding, words: &mut [u32]) {
        for words in words.chunks_exact_mut(I::Of::<u32>::COUNT) {
            let x = I::Of::<u32>::load(isa, words);
            recode_five(isa, to, x).store(words);
        }
    }

    #[test]
    fn conversion_by_tables_equals_conversion_by_planes() {
        let natural = Layout::<u32>::natural(5);
        // Indices with every square for every piece, and with the other pieces anywhere.
        let indices: Vec<u32> = (0..1 << 16)
            .map(|k: u32| k.wrapping_mul(0x9e37_79b9) >> 2)
            .chain((0..64).flat_map(|code| (0..5).map(move |k| natural.place(code, k))))
            .collect();
        for backend in Backend::available() {
            let mut found = indices.clone();
            dispatch!(backend, isa => recode_all(isa, &TO_ALTERNATE, &mut found));
            for (&index, &found) in indices.iter().zip(&found) {
                assert_eq!(found, natural.to_alternate(index), "{backend}: {index:#o}");
            }
            dispatch!(backend, isa => recode_all(isa, &TO_NATURAL, &mut found));
            assert_eq!(found, indices, "{backend}");
        }
    }
}
