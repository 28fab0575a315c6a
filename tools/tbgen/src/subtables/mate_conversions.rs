//! What moves out of a part lead to, by distances to mate.

use std::collections::BTreeMap;

use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Row, Slot, WithMan};
use tbindex::{Color, Material, Square};

use crate::chess::pawn_moves::{Step, steps};
use crate::chess::pawns::Pawns;
use crate::subtables::library::SolveError;
use crate::subtables::outcome_sets::legal_in;
use crate::subtables::view::{Solved, slices_after};
use crate::table::code_sets::CodeSets;
use crate::table::codes::{BITS, code_of_mate, mate_of_code};
use crate::table::mate_codes::to_mates;
use crate::table::planes::Slab;
use crate::table::slices::chosen;
use crate::table::value::{Metric, Value};

/// What moves out of a part promise to the side that makes them.
pub(crate) enum Promise<'a> {
    /// Captures of a piece, which lead into positions with a bit of the code, for each bit. The codes are those after the
    /// capture: they say the distance to mate.
    Captures(Captured, &'a [Captures]),
    /// Moves of a pawn.
    Moves(Moves<'a>),
}

/// A move of a pawn.
pub(crate) struct Moves<'a> {
    /// The legal positions that it leads to, in the slots before the move, but for a captured man.
    pub(crate) any: &'a Bitbase,
    /// The planes of the codes there, which say the distance to mate.
    pub(crate) codes: &'a [Bitbase],
    /// If it captures a man, those whom it may capture, and his square.
    pub(crate) captured: Option<(Vec<usize>, Square)>,
}

/// Where a pawn's move is, and what it leads to, slab by slab.
pub(crate) enum View<'a> {
    /// In the slots of these sets.
    Same(&'a [Row], Vec<&'a [Row]>),
    /// With a man whom the pawn captures.
    WithMan(WithMan<'a>, Vec<WithMan<'a>>),
}

impl View<'_> {
    /// The positions in a slab of a slice of a domain with so many slabs that have the move, or `None` if there are none. The
    /// first planes become those of what it leads to.
    #[inline(always)]
    pub(crate) fn slab(
        &self,
        (slice, slab, slabs): (usize, usize, usize),
        planes: &mut [Slab; BITS],
    ) -> Option<Slab> {
        let at = (slice * slabs + slab) * 8;
        match self {
            View::Same(any, codes) => {
                let any: &Slab = any[at..].first_chunk()?;
                for (plane, rows) in planes.iter_mut().zip(codes) {
                    plane.copy_from_slice(&rows[at..at + 8]);
                }
                Some(*any)
            }
            View::WithMan(any, codes) => {
                let any = any.slab(slice, slab)?;
                for (plane, with) in planes.iter_mut().zip(codes) {
                    *plane = match with.slab(slice, slab) {
                        Some(rows) => rows,
                        None => [Row::EMPTY; 8],
                    };
                }
                Some(any)
            }
        }
    }
}

impl Moves<'_> {
    /// Where the move is in a domain, once for each man who may be captured.
    pub(crate) fn views(&self, domain: &Domain) -> Vec<View<'_>> {
        let Some((men, to)) = &self.captured else {
            let codes = self.codes.iter().map(Bitbase::rows).collect();
            return vec![View::Same(self.any.rows(), codes)];
        };
        let views = men.iter().map(|&man| {
            let with = |set| WithMan::new(domain, man, *to, set);
            View::WithMan(with(self.any), self.codes.iter().map(with).collect())
        });
        views.collect()
    }
}

fn code_at(planes: &[Bitbase], slot: Slot) -> u16 {
    let planes = planes.iter().enumerate();
    planes.fold(0, |code, (bit, plane)| {
        code | u16::from(plane.contains(slot)) << bit
    })
}

fn set_code(sets: &mut CodeSets, slot: Slot, code: u16, domain: &Domain) -> Result<(), SolveError> {
    while code >> sets.planes().len() != 0 {
        sets.push(domain)?;
    }
    for (bit, plane) in sets.planes_mut().iter_mut().enumerate() {
        if code >> bit & 1 != 0 {
            plane.insert(slot);
        } else {
            plane.remove(slot);
        }
    }
    Ok(())
}

impl Solved<'_> {
    /// Hands over what the moves of `side` out of a part promise, by the distance to mate, in some slices or, if none are
    /// chosen, in all. Illegal positions may be among those that are promised something.
    pub(crate) fn promises(
        &self,
        part: usize,
        side: Color,
        slices: Option<&[usize]>,
        each: &mut dyn FnMut(Promise<'_>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let domain = &self.shape.domain(part);
        let after = slices.map(|slices| slices_after(domain, side, slices));
        let chosen = slices.map(|slices| chosen(domain, slices));
        let chosen = chosen.as_deref();
        for (captured, material, pawns) in self.captures(part, side) {
            let Some(source) = self.source(&material, pawns)? else {
                continue;
            };
            let sets = self.promised_by(&source, source.mover(!side), after.as_deref())?;
            let sets: Vec<&Bitbase> = sets.planes().iter().collect();
            let wanted = |slice: usize| after.as_ref().is_none_or(|after| after[slice]);
            let (swapped, backend) = (source.swapped, self.backend);
            let captures = Captures::of_each(domain, captured, &sets, swapped, wanted, backend)?;
            if !captures.iter().all(Captures::is_empty) {
                each(Promise::Captures(captured, &captures))?;
            }
        }
        // Those of moves without a captured man, which have the same men.
        let new = || match chosen {
            Some(_) => CodeSets::with_few_slices(),
            None => CodeSets::default(),
        };
        let mut large = new();
        for step in steps(&self.shape.material(), self.shape.pawns(part), side) {
            let from = self.domain_after(domain, &step, side);
            let mut any = legal_in(&from, !side, self.backend, chosen)?;
            if let Some(passed) = step.passed {
                any.remove_on(passed);
            }
            let mut small = new();
            let codes = match step.captured {
                None => &mut large,
                Some(_) => &mut small,
            };
            codes.clear();
            if let Some(source) = self.source(&step.material, step.pawns)? {
                let mover = source.mover(!side);
                self.codes_seen(&source, mover, &from, chosen, codes)?;
                let wanted = |slice: usize| chosen.is_none_or(|chosen| chosen[slice]);
                to_mates(codes, source.values(mover), !side, wanted)?
                    .ok_or_else(|| self.too_many())?;
            }
            let after = self.en_passant_sources(&step, side);
            if !after.is_empty() {
                self.code_en_passant(domain, &step, side, &after, codes)?;
            }
            let captured = (step.captured)
                .map(|_| (self.captured_men(domain, &step, side).collect(), step.to));
            each(Promise::Moves(Moves {
                any: &any,
                codes: codes.planes(),
                captured,
            }))?;
        }
        Ok(())
    }

    /// Lets the other side capture en passant after a pawn's two steps, position by position: there are few.
    fn code_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[(Material, Pawns)],
        coded: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let backend = self.backend;
        let moved = domain.with_others_fixed(&step.pawns.pieces());
        let moved = moved.expect("pawns on squares of their own");
        let mut legal = Bitbase::legal(&moved, !side, backend)?;
        legal.remove_on(step.passed.expect("two steps"));
        // Positions without another move, stalemates and mates, have the value of the captures alone.
        let mut stuck = Bitbase::new(&moved)?;
        if let Some(stalemates) = self.stalemates(step.pawns, !side, &moved)? {
            stuck.unite(&stalemates, backend);
        }
        let mut best: BTreeMap<Slot, Value> = BTreeMap::new();
        for (material, pawns) in after {
            let from = domain.with_others_fixed(&pawns.pieces());
            let from = from.expect("pawns on squares of their own");
            let mut able = Bitbase::new(&moved)?;
            able.unite_same_squares(&Bitbase::legal(&from, side, backend)?);
            able.intersect(&legal, backend);
            let (planes, values) = match self.source(material, *pawns)? {
                None => (CodeSets::default(), vec![Value::DRAW]),
                Some(source) => {
                    let mover = source.mover(side);
                    let mut planes = CodeSets::default();
                    self.codes_seen(&source, mover, &from, None, &mut planes)?;
                    (planes, source.values(mover).to_vec())
                }
            };
            for slot in able.slots() {
                let code = usize::from(code_at(planes.planes(), slot));
                let value = Metric::Dtm.after_move(values[code], true);
                let better = |there: &Value| value.preference() > there.preference();
                if best.get(&slot).is_none_or(better) {
                    best.insert(slot, value);
                }
            }
        }
        for (slot, capture) in best {
            let there = mate_of_code(code_at(coded.planes(), slot), !side);
            let only = stuck.contains(slot) || there == Value::loss(0);
            if only || capture.preference() > there.preference() {
                let code = code_of_mate(capture, !side).ok_or_else(|| self.too_many())?;
                set_code(coded, slot, code, &moved)?;
            }
        }
        Ok(())
    }
}
