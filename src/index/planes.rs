//! The change of numbering, on planes of bits.
//!
//! In the natural numbering the file is the low digit `f2 f1 f0` and the rank the high digit
//! `r2 r1 r0`. Folded into the a1–d1–d4–a4 quarter, the square has a file `a = (f1 ^ f2, f0 ^ f2)` and
//! a rank `b = (r1 ^ r2, r0 ^ r2)` of two bits each, and `e = a ^ b` tells the pair {a, b} of an
//! orbit almost alone:
//!
//! | orbit (high digit) | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//! |---|---|---|---|---|---|---|---|---|
//! | {a, b} | 0,1 | 0,2 | 0,3 | 1,2 | 1,3 | 2,3 | 0,0 and 1,1 | 2,2 and 3,3 |
//! | e | 1 | 2 | 3 | 3 | 2 | 1 | 0 | 0 |
//!
//! All planes are kept in bit 0 of the low digits, whose places are the bits of `ones`; `half` is the distance
//! from a low digit to its high digit. With one piece, `ones` is 1 and `half` is 3, and an index is a code.

use super::Word;
use crate::simd::Lanes;

/// The alternate index of a natural one.
#[inline(always)]
pub(crate) fn natural_to_alternate<W: Word, V: Lanes<W>>(
    isa: V::Isa,
    x: V,
    ones: W,
    half: u32,
) -> V {
    let ones = V::splat(isa, ones);
    let by = {
        #[inline(always)]
        |bits| V::shift(isa, bits)
    };
    let plane = {
        #[inline(always)]
        |bit: u32| x >> by(bit) & ones
    };
    let (f2, r2) = (plane(2), plane(half + 2));
    let (a0, a1) = (plane(0) ^ f2, plane(1) ^ f2);
    let (b0, b1) = (plane(half) ^ r2, plane(half + 1) ^ r2);
    let (e0, e1) = (a0 ^ b0, a1 ^ b1);
    let on_diagonal = ones ^ (e0 | e1);

    // Orbits 4 (e = 2, so that a0 = b0 = 1) and 5 (e = 1, a1 = b1 = 1), and the diagonals.
    let h2 = on_diagonal | (e1 & !e0 & a0) | (e0 & !e1 & a1);
    // Orbits 2 and 3 (e = 3), and the diagonals.
    let h1 = ones ^ e0 ^ e1;
    // e = 0 or 1: the upper of the two orbits has a1. e = 2: the lower, without a0. e = 3: orbit 3
    // is {1, 2}, whose members have two different bits.
    let h0 = (a1 & !(e1 & !e0)) ^ (e1 & (a0 ^ (ones & !e0)));
    // Above the diagonal: b > a, decided by the highest bit in which they differ. On the diagonal
    // e1 is 0, and b0 = a0 is the bit that tells its two squares apart.
    let l0 = (e1 & b1) | (b0 & !e1);

    (h2 << by(2) | h1 << by(1) | h0) << by(half) | r2 << by(2) | f2 << by(1) | l0
}

/// The natural index of an alternate one.
#[inline(always)]
pub(crate) fn alternate_to_natural<W: Word, V: Lanes<W>>(
    isa: V::Isa,
    x: V,
    ones: W,
    half: u32,
) -> V {
    let ones = V::splat(isa, ones);
    let by = {
        #[inline(always)]
        |bits| V::shift(isa, bits)
    };
    let plane = {
        #[inline(always)]
        |bit: u32| x >> by(bit) & ones
    };
    let (l0, f2, r2) = (plane(0), plane(1), plane(2));
    let (h0, h1, h2) = (plane(half), plane(half + 1), plane(half + 2));
    let on_diagonal = h2 & h1;

    // The smaller (s) and the greater (g) of {a, b}, off the diagonals.
    let s1 = h2 & h0;
    let s0 = (h2 ^ h1) & (h2 ^ h0);
    let g1 = h0 | h1 | h2;
    let g0 = h2 | (ones ^ h0);
    // Orbits 6 and 7 have a = b = (h0, l0). Elsewhere l0 says that b is the greater: exchange.
    let differ1 = (s1 ^ g1) & l0;
    let differ0 = (s0 ^ g0) & l0;
    let choose = {
        #[inline(always)]
        |off: V, on: V| (off & !on_diagonal) | (on & on_diagonal)
    };
    let (a1, b1) = (choose(g1 ^ differ1, h0), choose(s1 ^ differ1, h0));
    let (a0, b0) = (choose(g0 ^ differ0, l0), choose(s0 ^ differ0, l0));

    let file = f2 << by(2) | (a1 ^ f2) << by(1) | (a0 ^ f2);
    let rank = r2 << by(2) | (b1 ^ r2) << by(1) | (b0 ^ r2);
    rank << by(half) | file
}
