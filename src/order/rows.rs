//! Rows: the addresses of positions that differ in the square of one man; planes: of two men.

use std::ops::Range;

use super::exact::Exact;
use super::numbering::{Order, Set, Sum};
use super::squares::{NumberedPlacement, Squares, below};
use super::tile::BOARD;

/// The most runs of a row: one before each other piece, and one after the last; of repeated squares two for each.
const MOST_RUNS: usize = 2 * super::squares::MOST_PIECES;

/// Positions of a row with the man on squares that follow each other, but for those that are left out.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    squares: u64,
    /// The address of the first of them.
    address: i64,
    /// The terms of the man on the first square, and of the man that is moved from row to row.
    terms: [(u16, u8); 2],
}

/// The addresses of positions that differ in the square of one man.
type RowRuns = ([Run; MOST_RUNS], usize);

/// The row of terms of a run whose addresses follow each other.
pub(super) const CONSECUTIVE: u16 = u16::MAX;

/// One run of each row of a plane. Rows that have fewer runs have one without squares.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    /// The squares of the man.
    pub(super) squares: [u64; BOARD],
    /// The addresses of the first squares.
    pub(super) addresses: [i64; BOARD],
    /// The row of terms, and the place of the first square there. Their differences are those of the addresses.
    pub(super) terms: [(u16, u8); BOARD],
}

/// The shape of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowShape {
    /// No position of it has a slot.
    None,
    /// All its positions are turned by the symmetry with a code.
    Turned(u8),
    /// Each has to be looked up.
    Each,
}

/// How the positions of a row or a plane are turned.
#[derive(Clone, Copy, Debug)]
struct Turned {
    /// The placement of the leading men, and the symmetry that leads there.
    placed: NumberedPlacement,
    /// The sum of the digits beside their terms.
    more: i64,
}

/// The rows of a man, one for each square of another man, to which it is turned.
///
/// The other men divide the board into stretches of squares. In each, a row is like its neighbours.
#[derive(Debug)]
pub(super) struct Plane {
    /// The symmetry by which all rows are turned, if it is one. Else rows are where the man stands.
    pub(super) code: Option<u8>,
    pub(super) rows: [RowShape; BOARD],
    /// The runs, and how many of them rows have.
    runs: Vec<Runs>,
    count: usize,
    /// The address of the first of all rows, and the difference from each to the next, if they are whole and grow evenly.
    pub(super) even: Option<(usize, usize)>,
}

#[inline(always)]
fn term(set: &Set, (row, place): (u16, u8), more: u8) -> i64 {
    set.terms[usize::from(row)][usize::from(place + more) & 63]
}

impl Plane {
    pub(super) const EMPTY: Plane = Plane {
        code: None,
        rows: [RowShape::None; BOARD],
        runs: Vec::new(),
        count: 0,
        even: None,
    };

    /// The runs of all rows.
    #[inline(always)]
    pub(super) fn runs(&self) -> &[Runs] {
        &self.runs[..self.count]
    }

    /// Runs of this number, of which there may be none yet.
    #[inline(always)]
    fn runs_mut(&mut self, number: usize) -> &mut Runs {
        if number == self.count {
            if number == self.runs.len() {
                self.runs.push(Runs {
                    squares: [0; BOARD],
                    addresses: [0; BOARD],
                    terms: [(0, 0); BOARD],
                });
            }
            self.runs[number].squares = [0; BOARD];
            self.count += 1;
        }
        &mut self.runs[number]
    }

    /// Makes the rows of the man `along` for each square of the man `across`, the other men's squares being given.
    #[inline(always)]
    pub(super) fn fill(&mut self, order: &Order, squares: &Squares, along: usize, across: usize) {
        (self.code, self.count, self.even) = (None, 0, None);
        self.rows = [RowShape::None; BOARD];
        let numbers = [along, across].map(|piece| usize::from(order.set_of[piece]));
        let sets = numbers.map(|number| order.sets.get(number));
        let Some(set) = sets[0].filter(|set| is_one_run(set.zone)) else {
            // A leading man has no row.
            self.rows = [RowShape::Each; BOARD];
            return;
        };
        // Whether the two men don't share squares, and whether the first passes the other without a gap in the slots.
        let apart = order.leaves_out || numbers[0] == numbers[1];
        let steady = !apart || numbers[1] < numbers[0];
        // A row that ends where there are no more squares is unlike its neighbours.
        let alike = along != across && !set.repeated && !(apart && set.zone != !0);
        let other = sets[1].filter(|set| alike && !set.repeated);
        let mut squares = *squares;
        let mut turned = None;
        let mut all = !0u64;
        if let Some(other) = other {
            match order.turn(&squares, &[along, across]) {
                None => return,
                Some(found) => turned = found,
            }
            if let Some(turned) = turned {
                squares = order.images(turned.placed.code, &squares);
                let mut met = 0u64;
                for (k, &image) in squares[..order.men.len()].iter().enumerate() {
                    let like = numbers[1] == usize::from(order.set_of[k]);
                    if k != along && k != across && (like || order.leaves_out) {
                        if met >> image & 1 != 0 {
                            return;
                        }
                        met |= 1 << image;
                    }
                }
                all = other.zone & !met;
                self.code = Some(turned.placed.code);
            }
        }
        let by_code = across < order.leading
            && !order.leaves_out
            && order.exact.is_none()
            && order.classes.iter().all(|&class| class == 0);
        let mut of_codes = [None; 8];
        let mut row: RowRuns = ([Run::default(); MOST_RUNS], 0);
        let mut free = all;
        while free != 0 {
            let first = free.trailing_zeros() as usize;
            // A row without squares before the other man is unlike its neighbours, if he stands aside.
            let is_alone = turned.is_none() || !steady && all << 1 >> first & 1 == 0;
            let end = match is_alone {
                true => first + 1,
                false => first + (free >> first).trailing_ones() as usize,
            };
            free &= u64::MAX.checked_shl(end as u32).unwrap_or(0);
            squares[across] = first as u8;
            let (turned, images) = match turned {
                Some(turned) => (turned, squares),
                None => match order.turn(&squares, &[along]) {
                    None => continue,
                    Some(None) => {
                        self.rows[first] = RowShape::Each;
                        continue;
                    }
                    Some(Some(turned)) => (turned, order.images(turned.placed.code, &squares)),
                },
            };
            let known = RowShape::Turned(turned.placed.code);
            if by_code {
                let start = order.starts[turned.placed.number];
                let like = &mut of_codes[usize::from(turned.placed.code & 7)];
                if let Some((like, other)) = *like {
                    self.rows[first] = known;
                    for runs in &mut self.runs[..self.count] {
                        runs.squares[first] = runs.squares[like];
                        runs.addresses[first] = runs.addresses[like] + start - other;
                        runs.terms[first] = runs.terms[like];
                    }
                    continue;
                }
                *like = Some((first, start));
            }
            if !order.find_runs(images, turned, along, across, &mut row) {
                continue;
            }
            self.rows[first..end].fill(known);
            for (k, run) in row.0[..row.1].iter().enumerate() {
                // One row alone has nothing to spread.
                let apart = (apart && end > first + 1).then_some(steady);
                self.runs_mut(k)
                    .spread(order, run, [along, across], apart, first..end);
            }
            let rise = order.step_of(across, row.0[0].terms[1]);
            let is_whole = row.1 == 1 && row.0[0].squares == !0 && rise >= 64;
            if self.code.is_some()
                && !apart
                && (first..end) == (0..BOARD)
                && is_whole
                && self.runs[0].terms[0].0 == CONSECUTIVE
            {
                self.even = Some((row.0[0].address as usize, rise as usize));
            }
        }
    }
}

impl Runs {
    /// Makes the runs of the rows with the second man on some squares, given the first of them. `apart` tells whether the
    /// row's man passes him without a gap in the slots, if they don't share squares.
    #[inline(always)]
    fn spread(
        &mut self,
        order: &Order,
        run: &Run,
        [along, across]: [usize; 2],
        apart: Option<bool>,
        at: Range<usize>,
    ) {
        let (first, before) = (1u64 << at.start, below(at.start as u8));
        let after = u64::MAX.checked_shl(at.end as u32).unwrap_or(0);
        let follows = run.squares & first >> 1 != 0;
        let is_followed = run.squares & first << 1 != 0;
        // The squares in any of the rows, and those of a row among them: below the other man, his, and above him.
        let (mut squares, mut sides, mut moves) = (run.squares, [!0, !0, !0], 0);
        if let Some(steady) = apart {
            sides[1] = 0;
            if is_followed && (follows || steady) {
                squares |= first;
            } else if follows {
                squares |= !after & !before;
                sides[2] = 0;
            } else if is_followed {
                (sides[0], moves) = (0, 1);
            }
        }
        for (at, runs) in at.clone().zip(&mut self.squares[at.clone()]) {
            let bit = 1u64 << at;
            let [below, here, above] = sides;
            let low = bit - 1;
            *runs = squares & (low & below | bit & here | !(bit | low) & above);
        }
        let step = order.step_of(along, run.terms[0]);
        let rise = order.step_of(across, run.terms[1]);
        let addresses = self.addresses[at.clone()].iter_mut().zip(0i64..);
        if rise != 0 && (step != 0 || moves == 0) || at.len() == 1 {
            let rise = rise + step * i64::from(moves);
            addresses.for_each(|(address, more)| *address = run.address + more * rise);
        } else {
            for (address, more) in addresses {
                let more = more as usize;
                let own = more * usize::from(moves);
                let moved = order.address(along, run.address, run.terms[0], own);
                *address = order.address(across, moved, run.terms[1], more);
            }
        }
        let (row, place) = if step == 1 {
            (CONSECUTIVE, 0)
        } else {
            run.terms[0]
        };
        for (terms, more) in self.terms[at].iter_mut().zip(0..) {
            *terms = (row, place + moves * more);
        }
    }
}

/// Whether squares follow each other without gaps.
#[inline(always)]
fn is_one_run(zone: u64) -> bool {
    zone.leading_zeros() + zone.count_ones() + zone.trailing_zeros() == 64
}

impl Order {
    /// The address of the position of a run with the man so many squares from its start.
    #[inline(always)]
    pub(super) fn address(
        &self,
        along: usize,
        start: i64,
        terms: (u16, u8),
        from_start: usize,
    ) -> i64 {
        if terms.0 == CONSECUTIVE {
            return start + from_start as i64;
        }
        let set = &self.sets[usize::from(self.set_of[along])];
        start + term(set, terms, from_start as u8) - term(set, terms, 0)
    }

    /// The increase of a man's share from a square to the next, or 0 if it varies.
    #[inline(always)]
    fn step_of(&self, piece: usize, (row, _): (u16, u8)) -> i64 {
        let set = self.sets.get(usize::from(self.set_of[piece]));
        set.map_or(0, |set| {
            let (class, j) = (usize::from(row) / set.count, usize::from(row) % set.count);
            if set.is_linear(j) {
                set.weights[class]
            } else {
                0
            }
        })
    }

    /// How all positions are turned that differ in the squares of some men, or `Some(None)` if not all are turned alike. The
    /// leading men are not among them.
    fn turn(&self, squares: &Squares, men: &[usize]) -> Option<Option<Turned>> {
        let placed = self.place_leading(squares)?;
        let tied = |exact: &&Exact| exact.ties(placed.number);
        let Some(exact) = self.exact.as_ref().filter(tied) else {
            return Some(Some(Turned { placed, more: 0 }));
        };
        if !exact.is_settled(self, &self.images(placed.code, squares), men) {
            return Some(None);
        }
        // One position tells how all are turned, and what the digits before the men's add up to.
        let mut sample = *squares;
        (0..64).find_map(|square| {
            for (&man, shift) in men.iter().zip([0, 32]) {
                sample[man] = square ^ shift;
            }
            self.sum(placed.number, &self.images(placed.code, &sample))?;
            let (slot, code) = exact.turned(self, placed, &sample)?;
            let sum = self.sum(placed.number, &self.images(code, &sample))?;
            Some(Some(Turned {
                placed: NumberedPlacement { code, ..placed },
                more: slot - sum.address,
            }))
        })
    }

    /// Finds the row of a man, all of whose positions are turned alike to these squares, but for his. It says whether there
    /// are any.
    fn find_runs(
        &self,
        mut images: Squares,
        Turned { placed, more }: Turned,
        along: usize,
        across: usize,
        (runs, count): &mut RowRuns,
    ) -> bool {
        let set = &self.sets[usize::from(self.set_of[along])];
        let mut met = 0u64;
        for (k, &image) in images[..self.men.len()].iter().enumerate() {
            if k != along && (self.leaves_out || set.pieces().contains(&k)) {
                met |= 1 << image;
            }
        }
        if set.repeated {
            met |= met << 1;
        }
        let free = set.zone & if set.repeated { !0 } else { !met };
        *count = 0;
        // A man for whom nobody stands aside passes all others without a gap.
        let is_last = set.count == 1 && usize::from(self.set_of[along]) + 1 == self.sets.len();
        let stops = !set.zone | if is_last { 0 } else { met };
        let mut start = free.trailing_zeros() as u8;
        let mut last: Option<Sum> = None;
        while start < 64 {
            let stop = (stops & (!1 << start)).trailing_zeros() as u8;
            images[along] = start;
            let Some(sum) = last.or_else(|| self.sum(placed.number, &images)) else {
                return false;
            };
            let after = u64::MAX.checked_shl(stop.into()).unwrap_or(0);
            let run = Run {
                squares: free & !below(start) & !after,
                address: sum.address + more,
                terms: [sum.terms[along], sum.terms[across]],
            };
            match runs[..*count].last_mut() {
                Some(last) if self.is_next(along, last, &run) => last.squares |= run.squares,
                _ => {
                    runs[*count] = run;
                    *count += 1;
                }
            }
            let next = (free & after).trailing_zeros() as u8;
            last = self.pass(sum, &images, along, stop, next);
            start = next;
        }
        true
    }

    /// Whether the positions of a run follow those of another as if no square was left out between them.
    #[inline(always)]
    fn is_next(&self, along: usize, run: &Run, next: &Run) -> bool {
        let count = run.squares.count_ones();
        let (row, place) = run.terms[0];
        next.terms == [(row, place + count as u8), run.terms[1]]
            && next.address == self.address(along, run.address, run.terms[0], count as usize)
    }

    /// The sum with the man `along` on a square of the next run, if he passes no like man and no repeated square: those
    /// that come later in the order stop standing aside for him.
    #[inline(always)]
    fn pass(
        &self,
        mut sum: Sum,
        images: &Squares,
        along: usize,
        stop: u8,
        next: u8,
    ) -> Option<Sum> {
        let own = self.set_of[along];
        let set = &self.sets[usize::from(own)];
        if set.count > 1 || !self.leaves_out || next >= 64 {
            return None;
        }
        let mut passed = 0;
        for (piece, &image) in images[..self.men.len()].iter().enumerate() {
            if piece != along && (stop..next).contains(&image) {
                passed += 1;
                let of = self.set_of[piece];
                if piece >= self.leading && of > own {
                    let other = &self.sets[usize::from(of)];
                    let terms = &mut sum.terms[piece];
                    sum.address += term(other, *terms, 1) - term(other, *terms, 0);
                    terms.1 += 1;
                }
            }
        }
        // Squares outside of the zone end a run, too, but only the last one.
        if passed != next - stop {
            return None;
        }
        let terms = &mut sum.terms[along];
        let more = stop - images[along];
        let before = passed_later(self, images, along, stop, next);
        sum.address += term(set, *terms, more + before) - term(set, *terms, 0);
        terms.1 += more + before;
        Some(sum)
    }

    /// Whether squares are the same but for exchanges of like men of one digit.
    pub(super) fn are_same(&self, a: &Squares, b: &Squares) -> bool {
        let sorted = |squares: &Squares| {
            let mut squares = *squares;
            for set in &self.sets {
                squares[set.pieces()].sort_unstable();
            }
            squares
        };
        sorted(a)[..self.men.len()] == sorted(b)[..self.men.len()]
    }
}

/// How many men that come later than a man in the order are on squares of a range: he does not stand aside for them.
#[inline(always)]
fn passed_later(order: &Order, images: &Squares, along: usize, from: u8, to: u8) -> u8 {
    let own = order.set_of[along];
    let others = order.leading..order.men.len();
    let later =
        others.filter(|&piece| order.set_of[piece] > own && (from..to).contains(&images[piece]));
    later.count() as u8
}
