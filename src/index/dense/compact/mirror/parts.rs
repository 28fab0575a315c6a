//! A set of like pieces taken apart along the diagonal.

use super::super::sets::{LikeSet, Squares};
use crate::board::{Bitboard, Square};
use crate::index::dense::binomial::{CHOOSE, MAX_LIKE, greatest, place_in, rank_list, unrank_list};

pub(super) const DIAGONAL: Bitboard = Bitboard(0x8040_2010_0804_0201);

/// The squares whose file is greater than their rank.
const BELOW: Bitboard = {
    let mut set = Bitboard::EMPTY;
    let mut square = 0;
    while square < 64 {
        if square & 7 > square >> 3 {
            set = set.with(Square::new(square));
        }
        square += 1;
    }
    set
};

/// The number of the square's image under the mirror along the diagonal.
#[inline]
pub(in crate::index::dense::compact) fn mirrored(square: u8) -> u8 {
    (square & 7) << 3 | square >> 3
}

/// The numbers of pieces in each part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    /// Pieces on the diagonal.
    pub(super) a: u8,
    /// Pairs of squares that have a piece on both.
    pub(super) b: u8,
    /// Pieces without a partner.
    pub(super) s: u8,
    /// Different pairs of squares that these are on.
    pub(super) k: u8,
}

/// A set taken apart: the number of each part among all that there are.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    pub(super) split: Split,
    /// The squares on the diagonal.
    pub(super) on: u64,
    /// The pairs with a piece on both squares.
    pub(super) both: u64,
    /// The pairs with singles.
    pub(super) single: u64,
    /// The number of singles that each of these has.
    pub(super) excess: u64,
    /// A bit for each of these but the first, the last one's lowest: whether they are above the
    /// diagonal.
    pub(super) above: u64,
}

impl Numbers {
    /// The numbers for squares that are not shared, and whether they belong to the mirror image,
    /// because that one is numbered.
    #[inline(always)]
    pub(super) fn of_board(squares: Bitboard, free: Bitboard) -> (Numbers, bool) {
        let on = squares & DIAGONAL;
        let below = squares & BELOW;
        let above = (squares - on - below).flip_diagonal();
        let (both, single) = (below & above, below ^ above);
        let first = Bitboard(single.0 & single.0.wrapping_neg());
        let turned = !(first & above).is_empty();
        let above = if turned { below } else { above };
        let singles = single.len() as u8;
        let numbers = Numbers {
            split: Split {
                a: on.len() as u8,
                b: both.len() as u8,
                s: singles,
                k: singles,
            },
            on: rank_board(on, free & DIAGONAL),
            both: rank_board(both, free & BELOW),
            single: rank_board(single, (free & BELOW) - both),
            excess: 0,
            above: single.into_iter().fold(0, |bits, square| {
                bits << 1 | u64::from(above.contains(square))
            }),
        };
        (numbers, turned)
    }

    /// Does this for squares in ascending order, which may be shared; all are free.
    pub(super) fn of_list(sorted: &[u8]) -> (Numbers, bool) {
        let [mut on, mut both, mut single, mut excess] = [List::default(); 4];
        // How many pieces each pair of squares has below and above the diagonal, by the square below.
        let (mut counts, mut pairs) = ([[0u8; 2]; 64], Bitboard::EMPTY);
        for &square in sorted {
            let board = Bitboard(1 << square);
            if !(board & DIAGONAL).is_empty() {
                on.push(square);
                continue;
            }
            let is_above = (board & BELOW).is_empty();
            let pair = if is_above { mirrored(square) } else { square };
            counts[usize::from(pair)][usize::from(is_above)] += 1;
            pairs |= Bitboard(1 << pair);
        }
        let (mut above, mut turned) = (0, false);
        for pair in pairs.into_iter().map(Square::number) {
            let [below, over] = counts[usize::from(pair)];
            for _ in 0..below.min(over) {
                both.push(pair);
            }
            if below != over {
                let is_above = over > below;
                turned = if single.len == 0 { is_above } else { turned };
                above = above << 1 | u64::from(is_above != turned);
                single.push(pair);
                excess.push(below.abs_diff(over));
            }
        }
        let numbers = Numbers {
            split: Split {
                a: on.len as u8,
                b: both.len as u8,
                s: excess.get().iter().sum(),
                k: single.len as u8,
            },
            on: rank_list(on.get(), DIAGONAL, true),
            both: rank_list(both.get(), BELOW, true),
            single: rank_list(single.get(), BELOW, false),
            excess: rank_parts(excess.get()),
            above,
        };
        (numbers, turned)
    }

    /// The inverse of both: puts the pieces of a set, and returns their squares.
    pub(super) fn put(
        &self,
        free: Bitboard,
        shared: bool,
        set: &LikeSet,
        squares: &mut Squares,
    ) -> Bitboard {
        let list = |number, universe, len: u8, shared| {
            let mut list = List {
                len: len.into(),
                ..List::default()
            };
            unrank_list(number, universe, shared, &mut list.items[..list.len]);
            list
        };
        let Split { a, b, s, k } = self.split;
        let on = list(self.on, free & DIAGONAL, a, shared);
        let both = list(self.both, free & BELOW, b, shared);
        // Where squares are shared, singles may be on the pairs of others as well.
        let pairs = if shared {
            BELOW
        } else {
            (free & BELOW) - both.set()
        };
        let single = list(self.single, pairs, k, false);
        let mut excess = [0; MAX_LIKE];
        unrank_parts(self.excess, s.into(), &mut excess[..single.len]);

        let mut sorted = List::default();
        for &square in on.get() {
            sorted.push(square);
        }
        for &square in both.get() {
            sorted.push(square);
            sorted.push(mirrored(square));
        }
        for (j, &square) in single.get().iter().enumerate() {
            let above = self.above >> (single.len - 1 - j) & 1 != 0;
            for _ in 0..excess[j] {
                sorted.push(if above { mirrored(square) } else { square });
            }
        }
        sorted.items[..sorted.len].sort_unstable();
        set.put(sorted.get(), squares);
        sorted.set()
    }
}

/// The number of a set of squares out of others, as [`rank_list`] has it.
#[inline(always)]
fn rank_board(squares: Bitboard, universe: Bitboard) -> u64 {
    let mut number = 0;
    for (square, binomials) in squares.into_iter().zip(&CHOOSE[1..]) {
        number += binomials[place_in(universe, square.number())];
    }
    number
}

/// A short list.
#[derive(Clone, Copy, Default)]
struct List {
    items: [u8; MAX_LIKE],
    len: usize,
}

impl List {
    fn push(&mut self, item: u8) {
        self.items[self.len] = item;
        self.len += 1;
    }

    fn get(&self) -> &[u8] {
        &self.items[..self.len]
    }

    fn set(&self) -> Bitboard {
        let squares = self.get().iter();
        squares.map(|&s| Square::from_low_bits(s)).collect()
    }
}

/// The number of a sum of k positive parts among all with the same sum and k: the partial sums
/// less 1, without the last, are a subset.
fn rank_parts(parts: &[u8]) -> u64 {
    let mut sum = 0;
    let mut number = 0;
    for (j, &part) in parts.iter().enumerate() {
        if j > 0 {
            number += CHOOSE[j][sum - 1];
        }
        sum += usize::from(part);
    }
    number
}

/// The inverse of [`rank_parts`]: fills `parts` so that they add up to `sum`.
fn unrank_parts(mut number: u64, mut sum: usize, parts: &mut [u8]) {
    for j in (1..parts.len()).rev() {
        let before = greatest(j, number) + 1;
        number -= CHOOSE[j][before - 1];
        parts[j] = (sum - before) as u8;
        sum = before;
    }
    if let Some(first) = parts.first_mut() {
        *first = sum as u8;
    }
}
