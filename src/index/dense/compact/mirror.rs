//! What is left when both kings are on the diagonal: to number placements up to the mirror along it.
//!
//! The mirror pairs each square below the diagonal with one above it and keeps the eight squares on
//! it. As long as the sets of like pieces numbered so far are their own mirror images, so are the
//! free squares: d of them on the diagonal and p pairs. A set of m like pieces is then taken apart:
//!
//! - A: the a pieces on the diagonal,
//! - B: b pairs with a piece on both squares,
//! - S: s pieces on one square of a pair whose other square is empty (or has fewer of them), on k
//!   different pairs, each *below* or *above*,
//!
//! with a + 2b + s = m. The mirror keeps A and B and turns every piece of S around. If there is no S,
//! the set is its own mirror image, and the question is passed on to the next set, which has d − a
//! free squares on the diagonal. If there is one, then of a placement and its mirror image one has
//! the first pair of S below; that one is numbered, the sets after it as usual. So the
//! number of a set is made of the numbers of A, B, of S's pairs, of how many pieces are on each of them
//! (one, unless squares are shared), and of k − 1 choices of below and above.
//!
//! All these are counted by binomial coefficients, so that ranking and unranking need no search
//! beyond the few ways to write m as a + 2b + s.

use super::Squares;
use super::sets::LikeSet;
use crate::board::{Bitboard, Square};
use crate::index::dense::binomial::{
    CHOOSE, MAX_LIKE, choose, choose_from, greatest, rank_list, unrank_list,
};

const DIAGONAL: Bitboard = Bitboard(0x8040_2010_0804_0201);

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
pub(super) fn mirrored(square: u8) -> u8 {
    (square & 7) << 3 | square >> 3
}

/// A way to take a set apart, with its share of the numbers.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Pieces on the diagonal.
    a: usize,
    /// Pairs of squares that have a piece on both.
    b: usize,
    /// Pieces without a partner.
    s: usize,
    /// Different pairs of squares that these are on.
    k: usize,
    /// The first number of the shape.
    first: u128,
    /// How many sets have this shape, mirror images counted once.
    ways: u128,
    /// How many numbers the sets after this one take.
    rest: u128,
    /// The possibilities of B, of S's pairs, and of the pieces on each of these.
    counts: [u128; 3],
}

/// The numbering of the placements with both kings on the diagonal, up to the mirror along it.
#[derive(Clone, Debug)]
pub(super) struct Mirror {
    shared: bool,
    /// By set and by the number of free squares on the diagonal.
    shapes: Vec<Vec<Vec<Shape>>>,
    size: u128,
}

/// A set taken apart. Squares of pairs are those below the diagonal.
struct Parts {
    on: List,
    both: List,
    single: List,
    /// How many pieces each single has more on one square of the pair than on the other.
    excess: List,
    /// Whether these are above the diagonal.
    above: [bool; MAX_LIKE],
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

impl Parts {
    fn of(sorted: &[u8]) -> Parts {
        let mut parts = Parts {
            on: List::default(),
            both: List::default(),
            single: List::default(),
            excess: List::default(),
            above: [false; MAX_LIKE],
        };
        // Pieces below and above, on the squares of their pairs, both ascending.
        let (mut below, mut above) = (List::default(), List::default());
        for &square in sorted {
            let board = Bitboard(1 << square);
            if !(board & DIAGONAL).is_empty() {
                parts.on.push(square);
            } else if !(board & BELOW).is_empty() {
                below.push(square);
            } else {
                above.push(mirrored(square));
            }
        }
        above.items[..above.len].sort_unstable();
        let (mut x, mut y) = (below.get(), above.get());
        loop {
            match (x.first(), y.first()) {
                (Some(p), Some(q)) if p == q => {
                    parts.both.push(*p);
                    (x, y) = (&x[1..], &y[1..]);
                }
                (Some(&p), q) if q.is_none_or(|&q| p < q) => {
                    parts.push_single(p, false);
                    x = &x[1..];
                }
                (_, Some(&q)) => {
                    parts.push_single(q, true);
                    y = &y[1..];
                }
                _ => return parts,
            }
        }
    }

    fn push_single(&mut self, pair: u8, above: bool) {
        if self.single.get().last() == Some(&pair) {
            self.excess.items[self.excess.len - 1] += 1;
            return;
        }
        self.above[self.single.len] = above;
        self.single.push(pair);
        self.excess.push(1);
    }

    fn singles(&self) -> usize {
        self.excess.get().iter().map(|&e| usize::from(e)).sum()
    }
}

impl Mirror {
    /// The numbering of these sets, where `choices` has the number of possibilities of each once the
    /// mirror is no matter any more.
    pub(super) fn new(sets: &[LikeSet], choices: &[u128], shared: bool) -> Mirror {
        // The sizes of what follows a set, by the free squares on the diagonal.
        let mut sizes = vec![1u128; 9];
        let mut after = 1u128;
        let mut shapes = Vec::new();
        for (i, set) in sets.iter().enumerate().rev() {
            let before: usize = sets[..i].iter().map(|set| set.count).sum();
            let free = if shared {
                64
            } else {
                62usize.saturating_sub(before)
            };
            let by_diagonal: Vec<Vec<Shape>> = (0..=8)
                .map(|d| {
                    let pairs = (d <= free && (free - d) % 2 == 0).then(|| (free - d) / 2);
                    pairs.map_or(Vec::new(), |p| {
                        Shape::all(set.count, (d, p), shared, after, &sizes)
                    })
                })
                .collect();
            sizes = by_diagonal.iter().map(|list| Shape::end(list)).collect();
            shapes.push(by_diagonal);
            after *= choices[i];
        }
        shapes.reverse();
        let d = if shared { 8 } else { 6 };
        Mirror {
            shared,
            shapes,
            size: sizes[d],
        }
    }

    /// How many placements there are up to the mirror.
    pub(super) const fn size(&self) -> u128 {
        self.size
    }

    /// The number of the first set at or after set `i` that is not its own mirror image, with all
    /// before it; then the sets that are left, to be numbered as usual, after `squares` has been
    /// mirrored if need be. `None` if a square is shared where it may not be.
    pub(super) fn rank(
        &self,
        sets: &[LikeSet],
        kings: Bitboard,
        squares: &mut Squares,
    ) -> Option<Tied> {
        let mut tied = Tied {
            number: 0,
            sets: 0,
            occupied: if self.shared { Bitboard::EMPTY } else { kings },
            broken: false,
        };
        for (i, set) in sets.iter().enumerate() {
            let sorted = set.sorted(squares);
            let sorted = &sorted[..set.count];
            let taken: Bitboard = sorted.iter().map(|&s| Square::from_low_bits(s)).collect();
            let is_free = (taken & tied.occupied).is_empty();
            if !self.shared && (!is_free || taken.len() as usize != set.count) {
                return None;
            }
            let mut parts = Parts::of(sorted);
            let turned = parts.above[0];
            if turned {
                for square in squares[..].iter_mut() {
                    *square = mirrored(*square);
                }
                for above in &mut parts.above {
                    *above = !*above;
                }
            }
            let free = !tied.occupied;
            let shape = self.shape_of(i, free, &parts);
            tied.number += shape.first + shape.rank(&parts, free, self.shared) * shape.rest;
            tied.sets = i + 1;
            if !self.shared {
                tied.occupied |= if turned { taken.flip_diagonal() } else { taken };
            }
            if shape.s > 0 {
                tied.broken = true;
                break;
            }
        }
        Some(tied)
    }

    fn shape_of(&self, i: usize, free: Bitboard, parts: &Parts) -> &Shape {
        let d = (free & DIAGONAL).len() as usize;
        let (a, b) = (parts.on.len, parts.both.len);
        let (s, k) = (parts.singles(), parts.single.len);
        self.shapes[i][d]
            .iter()
            .find(|shape| (shape.a, shape.b, shape.s, shape.k) == (a, b, s, k))
            .expect("every way to take a set apart has a shape")
    }

    /// The inverse of [`rank`](Mirror::rank): puts the pieces of the sets up to the first that is not
    /// its own mirror image, and leaves the number of those after it.
    pub(super) fn unrank(
        &self,
        sets: &[LikeSet],
        kings: Bitboard,
        mut number: u128,
        squares: &mut Squares,
    ) -> Tied {
        let mut occupied = if self.shared { Bitboard::EMPTY } else { kings };
        for (i, set) in sets.iter().enumerate() {
            let free = !occupied;
            let d = (free & DIAGONAL).len() as usize;
            let shapes = &self.shapes[i][d];
            let shape = &shapes[shapes.partition_point(|shape| shape.first <= number) - 1];
            number -= shape.first;
            let taken = shape.unrank(number / shape.rest, free, self.shared, set, squares);
            number %= shape.rest;
            if !self.shared {
                occupied |= taken;
            }
            if shape.s > 0 {
                return Tied {
                    number,
                    sets: i + 1,
                    occupied,
                    broken: true,
                };
            }
        }
        Tied {
            number,
            sets: sets.len(),
            occupied,
            broken: false,
        }
    }
}

/// How far the mirror had to be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied {
    /// The number so far, or what is left of it.
    pub(super) number: u128,
    /// How many sets it is of.
    pub(super) sets: usize,
    /// The squares that are taken by now; none where squares may be shared.
    pub(super) occupied: Bitboard,
    /// Whether the last of them is not its own mirror image. If not, none is, and no set is left.
    pub(super) broken: bool,
}

impl Shape {
    /// All shapes of m pieces on d squares of the diagonal and p pairs, with their numbers. After a
    /// set that breaks the tie the others have `after` possibilities; after one that does not and
    /// leaves d squares of the diagonal, `sizes[d]`.
    fn all(
        m: usize,
        (d, p): (usize, usize),
        shared: bool,
        after: u128,
        sizes: &[u128],
    ) -> Vec<Shape> {
        let mut list: Vec<Shape> = Vec::new();
        for (a, b) in (0..=m).flat_map(|a| (0..=(m - a) / 2).map(move |b| (a, b))) {
            let s = m - a - 2 * b;
            let rest = match s {
                0 if shared => sizes[d],
                0 => d.checked_sub(a).map_or(0, |left| sizes[left]),
                _ => after,
            };
            // Without sharing, a pair has one single at most.
            let least = if shared { s.min(1) } else { s };
            for k in least..=s {
                let counts = if shared {
                    let pieces = if k == 0 { 1 } else { choose(s - 1, k - 1) };
                    [choose_from(p, b, true), choose(p, k), pieces]
                } else {
                    [choose(p, b), choose(p.saturating_sub(b), k), 1]
                };
                let turns = 1 << k.saturating_sub(1);
                let ways = choose_from(d, a, shared) * counts.iter().product::<u128>() * turns;
                if ways * rest > 0 {
                    let first = Shape::end(&list);
                    list.push(Shape {
                        a,
                        b,
                        s,
                        k,
                        first,
                        ways,
                        rest,
                        counts,
                    });
                }
            }
        }
        list
    }

    /// The number after the last of a list of shapes.
    fn end(list: &[Shape]) -> u128 {
        list.last()
            .map_or(0, |shape| shape.first + shape.ways * shape.rest)
    }

    /// The pairs that singles may be on.
    fn pairs_for_singles(free: Bitboard, both: &List, shared: bool) -> Bitboard {
        let pairs = free & BELOW;
        if shared { pairs } else { pairs - both.set() }
    }

    /// The number of a set among those of this shape whose first single is below the diagonal.
    fn rank(&self, parts: &Parts, free: Bitboard, shared: bool) -> u128 {
        let pairs = Shape::pairs_for_singles(free, &parts.both, shared);
        let on = rank_list(parts.on.get(), free & DIAGONAL, shared);
        let both = rank_list(parts.both.get(), free & BELOW, shared);
        let single = rank_list(parts.single.get(), pairs, false);
        let [both_count, single_count, excess_count] = self.counts;
        let number = u128::from(on) * both_count + u128::from(both);
        let number = number * single_count + u128::from(single);
        let number = number * excess_count + u128::from(rank_parts(parts.excess.get()));
        let turns = parts.above[..self.k].iter().skip(1);
        turns.fold(number, |number, &above| number << 1 | u128::from(above))
    }

    /// The inverse of [`rank`](Shape::rank): puts the set's pieces, and returns their squares.
    fn unrank(
        &self,
        mut number: u128,
        free: Bitboard,
        shared: bool,
        set: &LikeSet,
        squares: &mut Squares,
    ) -> Bitboard {
        let mut above = [false; MAX_LIKE];
        for above in above[..self.k].iter_mut().skip(1).rev() {
            *above = number & 1 != 0;
            number >>= 1;
        }
        let mut digit = |count: u128| {
            let digit = number % count;
            number /= count;
            // Numbers of lists that up to eight pieces make fit 64 bits.
            digit as u64
        };
        let [both_count, single_count, excess_count] = self.counts;
        let (excess, single, both) = (digit(excess_count), digit(single_count), digit(both_count));
        let on = number as u64;

        let list = |len| List {
            len,
            ..List::default()
        };
        let mut parts = Parts {
            on: list(self.a),
            both: list(self.b),
            single: list(self.k),
            excess: list(self.k),
            above,
        };
        unrank_list(on, free & DIAGONAL, shared, &mut parts.on.items[..self.a]);
        unrank_list(both, free & BELOW, shared, &mut parts.both.items[..self.b]);
        let pairs = Shape::pairs_for_singles(free, &parts.both, shared);
        unrank_list(single, pairs, false, &mut parts.single.items[..self.k]);
        unrank_parts(excess, self.s, &mut parts.excess.items[..self.k]);

        let mut sorted = List::default();
        for &square in parts.on.get() {
            sorted.push(square);
        }
        for &square in parts.both.get() {
            sorted.push(square);
            sorted.push(mirrored(square));
        }
        let singles = parts.single.get().iter().zip(parts.excess.get());
        for ((&square, &excess), above) in singles.zip(above) {
            for _ in 0..excess {
                sorted.push(if above { mirrored(square) } else { square });
            }
        }
        sorted.items[..sorted.len].sort_unstable();
        set.put(sorted.get(), squares);
        sorted.set()
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
