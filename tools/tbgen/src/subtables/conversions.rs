//! Conversions: the moves out of a part of a table, which are captures and the moves of pawns, with the codes of the
//! positions that they lead to.

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Row, WithMan};
use tbindex::{Color, Material, Square};

use crate::chess::pawns::{PawnStep, Pawns, steps};
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::{Solved, after_en_passant, captures, slices_after};
use crate::table::code_sets::{CodeSets, codes_at};
use crate::table::codes::BITS;
use crate::table::mate_codes::{preferred, shorter, to_moves};
use crate::table::slab::Slab;
use crate::table::slices::{among, by_slices, chosen, is_chosen};
use crate::table::value::Metric;

/// Conversions of one kind.
pub(crate) enum Conversion<'a> {
    /// Captures of a piece by kings and men.
    Capture(Capture<'a>),
    /// A move of a pawn.
    Pawn(PawnMove<'a>),
}

/// Captures of a piece by kings and men.
pub(crate) struct Capture<'a> {
    pub(crate) captured: Captured,
    /// The legal positions that they lead to, in the domain of the part that has them.
    pub(crate) legal: Bitbase,
    /// There the codes of moves to them. Only kings have none.
    codes: Option<Arc<Vec<CodeSets>>>,
    /// Whether the part has the colours exchanged.
    swapped: bool,
    /// The slices of the domain and those of the part that are wanted, if not all are.
    after: Option<&'a [bool]>,
    there: Option<Vec<bool>>,
}

impl Capture<'_> {
    /// The planes of the codes of moves to the positions.
    pub(crate) fn codes(&self) -> &[Bitbase] {
        (self.codes.as_ref()).map_or(&[], |codes| codes[0].planes())
    }

    /// The captures in a domain that lead into each of several sets of the positions, which a function makes row by row of
    /// those that are legal and of the planes of codes, and then into each of some planes.
    pub(crate) fn captures<const N: usize>(
        &self,
        solved: &Solved<'_>,
        domain: &Domain,
        make: impl Fn(Row, &[Row]) -> [Row; N] + Sync,
        planes: &[Bitbase],
    ) -> Result<Vec<Captures>, SolveError> {
        let (there, codes) = (self.legal.domain(), self.codes());
        let mut sets = CodeSets::for_slices(self.there.as_deref());
        for _ in 0..N {
            sets.push(there)?;
        }
        let rows = by_slices(sets.planes_mut(), there.slices());
        among(rows.into_iter(), self.there.as_deref()).for_each(|(slice, mut rows)| {
            for (at, &legal) in self.legal.slice(slice).iter().enumerate() {
                let here = codes_at(codes, slice, at);
                for (rows, row) in rows.iter_mut().zip(make(legal, &here[..codes.len()])) {
                    rows[at] = row;
                }
            }
        });
        let sets: Vec<&Bitbase> = sets.planes().iter().chain(planes).collect();
        Ok(Captures::of_each(
            domain,
            self.captured,
            &sets,
            self.swapped,
            |slice| is_chosen(self.after, slice),
            solved.backend,
        )?)
    }
}

/// A move of a pawn.
pub(crate) struct PawnMove<'a> {
    pub(crate) step: &'a PawnStep,
    /// The legal positions that it leads to, in the slots before the move, but for a captured man.
    legal: &'a Bitbase,
    /// The planes of the codes there.
    codes: &'a [Bitbase],
    /// If it captures a man, those whom it may capture, and his square.
    captured: Option<(Vec<usize>, Square)>,
}

/// A set of the positions after a pawn's move, as it is seen before the move.
enum Before<'a> {
    /// In the same slots.
    Same(&'a [Row]),
    /// With a man whom the pawn captures.
    WithMan(WithMan<'a>),
}

impl Before<'_> {
    /// The rows of a slab of a slice of a domain with so many slabs, or `None` if it has no positions.
    #[inline(always)]
    fn slab(&self, (slice, slab, slabs): (usize, usize, usize)) -> Option<Slab> {
        match self {
            Before::Same(rows) => rows[(slice * slabs + slab) * 8..].first_chunk().copied(),
            Before::WithMan(with) => with.slab(slice, slab),
        }
    }
}

/// Where a pawn's move is, and what it leads to, slab by slab.
pub(crate) struct View<'a> {
    legal: Before<'a>,
    codes: Vec<Before<'a>>,
}

impl View<'_> {
    /// The number of planes of codes.
    pub(crate) fn planes(&self) -> usize {
        self.codes.len()
    }

    /// Hands over the slabs of a slice of a domain with so many slabs in which positions have the move: these positions, and the
    /// planes of the codes that it leads to, with empty ones behind them.
    #[inline(always)]
    pub(crate) fn for_each_slab(
        &self,
        slice: usize,
        slabs: usize,
        mut each: impl FnMut(usize, &Slab, &mut [Slab; BITS]),
    ) {
        for slab in 0..slabs {
            let place = (slice, slab, slabs);
            let Some(any) = self.legal.slab(place) else {
                continue;
            };
            let mut planes = [[Row::EMPTY; 8]; BITS];
            for (plane, codes) in planes.iter_mut().zip(&self.codes) {
                *plane = match codes.slab(place) {
                    Some(rows) => rows,
                    None => [Row::EMPTY; 8],
                };
                for (row, any) in plane.iter_mut().zip(&any) {
                    *row &= *any;
                }
            }
            each(slab, &any, &mut planes);
        }
    }
}

impl PawnMove<'_> {
    /// Where the move is in a domain, once for each man who may be captured.
    pub(crate) fn views(&self, domain: &Domain) -> Vec<View<'_>> {
        let view = |man: Option<(usize, Square)>| {
            let before = |set| match man {
                None => Before::Same(Bitbase::rows(set)),
                Some((man, to)) => Before::WithMan(WithMan::new(domain, man, to, set)),
            };
            View {
                legal: before(self.legal),
                codes: self.codes.iter().map(before).collect(),
            }
        };
        match &self.captured {
            None => vec![view(None)],
            Some((men, to)) => men.iter().map(|&man| view(Some((man, *to)))).collect(),
        }
    }
}

impl Solved<'_> {
    /// Hands over the conversions of `side` out of a part: all captures by kings and men, and the moves of pawns that pass
    /// a test; from some slices or, if none are chosen, from all.
    pub(crate) fn conversions(
        &self,
        part: usize,
        side: Color,
        slices: Option<&[usize]>,
        with: &dyn Fn(&PawnStep) -> bool,
        each: &mut dyn FnMut(Conversion<'_>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let (domain, backend) = (&self.shape.domain(part), self.backend);
        let after = slices.map(|slices| slices_after(domain, side, slices));
        let after = after.as_deref();
        for (captured, material, pawns) in captures(self.shape, part, side) {
            let (legal, codes, swapped, there) = match self.source(&material, pawns)? {
                Some(source) => {
                    let there = after.filter(|_| source.part.domain.slices() > 1);
                    let there = there.map(|after| source.slices_there(domain, after));
                    let (own, mover) = (&source.part.domain, source.mover(!side));
                    let legal = legal_in(own, mover, backend, there.as_deref())?;
                    let codes = self.codes(&source, !side, there.as_deref(), true)?;
                    (legal, Some(codes), source.swapped, there)
                }
                None => {
                    let left = domain.after(captured);
                    let left = left.expect("a group that leaves fixed pieces in place");
                    let legal = legal_in(&left, !side, backend, after)?;
                    (legal, None, false, after.map(<[bool]>::to_vec))
                }
            };
            each(Conversion::Capture(Capture {
                captured,
                legal,
                codes,
                swapped,
                after,
                there,
            }))?;
        }
        let chosen = slices.map(|slices| chosen(domain, slices));
        let chosen = chosen.as_deref();
        // The codes of moves without a captured man, which have the same men.
        let mut large = CodeSets::for_slices(chosen);
        let steps = steps(&self.shape.material(), self.shape.pawns(part), side);
        for step in steps.iter().filter(|step| with(step)) {
            let from = self.domain_after(domain, step, side);
            let mut legal = legal_in(&from, !side, backend, chosen)?;
            if let Some(passed) = step.passed {
                legal.remove_on(passed);
            }
            let mut small = CodeSets::for_slices(chosen);
            let codes = match step.captured {
                None => &mut large,
                Some(_) => &mut small,
            };
            self.see((&step.material, step.pawns), !side, &from, chosen, codes)?;
            self.capture_en_passant(domain, step, side, chosen, codes)?;
            let captured =
                (step.captured).map(|_| (self.captured_men(domain, step, side), step.to));
            each(Conversion::Pawn(PawnMove {
                step,
                legal: &legal,
                codes: codes.planes(),
                captured,
            }))?;
        }
        Ok(())
    }

    /// Lets the other side capture en passant after a pawn's two steps: positions are worth the better of what they are
    /// worth without and of these captures, and these captures alone where there is no other move.
    fn capture_en_passant(
        &self,
        domain: &Domain,
        step: &PawnStep,
        side: Color,
        chosen: Option<&[bool]>,
        codes: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let after = step.passed.map_or(Vec::new(), |passed| {
            after_en_passant(&self.shape.material(), step.pawns, passed, side)
        });
        if after.is_empty() {
            return Ok(());
        }
        let moved = domain.with_others_fixed(&step.pawns.pieces());
        let moved = moved.expect("pawns on squares of their own");
        let mut stuck = self.stalemates(step.pawns, !side, &moved)?;
        let wanted = |slice: usize| is_chosen(chosen, slice);
        for (material, pawns) in after {
            let (able, mut captured) =
                self.see_capture(domain, (&material, pawns), side, chosen)?;
            if self.metric != Metric::Dtz {
                let moved = to_moves(&mut captured, self.metric, side, wanted)?;
                moved.ok_or_else(|| self.too_many())?;
            }
            while codes.planes().len() < captured.planes().len() {
                codes.push(&moved)?;
            }
            let rows = by_slices(codes.planes_mut(), domain.slices()).into_iter();
            let stuck = stuck.iter_mut().flat_map(Bitbase::slices_mut).map(Some);
            let rows = rows.zip(stuck.chain(std::iter::repeat_with(|| None)));
            among(rows, chosen).for_each(|(slice, (codes, stuck))| {
                let mut rows = Rows { codes, stuck };
                for (at, &able) in able.slice(slice).iter().enumerate() {
                    let codes = codes_at(captured.planes(), slice, at);
                    rows.improve(at, able, codes, self.metric, !side);
                }
            });
        }
        Ok(())
    }

    /// The legal positions after a capture en passant by the other side than `side`, which is to move, as they are seen from a
    /// domain with the pawns as they are then, and their codes.
    pub(crate) fn see_capture(
        &self,
        domain: &Domain,
        (material, pawns): (&Material, Pawns),
        side: Color,
        chosen: Option<&[bool]>,
    ) -> Result<(Bitbase, CodeSets), SolveError> {
        let from = domain.with_others_fixed(&pawns.pieces());
        let from = from.expect("pawns on squares of their own");
        let legal = legal_in(&from, side, self.backend, chosen)?;
        let mut codes = CodeSets::for_slices(chosen);
        self.see((material, pawns), side, &from, chosen, &mut codes)?;
        Ok((legal, codes))
    }
}

/// The rows of a slice of positions in which a side may capture en passant.
struct Rows<'a> {
    /// The planes of their codes.
    codes: Vec<&'a mut [Row]>,
    /// Where there is no other move.
    stuck: Option<&'a mut [Row]>,
}

impl Rows<'_> {
    /// Gives the positions of a row that are `able` to capture these codes, where they are better for the side or there was
    /// no other move.
    fn improve(&mut self, at: usize, able: Row, mut new: [Row; BITS], metric: Metric, side: Color) {
        let mut old = [Row::EMPTY; BITS];
        for (row, codes) in old.iter_mut().zip(&self.codes) {
            *row = codes[at];
        }
        let count = self.codes.len();
        let mut these = match metric.victim() {
            None => preferred(&new[..count], &old[..count], side),
            Some(victim) => {
                let mut mated = Row::EMPTY;
                if side == victim {
                    // A side that can capture is not mated.
                    mated = old[1] & able;
                    old[2..].iter().for_each(|&row| mated &= !row);
                    old[1] &= !mated;
                }
                let [shorter, as_long] = shorter(&new[..count], &old[..count]);
                // Of two moves, neither is the only one.
                new[0] |= as_long;
                mated | shorter | as_long
            }
        };
        if let Some(stuck) = &mut self.stuck {
            these |= stuck[at];
            stuck[at] &= !able;
        }
        these &= able;
        for (codes, new) in self.codes.iter_mut().zip(new) {
            codes[at] = (codes[at] & !these) | (new & these);
        }
    }
}
