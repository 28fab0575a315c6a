//! The best that conversions do for positions, by the distance to mate; and the shortest helpmates that they lead to.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use tbindex::bitbase::{Accumulator, Domain, Row, Slice};
use tbindex::{Color, dispatch};

use crate::chess::pawns::PawnStep;
use crate::subtables::conversions::{Capture, Conversion, PawnMove};
use crate::subtables::library::SolveError;
use crate::subtables::solved::Solved;
use crate::table::codes::{BITS, won_by};
use crate::table::mate_codes::{improved, move_to, shorter};
use crate::table::planes::Planes;
use crate::table::slab::{Slab, rows_of};
use crate::table::slices::illegal_in;
use crate::table::value::Metric;

/// The best that conversions do for the positions of a slice.
pub(crate) struct Best {
    pub(crate) slice: usize,
    /// The codes of wins and losses.
    pub(crate) planes: Planes,
    /// The positions with a conversion into positions that the other side has not won; of helpmates, with any.
    pub(crate) safe: Vec<Row>,
    pub(crate) illegal: Vec<Row>,
}

/// The planes of the codes that a capturing piece brings to the positions of a slice.
#[derive(Default)]
struct Brought {
    /// By bits, the rows of a slice. All are empty between two pieces.
    planes: Vec<Vec<Row>>,
    /// For each slab whether it has positions.
    touched: Vec<bool>,
}

impl Brought {
    /// Makes these positions of a slab those with a bit.
    fn put(&mut self, bit: usize, slab: usize, these: &Slab, slabs: usize) {
        self.touched.resize(slabs, false);
        while self.planes.len() <= bit {
            self.planes.push(vec![Row::EMPTY; slabs * 8]);
        }
        self.planes[bit][slab * 8..slab * 8 + 8].copy_from_slice(these);
        self.touched[slab] = true;
    }

    /// Hands over the codes of each slab that has any, and leaves nothing.
    #[inline(always)]
    fn drain(&mut self, mut each: impl FnMut(usize, &mut [Slab])) {
        for (slab, touched) in self.touched.iter_mut().enumerate() {
            if !std::mem::take(touched) {
                continue;
            }
            let mut codes = [[Row::EMPTY; 8]; BITS];
            for (codes, plane) in codes.iter_mut().zip(&mut self.planes) {
                let plane = &mut plane[slab * 8..slab * 8 + 8];
                codes.copy_from_slice(plane);
                plane.fill(Row::EMPTY);
            }
            each(slab, &mut codes[..self.planes.len()]);
        }
    }
}

/// The better of two codes for a side to move, by a metric.
#[derive(Clone, Copy)]
struct Better {
    metric: Metric,
    side: Color,
    /// Whether bit 0 of codes may be clear, and set.
    possible: [bool; 2],
}

impl Best {
    /// Gives positions of a slab these codes, where they are better than what is there, and the position is not illegal. Of
    /// helpmates, shorter ones are better, and of two that are as short neither is the only one.
    #[inline(always)]
    fn improve(&mut self, slab: usize, codes: &mut [Slab], better: Better) {
        let mut these = [Row::EMPTY; 8];
        let mut any = false;
        let (there, count) = self.planes.slabs_at(slab);
        for (r, these) in these.iter_mut().enumerate() {
            let (new, old) = (rows_of(&*codes, r), rows_of(&there[..count], r));
            let mut open = !self.illegal[slab * 8 + r];
            for (row, possible) in [!new[0], new[0]].into_iter().zip(better.possible) {
                if !possible {
                    open &= !row;
                }
            }
            let (new, old) = (&new[..codes.len()], &old[..count]);
            *these = match better.metric.victim() {
                None => improved(new, old, better.side),
                Some(_) => {
                    let [shorter, as_long] = shorter(new, old);
                    if let Some(several) = codes.first_mut() {
                        several[r] |= as_long;
                    }
                    shorter | as_long
                }
            };
            *these &= open;
            any |= !these.is_empty();
        }
        if any {
            let rows = self.illegal.len();
            self.planes.replace_by(slab, &these, codes, rows);
        }
    }
}

impl Solved<'_> {
    /// The best that conversions of a side do in some slices of a part or, if none are chosen, in all: all captures by kings
    /// and men, and the moves of pawns that pass a test. `lend` lends working memory for a slice.
    pub(crate) fn best<L: AsMut<Accumulator>>(
        &self,
        part: usize,
        side: Color,
        slices: Option<&[usize]>,
        with: &dyn Fn(&PawnStep) -> bool,
        lend: impl Fn() -> L + Sync,
    ) -> Result<Vec<Best>, SolveError> {
        let domain = &self.shape.domain(part);
        let all: Vec<usize> = (0..domain.slices()).collect();
        let nothing = slices.unwrap_or(&all).par_iter().map(|&slice| {
            let illegal = illegal_in(domain, slice, side, self.backend);
            Best {
                slice,
                planes: Planes::default(),
                safe: vec![Row::EMPTY; illegal.len()],
                illegal,
            }
        });
        let mut best: Vec<Best> = nothing.collect();
        // Working memory of threads, in turn. Captures come first.
        let mut idle = Mutex::new(Vec::new());
        self.conversions(
            part,
            side,
            slices,
            with,
            &mut |conversion| match conversion {
                Conversion::Capture(capture) => {
                    self.best_capture(&capture, domain, side, (&lend, &idle), &mut best)
                }
                Conversion::Pawn(moves) => {
                    idle = Mutex::default();
                    self.best_move(&moves, domain, side, &mut best)
                }
            },
        )?;
        for Best { safe, illegal, .. } in &mut best {
            for (safe, illegal) in safe.iter_mut().zip(&*illegal) {
                *safe &= !*illegal;
            }
        }
        Ok(best)
    }

    /// The better of two codes for a side to move. A damaged file may say that a bare king mates: no ply is looked at in which a side
    /// that can never win would do so.
    fn better(&self, side: Color) -> Better {
        let is_help = self.metric.victim().is_some();
        Better {
            metric: self.metric,
            side,
            possible: Color::ALL.map(|winner| is_help || self.shape.can_win(winner)),
        }
    }

    /// The positions of a row of legal ones that hold a loser who moves to them, from the planes of their codes; of helpmates,
    /// all of them.
    #[inline(always)]
    fn is_safe(&self, side: Color, legal: Row, codes: &[Row]) -> Row {
        match self.metric.victim() {
            None => legal & !won_by(!side, codes),
            Some(_) => legal,
        }
    }

    /// Adds what captures of a piece do.
    fn best_capture<L: AsMut<Accumulator>>(
        &self,
        capture: &Capture<'_>,
        domain: &Domain,
        side: Color,
        (lend, idle): (&(impl Fn() -> L + Sync), &Mutex<Vec<Brought>>),
        best: &mut [Best],
    ) -> Result<(), SolveError> {
        let (backend, better) = (self.backend, self.better(side));
        let slabs = domain.slabs();
        let safe = |legal, codes: &[Row]| [self.is_safe(side, legal, codes)];
        let captures = capture.captures(self, domain, safe, capture.codes())?;
        let (safe, codes) = captures.split_first().expect("of each set");
        let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        best.par_iter_mut().for_each_init(lend, |gathered, best| {
            let gathered = gathered.as_mut();
            let mut brought = idle().pop().unwrap_or_default();
            let slice = Slice::new(domain, best.slice);
            gathered.captures(&slice, [safe]);
            gathered.drain(|slab, these| {
                for (safe, these) in best.safe[slab * 8..].iter_mut().zip(these) {
                    *safe |= *these;
                }
            });
            for by in domain.capturers(capture.captured) {
                for (bit, captures) in codes.iter().enumerate() {
                    gathered.captures_by(&slice, by, captures);
                    gathered.drain(|slab, these| brought.put(bit, slab, these, slabs));
                }
                dispatch!(backend, _ => brought.drain(
                    #[inline(always)]
                    |slab, codes| best.improve(slab, codes, better)
                ));
            }
            idle().push(brought);
        });
        Ok(())
    }

    /// Adds what a pawn's move does.
    fn best_move(
        &self,
        moves: &PawnMove<'_>,
        domain: &Domain,
        side: Color,
        best: &mut [Best],
    ) -> Result<(), SolveError> {
        let (backend, better) = (self.backend, self.better(side));
        for view in moves.views(domain) {
            let count = view.planes();
            let too_long = best.par_iter_mut().map(|best| {
                let mut too_long = false;
                dispatch!(backend, _ => view.for_each_slab(
                    best.slice,
                    domain.slabs(),
                    #[inline(always)]
                    |slab, legal, codes| {
                        for (r, &legal) in legal.iter().enumerate() {
                            let rows = rows_of(&codes[..count], r);
                            best.safe[slab * 8 + r] |= self.is_safe(side, legal, &rows);
                        }
                        too_long |= move_to(codes, count + 1, self.metric, !side);
                        let codes = &mut codes[..(count + 1).min(BITS)];
                        best.improve(slab, codes, better);
                    },
                ));
                too_long
            });
            if too_long.reduce(|| false, |a, b| a | b) {
                return Err(self.too_many());
            }
        }
        Ok(())
    }
}
