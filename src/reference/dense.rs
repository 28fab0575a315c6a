//! Dense numbers as generators compute them: small tables, a loop over the pieces.
//!
//! The slots have the orders of [`Kings`](crate::Kings) and [`Compact`](crate::Compact), so that they can be
//! compared: the oracle of the tests and the rival of the benches. There are no pawns; with both kings on
//! the diagonal a position and its mirror image both have slots.

use crate::board::Material;
use crate::index::Word;

use super::{code, from_codes};

/// The squares of the a1–d1–d4 triangle in their order: below the diagonal, then on it.
const TRIANGLE: [(u8, u8); 10] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (2, 1),
    (3, 1),
    (3, 2),
    (0, 0),
    (1, 1),
    (2, 2),
    (3, 3),
];

/// No number.
const NONE: u16 = u16::MAX;

/// The most pieces that are handled.
const MAX_PIECES: usize = 10;

/// The tables that a generator has: which squares of the leading king fold how, the number of each
/// pair of kings, binomial coefficients.
#[derive(Clone, Debug)]
pub struct Tables {
    /// For each square its number in the triangle, or 255.
    triangle: [u8; 64],
    /// For each square of the triangle and each square of the other king the pair's number.
    pair: [[u16; 64]; 10],
    /// The kings' squares of each pair.
    squares: Vec<[u8; 2]>,
    /// The file less the rank: negative above the diagonal.
    off_diagonal: [i8; 64],
    /// The image along the diagonal.
    diagonal: [u8; 64],
    /// Binomial coefficients by k and n.
    choose: [[u64; 73]; 9],
}

impl Default for Tables {
    fn default() -> Tables {
        let mut tables = Tables {
            triangle: [255; 64],
            pair: [[NONE; 64]; 10],
            squares: Vec::new(),
            off_diagonal: std::array::from_fn(|s| (s % 8) as i8 - (s / 8) as i8),
            diagonal: std::array::from_fn(|s| (8 * (s % 8) + s / 8) as u8),
            choose: [[0; 73]; 9],
        };
        for both_on_diagonal in [false, true] {
            for (t, &(file, rank)) in TRIANGLE.iter().enumerate() {
                let white = 8 * rank + file;
                tables.triangle[usize::from(white)] = t as u8;
                for black in 0..64u8 {
                    let (f, r) = (black % 8, black / 8);
                    let apart = file.abs_diff(f).max(rank.abs_diff(r)) > 1;
                    let (on_white, on_black) = (file == rank, f == r);
                    if apart && !(on_white && r > f) && (on_white && on_black) == both_on_diagonal {
                        tables.pair[t][usize::from(black)] = tables.squares.len() as u16;
                        tables.squares.push([white, black]);
                    }
                }
            }
        }
        for n in 0..73 {
            tables.choose[0][n] = 1;
            for k in 1..9.min(n + 1) {
                tables.choose[k][n] = tables.choose[k - 1][n - 1] + tables.choose[k][n - 1];
            }
        }
        tables
    }
}

impl Tables {
    /// The squares of a natural index's pieces, folded by the kings, and the number of the kings'
    /// pair; `None` if they touch.
    #[inline]
    fn fold<W: Word>(&self, pieces: usize, index: W) -> Option<(usize, [u8; MAX_PIECES])> {
        let mut squares = [0; MAX_PIECES];
        for (k, square) in squares[..pieces].iter_mut().enumerate() {
            *square = code(pieces, index, k);
        }
        let folded = &mut squares[..pieces];
        let (white, black) = (pieces - 1, pieces - 2);
        if folded[white] & 4 != 0 {
            folded.iter_mut().for_each(|s| *s ^= 7);
        }
        if folded[white] & 32 != 0 {
            folded.iter_mut().for_each(|s| *s ^= 56);
        }
        let off = |s: u8| self.off_diagonal[usize::from(s)];
        if off(folded[white]) < 0 || off(folded[white]) == 0 && off(folded[black]) < 0 {
            for square in folded.iter_mut() {
                *square = self.diagonal[usize::from(*square)];
            }
        }
        let lead = self.triangle[usize::from(folded[white])];
        let pair = self.pair[usize::from(lead)][usize::from(folded[black])];
        (pair != NONE).then_some((usize::from(pair), squares))
    }

    /// The slot of a natural index in the numbering by king pairs and base-64 digits.
    #[must_use]
    #[inline]
    pub fn rank_kings<W: Word>(&self, pieces: usize, index: W) -> Option<u64> {
        let (pair, squares) = self.fold(pieces, index)?;
        let others = squares[..pieces - 2].iter().rev();
        Some(others.fold(pair as u64, |slot, &square| slot * 64 + u64::from(square)))
    }

    /// The natural index of a slot in the numbering by king pairs and base-64 digits.
    #[must_use]
    #[inline]
    pub fn unrank_kings<W: Word>(&self, pieces: usize, mut slot: u64) -> W {
        let mut squares = [0; MAX_PIECES];
        for square in &mut squares[..pieces - 2] {
            *square = (slot % 64) as u8;
            slot /= 64;
        }
        [squares[pieces - 1], squares[pieces - 2]] = self.squares[slot as usize];
        from_squares(&squares[..pieces])
    }

    /// The slot of a natural index in the numbering by king pairs and sets of like pieces, squares
    /// not shared. `like` has the [`like_counts`].
    #[must_use]
    #[inline]
    pub fn rank_compact<W: Word>(&self, like: &[usize], index: W) -> Option<u64> {
        let pieces = 2 + like.iter().sum::<usize>();
        let (pair, squares) = self.fold(pieces, index)?;
        let mut slot = pair as u64;
        // The pieces are taken from the last number down; earlier ones are in the way.
        let mut next = pieces - 2;
        for &count in like {
            let mut set = [0; MAX_PIECES];
            let set = &mut set[..count];
            set.copy_from_slice(&squares[next - count..next]);
            set.sort_unstable();
            let before = &squares[next..pieces];
            let free = 64 - before.len();
            let mut after = 0;
            for j in 0..count {
                if before.contains(&set[j]) || j > 0 && set[j] == set[j - 1] {
                    return None;
                }
                let below = before.iter().filter(|&&s| s < set[j]).count();
                let place = usize::from(set[j]) - below;
                after += self.choose[count - j][free - 1 - place];
            }
            let ways = self.choose[count][free];
            slot = slot * ways + ways - 1 - after;
            next -= count;
        }
        Some(slot)
    }

    /// The natural index of a slot in the numbering by king pairs and sets of like pieces.
    #[must_use]
    #[inline]
    pub fn unrank_compact<W: Word>(&self, like: &[usize], mut slot: u64) -> W {
        let pieces = 2 + like.iter().sum::<usize>();
        let mut digits = [0; MAX_PIECES];
        let mut free = 64 - pieces;
        for (digit, &count) in digits.iter_mut().zip(like).rev() {
            free += count;
            let ways = self.choose[count][free];
            *digit = slot % ways;
            slot /= ways;
        }
        let mut squares = [0; MAX_PIECES];
        [squares[pieces - 1], squares[pieces - 2]] = self.squares[slot as usize];
        let mut next = pieces - 2;
        for (&digit, &count) in digits.iter().zip(like) {
            let mut before = [0; MAX_PIECES];
            let before = &mut before[..pieces - next];
            before.copy_from_slice(&squares[next..pieces]);
            before.sort_unstable();
            let free = 64 - before.len();
            let mut after = self.choose[count][free] - 1 - digit;
            let mut place = 0;
            for j in 0..count {
                while self.choose[count - j][free - 1 - place] > after {
                    place += 1;
                }
                after -= self.choose[count - j][free - 1 - place];
                let square = before
                    .iter()
                    .fold(place as u8, |s, &taken| s + u8::from(taken <= s));
                squares[next - 1 - j] = square;
                place += 1;
            }
            next -= count;
        }
        from_squares(&squares[..pieces])
    }
}

/// The number of like pieces of each kind, by falling piece numbers and without the kings, in a material
/// without pawns.
#[must_use]
pub fn like_counts(material: Material) -> Vec<usize> {
    let pieces: Vec<_> = material.index_order().collect();
    // Like pieces follow each other.
    let kinds = pieces[..pieces.len() - 2].chunk_by(|a, b| a == b);
    kinds.rev().map(<[_]>::len).collect()
}

#[inline]
fn from_squares<W: Word>(squares: &[u8]) -> W {
    // In the natural numbering a square's code is its number.
    from_codes(squares)
}
