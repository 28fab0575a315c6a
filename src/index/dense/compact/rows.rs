//! Rows of numbers, one for each position of a block, and operations on whole rows.

use std::ops::{Deref, DerefMut};
use std::slice;

use super::sets::PAWN_SQUARES;
use crate::board::Bitboard;
use crate::index::Word;
use crate::index::dense::binomial::{CHOOSE, MAX_LIKE};

/// The positions of a block.
pub(crate) const BLOCK: usize = 64;

/// A number for each position of a block. It begins with a cache line: a vector that straddles two takes twice the time.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct BlockRow<T = u32>([T; BLOCK]);

impl<T: Copy> BlockRow<T> {
    /// The same number for each position.
    #[inline(always)]
    pub(crate) fn all(number: T) -> BlockRow<T> {
        BlockRow([number; BLOCK])
    }
}

impl<T> Deref for BlockRow<T> {
    type Target = [T; BLOCK];

    #[inline(always)]
    fn deref(&self) -> &[T; BLOCK] {
        &self.0
    }
}

impl<T> DerefMut for BlockRow<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; BLOCK] {
        &mut self.0
    }
}

impl<'a, T> IntoIterator for &'a BlockRow<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    #[inline(always)]
    fn into_iter(self) -> slice::Iter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut BlockRow<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    #[inline(always)]
    fn into_iter(self) -> slice::IterMut<'a, T> {
        self.0.iter_mut()
    }
}

/// `CHOOSE` in 32 bits, which up to eight of 62 squares fit, with room for any index of 7 bits.
pub(super) static FEW: [[u32; 128]; MAX_LIKE + 1] = {
    let mut table = [[u32::MAX; 128]; MAX_LIKE + 1];
    let mut k = 0;
    while k <= MAX_LIKE {
        let mut n = 0;
        while n <= 62 {
            table[k][n] = CHOOSE[k][n] as u32;
            n += 1;
        }
        k += 1;
    }
    table
};

/// C(n, K) for n up to 62 and K from 2 to 5, and without a table, which vectors are slow to look into:
/// n(n − 1) … divided by K! without a remainder, so that a shift divides by the power of two in it,
/// and a product with an inverse modulo 2³² by the odd rest.
#[inline(always)]
fn choose<const K: u32>(n: u32) -> u32 {
    let mut product = n;
    for k in 1..K {
        product = product.wrapping_mul(n.wrapping_sub(k));
    }
    let shift = const { factorial(K).trailing_zeros() };
    let inverse = const { inverse(factorial(K) >> factorial(K).trailing_zeros()) };
    (product >> shift).wrapping_mul(inverse)
}

const fn factorial(k: u32) -> u32 {
    if k == 0 { 1 } else { k * factorial(k - 1) }
}

/// The inverse of an odd number modulo 2³², by Newton's iteration: three bits are right at first, and
/// each step doubles them.
const fn inverse(odd: u32) -> u32 {
    let mut inverse = odd;
    let mut bits = 3;
    while bits < u32::BITS {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// Adds C(n, k) for every n of a row.
#[inline(always)]
pub(super) fn add_choose(row: &BlockRow, k: usize, to: &mut BlockRow) {
    match k {
        1 => add_each(row, to, |n| n),
        2 => add_each(row, to, choose::<2>),
        3 => add_each(row, to, choose::<3>),
        4 => add_each(row, to, choose::<4>),
        5 => add_each(row, to, choose::<5>),
        _ => add_each(row, to, |n| FEW[k][n as usize & 127]),
    }
}

#[inline(always)]
fn add_each(row: &BlockRow, to: &mut BlockRow, of: impl Fn(u32) -> u32) {
    for (to, &n) in to.iter_mut().zip(row) {
        *to = to.wrapping_add(of(n));
    }
}

/// The greatest n with C(n, k) ≤ the number, for every number of a row.
#[inline(always)]
pub(super) fn greatest_row(row: &BlockRow, k: usize) -> BlockRow {
    let mut out = BlockRow::all(0);
    match k {
        1 => out = *row,
        2 => {
            for (out, &number) in out.iter_mut().zip(row) {
                // n(n − 1)/2 ≤ number; the root's argument has less than 24 bits.
                let root = ((8 * (number & 0xf_ffff) + 1) as f32).sqrt();
                *out = (root as i32 as u32 + 1) >> 1;
            }
        }
        3 => search_each(row, &mut out, choose::<3>),
        4 => search_each(row, &mut out, choose::<4>),
        5 => search_each(row, &mut out, choose::<5>),
        _ => search_each(row, &mut out, |n| FEW[k][n as usize & 127]),
    }
    out
}

/// By halves: the greatest n of up to 62 for which an increasing function is not above the number.
#[inline(always)]
fn search_each(row: &BlockRow, out: &mut BlockRow, of: impl Fn(u32) -> u32) {
    for step in [32, 16, 8, 4, 2, 1] {
        for (n, &number) in out.iter_mut().zip(row) {
            let more = of(*n + step) <= number;
            *n += if more { step } else { 0 };
        }
    }
}

/// Puts the smaller of two neighbouring rows' numbers into the first.
#[inline(always)]
pub(super) fn exchange(rows: &mut [BlockRow], at: usize) {
    let (a, b) = rows.split_at_mut(at + 1);
    for (a, b) in a[at].iter_mut().zip(&mut b[0]) {
        (*a, *b) = ((*a).min(*b), (*a).max(*b));
    }
}

/// For each position the entry for its number of kings among the pawns' squares; of materials without
/// pawns the first.
#[inline(always)]
pub(super) fn by_kings<T: Copy>(table: [T; 4], among: Option<&BlockRow>, to: &mut BlockRow<T>) {
    match among {
        None => to.fill(table[0]),
        Some(among) => {
            for (to, &among) in to.iter_mut().zip(among) {
                *to = table[among as usize & 3];
            }
        }
    }
}

/// The squares that a set of pieces chooses from, in numbers.
#[derive(Clone, Copy)]
pub(super) struct Zone {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Zone {
    pub(super) fn of(zone: Bitboard) -> Zone {
        if zone == Bitboard::ALL {
            Zone { first: 0, last: 63 }
        } else {
            Zone { first: 8, last: 55 }
        }
    }
}

/// The squares of the two leading pieces of natural indices.
#[inline(always)]
pub(super) fn kings_rows<W: Word>(half: u32, indices: &[W; BLOCK], rows: &mut [BlockRow]) {
    for (row, lead) in rows.iter_mut().zip([3, 6]) {
        for (square, &index) in row.iter_mut().zip(indices) {
            let high = (index >> (2 * half - lead)).low_byte() & 7;
            let low = (index >> (half - lead)).low_byte() & 7;
            *square = u32::from(high << 3 | low);
        }
    }
}

/// The number of kings that stand where pawns may.
#[inline(always)]
pub(super) fn kings_among_pawns(kings: &[BlockRow]) -> BlockRow {
    let zone = Zone::of(PAWN_SQUARES);
    let mut among = BlockRow::all(0);
    for row in kings {
        for (among, &square) in among.iter_mut().zip(row) {
            *among += u32::from(square >= zone.first && square <= zone.last);
        }
    }
    among
}

/// The positions whose number is not below `from`.
#[inline(always)]
pub(super) fn where_at_least(row: &BlockRow, from: u32) -> impl Iterator<Item = usize> + use<> {
    let mut bits = 0u64;
    for (i, &number) in row.iter().enumerate() {
        bits |= u64::from(number >= from) << i;
    }
    Bitboard(bits).into_iter().map(crate::board::Square::index)
}
