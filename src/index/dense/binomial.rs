//! Numbers of subsets, and the numbering of subsets and multisets.

use crate::board::{Bitboard, Square};

/// The most pieces of one kind that are numbered: ten pieces less the kings.
pub(super) const MAX_LIKE: usize = 8;

/// The most squares to choose from: 64, and one more for every repetition.
const MAX_SQUARES: usize = 64 + MAX_LIKE;

/// `CHOOSE[k][n]` is the number of k-subsets of n things.
pub(super) static CHOOSE: [[u64; MAX_SQUARES]; MAX_LIKE + 1] = {
    let mut table = [[0; MAX_SQUARES]; MAX_LIKE + 1];
    let mut n = 0;
    while n < MAX_SQUARES {
        table[0][n] = 1;
        let mut k = 1;
        while k <= MAX_LIKE && k <= n {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// [`CHOOSE`] with the two most frequent rows computed.
#[inline(always)]
pub(super) fn choose_few(n: usize, k: usize) -> u64 {
    match k {
        1 => n as u64,
        2 => (n as u64 * (n as u64).wrapping_sub(1)) >> 1,
        _ => CHOOSE[k][n],
    }
}

/// The number of k-subsets of n things, for any n and k that occur with up to 21 pieces.
pub(crate) fn choose(n: usize, k: usize) -> u128 {
    if k > n {
        return 0;
    }
    // The running value is C(n, j) at each step, so the division is exact.
    (0..k).fold(1, |value, j| value * (n - j) as u128 / (j + 1) as u128)
}

/// The number of ways to choose k of n things, repeated or not.
pub(super) fn choose_from(n: usize, k: usize, repeated: bool) -> u128 {
    match (repeated, k) {
        (_, 0) => 1,
        (true, _) if n > 0 => choose(n + k - 1, k),
        (true, _) => 0,
        (false, _) => choose(n, k),
    }
}

/// The number of squares of a set that have a smaller number than this one.
#[inline]
pub(super) fn place_in(universe: Bitboard, square: u8) -> usize {
    (universe & Bitboard((1 << square) - 1)).len() as usize
}

/// The square of a set with a given place.
#[inline]
pub(super) fn square_at(universe: Bitboard, place: usize) -> u8 {
    let mut rest = universe.0;
    for _ in 0..place {
        rest &= rest - 1;
    }
    Bitboard(rest)
        .first()
        .map_or(0, |square: Square| square.number())
}

/// The colexicographic number of ascending squares out of a set: Σ C(pⱼ, j) over their places p₁ <
/// p₂ < …; of places with repetitions, Σ C(pⱼ + j − 1, j).
pub(super) fn rank_list(squares: &[u8], universe: Bitboard, repeated: bool) -> u64 {
    let places = squares.iter().enumerate();
    places
        .map(|(j, &square)| {
            let shift = if repeated { j } else { 0 };
            CHOOSE[j + 1][place_in(universe, square) + shift]
        })
        .sum()
}

/// The inverse of [`rank_list`]: fills `squares`.
pub(super) fn unrank_list(mut number: u64, universe: Bitboard, repeated: bool, squares: &mut [u8]) {
    for (j, square) in squares.iter_mut().enumerate().rev() {
        let place = greatest(j + 1, number);
        number -= CHOOSE[j + 1][place];
        *square = square_at(universe, place - if repeated { j } else { 0 });
    }
}

/// `FROM[k][b]` is the greatest n with C(n, k) < 2ᵇ: numbers of b + 1 bits are to be looked for from
/// there to `FROM[k][b + 1]`.
static FROM: [[u8; 66]; MAX_LIKE + 1] = {
    let mut table = [[0; 66]; MAX_LIKE + 1];
    let mut k = 1;
    while k <= MAX_LIKE {
        let mut bits = 0;
        while bits < 66 {
            let mut n = 0;
            while n + 1 < MAX_SQUARES && (CHOOSE[k][n + 1] as u128) < 1 << bits {
                n += 1;
            }
            table[k][bits] = n as u8;
            bits += 1;
        }
        k += 1;
    }
    table
};

/// The greatest n with C(n, k) ≤ `number`, for k from 1 on.
#[inline(always)]
pub(super) fn greatest(k: usize, number: u64) -> usize {
    match k {
        1 => number as usize,
        2 => {
            // n(n − 1)/2 ≤ number. The root is exact: its argument is far below 2^53.
            let root = ((8 * number + 1) as f64).sqrt();
            (root as usize).div_ceil(2)
        }
        _ => {
            let row = &CHOOSE[k];
            let bits = (u64::BITS - number.leading_zeros()) as usize;
            let mut least = usize::from(FROM[k][bits.saturating_sub(1)]);
            let mut most = usize::from(FROM[k][bits]);
            // C(least, k) ≤ number < C(most + 1, k).
            while least < most {
                let middle = (least + most).div_ceil(2);
                if row[middle] <= number {
                    least = middle;
                } else {
                    most = middle - 1;
                }
            }
            least
        }
    }
}
