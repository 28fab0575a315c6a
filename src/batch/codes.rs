//! Codes of squares that are bytes side by side: their recoding between the numberings, and the index of 32
//! bits that up to five of them make.

use crate::simd::{Bytes, Lanes, Vectors};

/// For each square of the quarter a1–d1–d4–a4, by its four bits r1 r0 f1 f0, its code under the alternate
/// numbering.
const QUARTER: [u8; 16] = [
    0o60, 0o00, 0o10, 0o20, //
    0o01, 0o61, 0o30, 0o40, //
    0o11, 0o31, 0o70, 0o50, //
    0o21, 0o41, 0o51, 0o71, //
];

/// Two tables, one by the lower four bits of a square and one by the upper two. The XOR of their entries
/// has the square folded into the quarter in its lower four bits; bits 5 and 6 tell whether the file and
/// the rank were mirrored.
const FOLD: [[u8; 16]; 2] = {
    let mut fold = [[0; 16]; 2];
    let mut bits = 0;
    while bits < 16 {
        let (right, rank) = (bits >> 2 & 1, bits >> 3);
        fold[0][bits as usize] = (bits ^ (right * 3)) & 3 | rank << 2 | right << 5;
        // Bits 4 and 5 of a square, the upper of which tells the half of the board.
        let (rank, upper) = (bits & 1, bits >> 1 & 1);
        fold[1][bits as usize] = (rank ^ upper) << 3 | upper << 2 | upper << 6;
        bits += 1;
    }
    fold
};

/// Two tables for codes whose digits are exchanged. The lower four bits of a code give the square in the
/// quarter, and the upper two give the bits that its mirrors toggle.
const UNFOLD: [[u8; 16]; 2] = {
    let mut unfold = [[0; 16]; 2];
    let mut bits = 0;
    while bits < 16 {
        let code = QUARTER[bits];
        let square = (bits & 3 | (bits & 12) << 1) as u8;
        unfold[0][((code & 1) << 3 | code >> 3) as usize] = square;
        unfold[1][bits] = ((bits as u8 & 1) * 0o7) | ((bits as u8 >> 1 & 1) * 0o70);
        bits += 1;
    }
    unfold
};

/// Tables from the codes of one numbering to the codes of the same squares under the other. Each table fills a
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
    const fn new(codes: [u8; 64]) -> Recoding {
        let (mut low, mut high) = (codes, codes);
        let mut code = 0;
        while code < 64 {
            low[code] &= 7;
            high[code] &= 0o70;
            code += 1;
        }
        Recoding { codes, low, high }
    }
}

/// From squares, which are the codes of the natural numbering, to codes of the alternate one.
pub(super) static TO_ALTERNATE: Recoding = {
    let mut codes = [0; 64];
    let mut square = 0;
    while square < 64 {
        let folded = FOLD[0][square & 15] ^ FOLD[1][square >> 4];
        codes[square] = QUARTER[(folded & 15) as usize] ^ folded >> 4 & 6;
        square += 1;
    }
    Recoding::new(codes)
};

/// From codes of the alternate numbering to squares.
pub(super) static TO_NATURAL: Recoding = {
    let mut squares = [0; 64];
    let mut square = 0;
    while square < 64 {
        squares[TO_ALTERNATE.codes[square] as usize] = square as u8;
        square += 1;
    }
    Recoding::new(squares)
};

/// The codes of the bytes, which are squares, under the alternate numbering. A byte that is not a square becomes any code.
#[inline(always)]
pub(super) fn codes_of_squares<B: Bytes>(isa: B::Isa, squares: B) -> B {
    let two = B::splat(isa, 0x0303_0303_0303_0303);
    let above = squares >> B::shift(isa, 4) & two;
    let folded = squares.look_up(isa, &FOLD[0]) ^ above.look_up(isa, &FOLD[1]);
    let mirrors = folded >> B::shift(isa, 4) & B::splat(isa, 0x0606_0606_0606_0606);
    folded.look_up(isa, &QUARTER) ^ mirrors
}

/// The squares of the bytes, which are codes of the alternate numbering with their digits exchanged: the low one stands
/// above the high one.
#[inline(always)]
pub(super) fn squares_of_turned_codes<B: Bytes>(isa: B::Isa, codes: B) -> B {
    let mirrors = codes >> B::shift(isa, 4) & B::splat(isa, 0x0303_0303_0303_0303);
    codes.look_up(isa, &UNFOLD[0]) ^ mirrors.look_up(isa, &UNFOLD[1])
}

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

/// An index of five pieces with each code replaced by the code of the other numbering.
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
