//! The seeds of a part: its conversions, made before its plies are gone through, a few slices at a time where those of all
//! slices together would take too much memory.

use rayon::prelude::*;
use tbindex::bitbase::{Row, Slice};
use tbindex::{Color, dispatch};

use super::PartSolver;
use crate::solve::schedule::seed_groups;
use crate::solve::working_set::Threads;
use crate::subtables::conversions::{Capture, Conversion, PawnMove};
use crate::subtables::due::Due;
use crate::subtables::exits::Exits;
use crate::subtables::library::SolveError;
use crate::subtables::seeds::{ByOutcome, Seeds};
use crate::table::codes::{BITS, won_by};
use crate::table::mate_codes::{improved, move_to};
use crate::table::planes::{Planes, Slab, Stored};
use crate::table::value::Metric;

/// The best that conversions do so far for the positions of a slice.
struct Best {
    slice: usize,
    /// The codes of wins and losses.
    planes: Planes,
    /// The positions with a conversion into positions that the other side has not won.
    safe: Vec<Row>,
    illegal: Vec<Row>,
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
    fn drain(&mut self, mut each: impl FnMut(usize, &[Slab])) {
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
            each(slab, &codes[..self.planes.len()]);
        }
    }
}

/// Gives positions of a slab these codes, where they are better for the side to move than what is there, and the position is
/// not `illegal`. Wins of white and of black are given if they are `possible`.
#[inline(always)]
fn improve(
    planes: &mut Planes,
    slab: usize,
    codes: &[Slab],
    side: Color,
    illegal: &[Row],
    possible: [bool; 2],
) {
    let mut these = [Row::EMPTY; 8];
    let mut any = false;
    let (there, count) = planes.slabs_at(slab);
    for (r, these) in these.iter_mut().enumerate() {
        let (mut new, mut old) = ([Row::EMPTY; BITS], [Row::EMPTY; BITS]);
        for (new, codes) in new.iter_mut().zip(codes) {
            *new = codes[r];
        }
        for (old, there) in old.iter_mut().zip(&there[..count]) {
            *old = there[r];
        }
        let mut open = !illegal[slab * 8 + r];
        for (row, possible) in [!new[0], new[0]].into_iter().zip(possible) {
            if !possible {
                open &= !row;
            }
        }
        *these = improved(&new[..codes.len()], &old[..count], side) & open;
        any |= !these.is_empty();
    }
    if any {
        planes.replace_by(slab, &these, codes, illegal.len());
    }
}

impl PartSolver<'_> {
    /// The seeds of a side to move in some slices.
    pub(super) fn make_seeds(
        &self,
        side: Color,
        slices: &[usize],
        threads: &Threads,
    ) -> Result<Seeds, SolveError> {
        if self.options.metric == Metric::Dtm {
            return self.due(side, threads);
        }
        let all = slices.len() == self.domain.slices();
        if !self.stores_exits() {
            let slices = (!all).then_some(slices);
            let exits = (self.solved).exits(self.number, side, slices, &|_| true)?;
            return Ok(Seeds::by_outcome(side, exits));
        }
        let mut stored = ByOutcome::default();
        for group in seed_groups(&self.domain, &self.options.residence, slices) {
            self.heed_stop()?;
            let exits = (self.solved).exits(self.number, side, Some(&group), &|_| true)?;
            for (exits, all) in exits.iter().zip(stored.iter_mut()) {
                self.store(exits, &group, threads, all)?;
            }
        }
        Ok(Seeds::by_outcome(side, stored))
    }

    /// Whether positions that have conversions are put aside, slice by slice.
    fn stores_exits(&self) -> bool {
        self.options.residence.is_disk()
            || self.domain.slices() > 1 && !self.domain.fixed().is_empty()
    }

    /// Whether anything is put aside, into a file if there is one.
    pub(super) fn puts_aside(&self) -> bool {
        self.solved.shape.has_large_sets() || self.stores_exits()
    }

    /// Puts the positions of some slices that have conversions aside, to those of others.
    fn store(
        &self,
        exits: &Exits,
        slices: &[usize],
        threads: &Threads,
        all: &mut Exits,
    ) -> Result<(), SolveError> {
        if exits.is_empty() {
            return Ok(());
        }
        let stored = slices.par_iter().map_init(
            || threads.lend(),
            |lent, &slice| {
                let gathered = &mut lent.get().gathered;
                exits.gather(&Slice::new(&self.domain, slice), gathered)?;
                let any = gathered.rows().iter().any(|row| !row.is_empty());
                let stored = any.then(|| Stored::of(gathered.rows(), self.aside.as_ref()));
                gathered.clear();
                Ok::<_, SolveError>((slice, stored.transpose()?))
            },
        );
        for (slice, stored) in stored.collect::<Result<Vec<_>, _>>()? {
            if let Some(stored) = stored {
                all.store(slice, stored);
            }
        }
        Ok(())
    }

    /// What conversions of a side do by the distance to mate: in which plies they are due, for each slice.
    fn due(&self, side: Color, threads: &Threads) -> Result<Seeds, SolveError> {
        let slices = self.domain.slices();
        let mut dues: Vec<Option<[Due; 2]>> = (0..slices).map(|_| None).collect();
        for group in seed_groups(
            &self.domain,
            &self.options.residence,
            &(0..slices).collect::<Vec<_>>(),
        ) {
            self.heed_stop()?;
            let mut best: Vec<Best> = (group.iter())
                .map(|&slice| {
                    let mut illegal = vec![Row::EMPTY; self.domain.rows()];
                    let of_slice = Slice::new(&self.domain, slice);
                    of_slice.illegal_into(side, &mut illegal, self.options.backend);
                    Best {
                        slice,
                        planes: Planes::default(),
                        safe: vec![Row::EMPTY; illegal.len()],
                        illegal,
                    }
                })
                .collect();
            let chosen = (group.len() < slices).then_some(&group[..]);
            (self.solved).conversions(self.number, side, chosen, &|_| true, &mut |conversion| {
                match conversion {
                    Conversion::Capture(capture) => {
                        self.capture(&capture, side, threads, &mut best)
                    }
                    Conversion::Pawn(moves) => self.move_pawn(&moves, side, &mut best),
                }
            })?;
            let made = best.into_par_iter().map(|best| {
                let safe: Vec<Row> = (best.safe.iter().zip(&best.illegal))
                    .map(|(&safe, &illegal)| safe & !illegal)
                    .collect();
                let mut due = Due::of(&best.planes, (side, &safe), self.options.backend);
                if let Some(temp_file) = &self.aside {
                    for due in &mut due {
                        due.put_aside(temp_file)?;
                    }
                }
                Ok::<_, SolveError>((best.slice, due))
            });
            for (slice, due) in made.collect::<Result<Vec<_>, _>>()? {
                dues[slice] = Some(due);
            }
        }
        let dues = dues.into_iter().map(|due| due.expect("of each slice"));
        Ok(Seeds::due(side, dues.collect()))
    }

    /// Whose wins are possible. A file that lies may say that a bare king mates. Who never wins here has no plies, in which
    /// that would be found.
    fn possible(&self) -> [bool; 2] {
        Color::ALL.map(|winner| self.solved.shape.can_win(winner))
    }

    /// Adds what captures of a piece do.
    fn capture(
        &self,
        capture: &Capture<'_>,
        side: Color,
        threads: &Threads,
        best: &mut [Best],
    ) -> Result<(), SolveError> {
        let (domain, backend, possible) = (&self.domain, self.options.backend, self.possible());
        let slabs = domain.slabs();
        let [safe] = capture.sets(|legal, codes| [legal & !won_by(!side, codes)])?;
        let sets: Vec<_> = [&safe].into_iter().chain(capture.codes()).collect();
        let captures = capture.captures(self.solved, domain, &sets)?;
        let (safe, codes) = captures.split_first().expect("of each set");
        best.par_iter_mut().for_each_init(
            || (threads.lend(), Brought::default()),
            |(lent, brought), best| {
                let gathered = &mut lent.get().gathered;
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
                    let Best {
                        planes, illegal, ..
                    } = &mut *best;
                    dispatch!(backend, _ => brought.drain(
                        #[inline(always)]
                        |slab, codes| improve(planes, slab, codes, side, illegal, possible)
                    ));
                }
            },
        );
        Ok(())
    }

    /// Adds what a pawn's move does.
    fn move_pawn(
        &self,
        moves: &PawnMove<'_>,
        side: Color,
        best: &mut [Best],
    ) -> Result<(), SolveError> {
        let (backend, possible) = (self.options.backend, self.possible());
        let slabs = self.domain.slabs();
        for view in moves.views(&self.domain) {
            let count = view.planes();
            let too_long = best.par_iter_mut().map(|best| {
                let Best {
                    slice,
                    planes,
                    safe,
                    illegal,
                } = best;
                let mut too_long = false;
                dispatch!(backend, _ => {
                    for slab in 0..slabs {
                        let mut codes = [[Row::EMPTY; 8]; BITS];
                        let Some(legal) = view.slab((*slice, slab, slabs), &mut codes) else {
                            continue;
                        };
                        for (r, &legal) in legal.iter().enumerate() {
                            let mut rows = [Row::EMPTY; BITS];
                            for (row, codes) in rows.iter_mut().zip(&codes[..count]) {
                                *row = codes[r];
                            }
                            safe[slab * 8 + r] |= legal & !won_by(!side, &rows);
                        }
                        too_long |= move_to(&mut codes, count + 1, !side);
                        let codes = &codes[..(count + 1).min(BITS)];
                        improve(planes, slab, codes, side, illegal, possible);
                    }
                });
                too_long
            });
            if too_long.reduce(|| false, |a, b| a | b) {
                return Err(self.solved.too_many());
            }
        }
        Ok(())
    }
}
