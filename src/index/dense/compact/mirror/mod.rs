//! The case of both kings on the diagonal: placements are numbered up to the mirror along it.
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

mod parts;

pub(super) use self::parts::mirrored;
use self::parts::{DIAGONAL, Numbers, Split};
use super::sets::{LikeSet, Squares};
use crate::board::Bitboard;
use crate::index::dense::binomial::{choose, choose_from};

/// A way to take a set apart, with its share of the numbers. A set with slots has numbers of at most
/// 64 bits; of larger sets only the size is asked for, and the bits that are cut off are not used.
#[derive(Clone, Copy)]
struct Shape {
    split: Split,
    /// The first number of the shape.
    first: u64,
    /// The count of numbers that the sets after this one take.
    rest: u64,
    /// The possibilities of B, of S's pairs, and of the pieces on each of these.
    counts: [u64; 3],
}

/// The numbering of the placements with both kings on the diagonal, up to the mirror along it.
#[derive(Clone)]
pub(super) struct DiagonalMirror {
    shared: bool,
    /// By set and by the number of free squares on the diagonal.
    shapes: Vec<Vec<Vec<Shape>>>,
    /// How many placements there are.
    pub(super) size: u128,
}

impl DiagonalMirror {
    /// The numbering of these sets, where `choices` has the number of possibilities that each has once
    /// the mirror does not matter any more.
    pub(super) fn new(sets: &[LikeSet], choices: &[u128], shared: bool) -> DiagonalMirror {
        // The sizes of the sets that follow a set, by the free squares on the diagonal.
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
            let by_diagonal = (0..=8).map(|d| {
                let pairs = (d <= free && (free - d) % 2 == 0).then(|| (free - d) / 2);
                pairs.map_or((Vec::new(), 0), |p| {
                    Shape::all(set.count, (d, p), shared, after, &sizes)
                })
            });
            let (by_diagonal, all) = by_diagonal.unzip();
            shapes.push(by_diagonal);
            sizes = all;
            after *= choices[i];
        }
        shapes.reverse();
        let d = if shared { 8 } else { 6 };
        DiagonalMirror {
            shared,
            shapes,
            size: sizes[d],
        }
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
        let mut tied = Tied::new(0, kings);
        for (set, shapes) in sets.iter().zip(&self.shapes) {
            let free = !tied.occupied;
            let mut taken = Bitboard::EMPTY;
            let (numbers, turned) = if self.shared {
                Numbers::of_list(&set.sorted(squares)[..set.count])
            } else {
                taken = set.board(squares);
                if !(taken - free).is_empty() || taken.len() as usize != set.count {
                    return None;
                }
                Numbers::of_board(taken, free)
            };
            if turned {
                for square in squares.iter_mut() {
                    *square = mirrored(*square);
                }
                taken = taken.flip_diagonal();
            }
            let shape = shapes[(free & DIAGONAL).len() as usize]
                .iter()
                .find(|shape| shape.split == numbers.split)
                .expect("every way to take a set apart has a shape");
            tied.number += shape.first + shape.number(&numbers) * shape.rest;
            tied.sets += 1;
            tied.occupied |= taken;
            if numbers.split.s > 0 {
                tied.broken = true;
                break;
            }
        }
        Some(tied)
    }

    /// The inverse of [`rank`](DiagonalMirror::rank): puts the pieces of the sets up to the first that is not
    /// its own mirror image, and leaves the number of the sets after it.
    pub(super) fn unrank(
        &self,
        sets: &[LikeSet],
        kings: Bitboard,
        number: u64,
        squares: &mut Squares,
    ) -> Tied {
        let mut tied = Tied::new(number, kings);
        for (set, shapes) in sets.iter().zip(&self.shapes) {
            let free = !tied.occupied;
            let shapes = &shapes[(free & DIAGONAL).len() as usize];
            let shape = &shapes[shapes.partition_point(|shape| shape.first <= tied.number) - 1];
            tied.number -= shape.first;
            let numbers = shape.numbers(tied.number / shape.rest);
            let taken = numbers.put(free, self.shared, set, squares);
            tied.number %= shape.rest;
            tied.sets += 1;
            if !self.shared {
                tied.occupied |= taken;
            }
            if shape.split.s > 0 {
                tied.broken = true;
                break;
            }
        }
        tied
    }
}

/// The sets that are numbered up to the mirror.
#[derive(Clone, Copy)]
pub(super) struct Tied {
    /// The number so far; in unranking, the rest of it.
    pub(super) number: u64,
    /// The number of sets that `number` is made of.
    pub(super) sets: usize,
    /// The squares that are taken by now; none where squares may be shared.
    pub(super) occupied: Bitboard,
    /// Whether the last of them is not its own mirror image. If not, none is, and no set is left.
    pub(super) broken: bool,
}

impl Tied {
    fn new(number: u64, occupied: Bitboard) -> Tied {
        Tied {
            number,
            sets: 0,
            occupied,
            broken: false,
        }
    }
}

impl Shape {
    /// All shapes of m pieces on d squares of the diagonal and p pairs, and how many numbers they take
    /// with all sets after them. After a set that breaks the tie these have `after` possibilities;
    /// after one that does not and leaves d squares of the diagonal, `sizes[d]`.
    fn all(
        m: usize,
        (d, p): (usize, usize),
        shared: bool,
        after: u128,
        sizes: &[u128],
    ) -> (Vec<Shape>, u128) {
        let mut list = Vec::new();
        let mut end = 0;
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
                    list.push(Shape {
                        split: Split {
                            a: a as u8,
                            b: b as u8,
                            s: s as u8,
                            k: k as u8,
                        },
                        first: end as u64,
                        rest: rest as u64,
                        counts: counts.map(|count| count as u64),
                    });
                    end += ways * rest;
                }
            }
        }
        (list, end)
    }

    /// The number of a set among all of this shape.
    #[inline(always)]
    fn number(&self, numbers: &Numbers) -> u64 {
        let [both, single, excess] = self.counts;
        let number = numbers.on * both + numbers.both;
        let number = number * single + numbers.single;
        let number = number * excess + numbers.excess;
        number << self.turns() | numbers.above
    }

    /// The inverse of [`number`](Shape::number).
    #[inline]
    fn numbers(&self, number: u64) -> Numbers {
        let above = number & ((1 << self.turns()) - 1);
        let mut rest = number >> self.turns();
        let mut digit = |count| {
            let digit = rest % count;
            rest /= count;
            digit
        };
        let [both, single, excess] = self.counts;
        let (excess, single, both) = (digit(excess), digit(single), digit(both));
        Numbers {
            split: self.split,
            on: rest,
            both,
            single,
            excess,
            above,
        }
    }

    /// The number of choices of below and above.
    fn turns(&self) -> u32 {
        u32::from(self.split.k.saturating_sub(1))
    }
}
