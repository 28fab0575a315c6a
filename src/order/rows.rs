//! Rows: the addresses of positions that differ in the square of one man; planes: of two men.

use super::numbering::{Order, Set, Sum};
use super::squares::{IMAGES, Placed, Squares, below};
use crate::board::Symmetry;

/// The most runs of a row: one before each other piece, and one after the last; of repeated squares two for each.
const MOST_RUNS: usize = 2 * super::MOST_PIECES;

/// Positions of a row with the man on neighbouring squares, from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) start: u8,
    pub(super) end: u8,
    /// The address of the first of them.
    pub(super) address: i64,
    /// The difference of addresses from each to the next, or 0 if it varies.
    pub(super) step: i64,
    /// The same from each row to the next.
    rise: i64,
    /// The terms of the man on the first square, and of the man that is moved from row to row.
    terms: [(u16, u8); 2],
}

/// The addresses of positions that differ in the square of one man.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The symmetry that takes the positions to the squares of the runs.
    pub(super) code: u8,
    runs: [Run; MOST_RUNS],
    count: usize,
}

impl Row {
    const EMPTY: Row = Row {
        code: 0,
        runs: [Run {
            start: 0,
            end: 0,
            address: 0,
            step: 0,
            rise: 0,
            terms: [(0, 0); 2],
        }; MOST_RUNS],
        count: 0,
    };

    #[inline(always)]
    fn push(&mut self, run: Run) {
        self.runs[self.count % MOST_RUNS] = run;
        self.count += 1;
    }

    /// The address of the first position of the board, if the positions with the man on all 64 squares follow each
    /// other.
    #[inline(always)]
    pub(super) fn whole(&self) -> Option<usize> {
        let run = &self.runs[0];
        let whole = self.count == 1 && run.end - run.start == 64 && run.step == 1;
        whole.then_some(run.address as usize)
    }

    #[inline(always)]
    pub(super) fn runs(&self) -> &[Run] {
        &self.runs[..self.count]
    }
}

/// What is known of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known<'a> {
    /// No position of it has a slot.
    None,
    /// All its positions are turned alike.
    Row(&'a Row),
    /// Each has to be looked up.
    Each,
}

/// How a row changes with the square of a man.
#[derive(Clone, Debug)]
struct Template {
    /// The man's square, and the placement of the leading men.
    square: u8,
    placement: usize,
    row: Row,
}

/// The rows of a man, one for each square of another man.
///
/// The other men divide the board into stretches of squares. In each, a row is like its neighbours.
#[derive(Debug)]
pub(super) struct Plane<'a> {
    order: &'a Order,
    squares: Squares,
    along: usize,
    across: usize,
    /// The placement of the leading men, if rows can be made of templates.
    placed: Option<Placed>,
    /// The squares of men whom the man `across` meets, at which stretches end.
    met: u64,
    /// Whether the two men don't share squares.
    apart: bool,
    /// Whether the man `across` is a leading one, whose square matters to a row only by the symmetry that it chooses.
    by_code: bool,
    templates: [Option<Template>; super::MOST_PIECES + 1],
    /// The row that was asked for last.
    row: Row,
}

#[inline(always)]
fn term(set: &Set, (row, place): (u16, u8), more: u8) -> i64 {
    set.terms[usize::from(row)][usize::from(place + more) & 63]
}

impl<'a> Plane<'a> {
    /// The rows of the man `along` for each square of the man `across`, the other men's squares being given.
    pub(super) fn new(
        order: &'a Order,
        squares: &Squares,
        along: usize,
        across: usize,
    ) -> Plane<'a> {
        let mut plane = Plane {
            order,
            squares: *squares,
            along,
            across,
            placed: None,
            met: 0,
            apart: false,
            by_code: across < order.leading
                && along >= order.leading
                && !order.leaves_out
                && order.exact.is_none()
                && order.classes.iter().all(|&class| class == 0),
            templates: [const { None }; super::MOST_PIECES + 1],
            row: Row::EMPTY,
        };
        if along < order.leading || across < order.leading || along == across {
            return plane;
        }
        let sets = [along, across].map(|piece| usize::from(order.set_of[piece]));
        let placed = order.place_leading(squares);
        let tied = |placed: &Placed| {
            order
                .exact
                .as_ref()
                .is_some_and(|exact| exact.ties(placed.number))
        };
        let placed = placed.filter(|placed| !tied(placed));
        if sets.iter().any(|&set| order.sets[set].repeated) {
            return plane;
        }
        // A row that ends where there are no more squares is unlike its neighbours.
        let apart = order.leaves_out || sets[0] == sets[1];
        let [along_zone, across_zone] = sets.map(|set| order.sets[set].zone);
        if apart && along_zone != !0 || !is_one_run(across_zone) {
            return plane;
        }
        if let Some(placed) = placed {
            let images = order.images(placed.code, squares);
            for (k, &image) in images[..order.men.len()].iter().enumerate() {
                let like = sets[1] == usize::from(order.set_of[k]);
                if k != along && k != across && (like || order.leaves_out) {
                    plane.met |= 1 << image;
                }
            }
            plane.apart = apart;
            plane.placed = Some(placed);
        }
        plane
    }

    /// The symmetry that takes all rows to the squares of their runs, if it is known.
    pub(super) fn code(&self) -> Option<u8> {
        self.placed.map(|placed| placed.code)
    }

    /// The address of the first of all rows, by the squares that the men are turned to, and the difference from each to the
    /// next, if they are whole and grow evenly.
    pub(super) fn even(&mut self) -> Option<(usize, usize)> {
        let everywhere = |piece: usize| {
            let set = self.order.sets.get(usize::from(self.order.set_of[piece]));
            set.is_some_and(|set| set.zone == !0)
        };
        let even = self.met == 0 && !self.apart && everywhere(self.across);
        let code = self.code().filter(|_| even)?;
        let back = Symmetry::from_code(code).inverse().code();
        match self.row(IMAGES[usize::from(back)][0]) {
            Known::Row(row) if row.runs[0].rise >= 64 => {
                Some((row.whole()?, row.runs[0].rise as usize))
            }
            _ => None,
        }
    }

    /// The row of a placement of the leading men, which is like that of another with the same symmetry.
    #[inline(always)]
    fn row_by_code(&mut self) -> Known<'_> {
        let Some(placed) = self.order.place_leading(&self.squares) else {
            return Known::None;
        };
        let template = &mut self.templates[usize::from(placed.code)];
        let start = self.order.starts[placed.number];
        match template {
            Some(template) => {
                let more = start - self.order.starts[template.placement];
                self.row.code = placed.code;
                self.row.count = 0;
                for run in template.row.runs() {
                    let address = run.address + more;
                    self.row.push(Run { address, ..*run });
                }
                Known::Row(&self.row)
            }
            None => {
                let known = self
                    .order
                    .row(&self.squares, self.along, self.across, &mut self.row);
                if let Known::Row(row) = known {
                    let (placement, row) = (placed.number, row.clone());
                    *template = Some(Template {
                        square: 0,
                        placement,
                        row,
                    });
                }
                known
            }
        }
    }

    /// The row with the man `across` on a square.
    #[inline(always)]
    pub(super) fn row(&mut self, square: u8) -> Known<'_> {
        self.squares[self.across] = square;
        let Some(placed) = self.placed else {
            if self.by_code {
                return self.row_by_code();
            }
            return self
                .order
                .row(&self.squares, self.along, self.across, &mut self.row);
        };
        let square = IMAGES[usize::from(placed.code)][usize::from(square)];
        let across = &self.order.sets[usize::from(self.order.set_of[self.across])];
        if across.zone >> square & 1 == 0 {
            return Known::None;
        }
        let below = self.met & below(square);
        let first = 64 - below.leading_zeros() as u8;
        let stretch = below.count_ones() as usize;
        if square > first
            && let Some(template) = &self.templates[stretch]
        {
            if self.met >> square & 1 != 0 {
                return Known::None;
            }
            let [along, across] = [self.along, self.across]
                .map(|piece| &self.order.sets[usize::from(self.order.set_of[piece])]);
            template.move_on(
                square - template.square,
                [along, across],
                self.apart,
                &mut self.row,
            );
            return Known::Row(&self.row);
        }
        let known = self
            .order
            .row(&self.squares, self.along, self.across, &mut self.row);
        if let Known::Row(row) = known
            && square == first + 1
        {
            self.templates[stretch] = Some(Template {
                placement: placed.number,
                square,
                row: row.clone(),
            });
        }
        known
    }
}

/// Whether squares follow each other without gaps.
#[inline(always)]
fn is_one_run(zone: u64) -> bool {
    zone.leading_zeros() + zone.count_ones() + zone.trailing_zeros() == 64
}

impl Template {
    /// Makes the row with the man `across` so many squares further on. The sets are that of the row's man and his.
    #[inline(always)]
    fn move_on(&self, more: u8, [along, across]: [&Set; 2], apart: bool, row: &mut Row) {
        row.code = self.row.code;
        row.count = 0;
        for run in self.row.runs() {
            let mut run = *run;
            run.address += match run.rise {
                0 => term(across, run.terms[1], more) - term(across, run.terms[1], 0),
                rise => rise * i64::from(more),
            };
            if apart && run.end == self.square {
                run.end += more;
            } else if apart && run.start == self.square + 1 {
                run.address += match run.step {
                    0 => term(along, run.terms[0], more) - term(along, run.terms[0], 0),
                    step => step * i64::from(more),
                };
                run.start += more;
                run.terms[0].1 += more;
            }
            if run.start < run.end {
                row.push(run);
            }
        }
    }
}

impl Order {
    /// The address of the position of a run with the man so many squares from its start.
    #[inline(always)]
    pub(super) fn address(&self, along: usize, run: &Run, from_start: usize) -> i64 {
        let set = &self.sets[usize::from(self.set_of[along])];
        let terms = &set.terms[usize::from(run.terms[0].0)][usize::from(run.terms[0].1)..];
        run.address + terms[from_start] - terms[0]
    }

    /// The increase of a man's share from a square to the next, or 0 if it varies.
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

    /// The row of a man on any square, the other men's squares being given, among them that of the man `across`.
    pub(super) fn row<'a>(
        &self,
        squares: &Squares,
        along: usize,
        across: usize,
        row: &'a mut Row,
    ) -> Known<'a> {
        let zone = self.sets.get(usize::from(self.set_of[along]));
        // A leading man has none.
        if !zone.is_some_and(|set| is_one_run(set.zone)) {
            return Known::Each;
        }
        let Some(placed) = self.place_leading(squares) else {
            return Known::None;
        };
        let exact = self
            .exact
            .as_ref()
            .filter(|exact| exact.ties(placed.number));
        let (mut code, mut before) = (placed.code, 0);
        if let Some(exact) = exact {
            if !exact.is_settled(self, &self.images(code, squares), along) {
                return Known::Each;
            }
            // One position tells how all are turned, and what the digits before the man's add up to.
            let mut sample = *squares;
            let turned = (0..64).find_map(|square| {
                sample[along] = square;
                exact.turned(self, placed, &sample)
            });
            let Some((slot, turned)) = turned else {
                return Known::None;
            };
            code = turned;
            let Some(sum) = self.sum(placed.number, &self.images(code, &sample)) else {
                return Known::None;
            };
            before = slot - sum.address;
        }
        let mut images = self.images(code, squares);
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
        (row.code, row.count) = (code, 0);
        let stops = met | !set.zone;
        let mut start = free.trailing_zeros() as u8;
        let mut last: Option<Sum> = None;
        while start < 64 {
            let stop = (stops & (!1 << start)).trailing_zeros() as u8;
            images[along] = start;
            let sum = match last {
                Some(sum) => sum,
                None => match self.sum(placed.number, &images) {
                    Some(sum) => sum,
                    None => return Known::None,
                },
            };
            row.push(Run {
                start,
                end: stop,
                address: sum.address + before,
                step: self.step_of(along, sum.terms[along]),
                rise: self.step_of(across, sum.terms[across]),
                terms: [sum.terms[along], sum.terms[across]],
            });
            let after = if stop < 64 { free & (!0 << stop) } else { 0 };
            let next = after.trailing_zeros() as u8;
            last = self.pass(sum, &images, along, stop, next);
            start = next;
        }
        Known::Row(row)
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
