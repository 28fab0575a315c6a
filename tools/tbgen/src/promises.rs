//! What moves out of a part lead to, by distances to mate.

use std::collections::BTreeMap;

use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Slot};
use tbindex::{Color, Material};

use crate::codes::{code_of_mate, mate_of_code};
use crate::doors::{Doors, Role};
use crate::library::SolveError;
use crate::mates::{to_mates, to_moves};
use crate::pawns::Pawns;
use crate::solved::Solved;
use crate::steps::{Step, steps};
use crate::value::{Metric, Value};

/// What moves out of a part promise to the side that makes them: the planes of codes that say the distance to mate.
pub(crate) enum Promise<'a> {
    /// Captures of a piece, which lead into positions with a bit of the code.
    Captures(Captured, &'a [Captures]),
    /// The positions from which a pawn's move leads there.
    Moves(&'a [Bitbase]),
}

fn code_at(planes: &[Bitbase], slot: Slot) -> u16 {
    let planes = planes.iter().enumerate();
    planes.fold(0, |code, (bit, plane)| {
        code | u16::from(plane.contains(slot)) << bit
    })
}

fn set_code(
    planes: &mut Vec<Bitbase>,
    slot: Slot,
    code: u16,
    domain: &Domain,
) -> Result<(), SolveError> {
    while code >> planes.len() != 0 {
        planes.push(Bitbase::new(domain)?);
    }
    for (bit, plane) in planes.iter_mut().enumerate() {
        if code >> bit & 1 != 0 {
            plane.insert(slot);
        } else {
            plane.remove(slot);
        }
    }
    Ok(())
}

impl Solved<'_> {
    /// The moves of `side` out of a part by the distance to mate: where they are, and what each promises, which is handed
    /// over. Illegal positions may be among those that are promised something.
    pub(crate) fn promises(
        &self,
        part: usize,
        side: Color,
        each: &mut dyn FnMut(Promise<'_>),
    ) -> Result<Doors, SolveError> {
        let domain = &self.shape.domain(part);
        let mut doors = self.doors(part, side, Role::Loser, |_| false)?;
        for (captured, material, pawns) in self.captures(part, side) {
            let Some(source) = self.source(&material, pawns)? else {
                continue;
            };
            let sets = self.promised_by(&source, source.mover(!side))?;
            let captures = (sets.iter())
                .map(|set| Captures::new(domain, captured, set, source.swapped))
                .collect::<Result<Vec<_>, _>>()?;
            if !captures.iter().all(Captures::is_empty) {
                each(Promise::Captures(captured, &captures));
            }
        }
        for step in steps(&self.shape.material(), self.shape.pawns(part), side) {
            let from = self.domain_after(domain, &step, side);
            // Where the squares are free, with what the move leads to.
            let here = |mut set: Bitbase| {
                if let Some(passed) = step.passed {
                    set.remove_on(passed);
                }
                if step.captured.is_none() {
                    return Ok::<_, SolveError>(set.with_same_squares(domain));
                }
                let mut here = Bitbase::new(domain)?;
                for man in self.captured_men(domain, &step, side) {
                    here.unite_with_man(man, step.to, &set);
                }
                Ok(here)
            };
            let any = here(Bitbase::legal(&from, !side, self.backend)?)?;
            let mut codes = Vec::new();
            if let Some(source) = self.source(&step.material, step.pawns)? {
                let mover = source.mover(!side);
                codes = self.codes_seen(&source, mover, &from, here)?;
                to_mates(&mut codes, source.values(mover))?.ok_or_else(|| self.too_many())?;
            }
            let after = self.en_passant_sources(&step, side);
            if !after.is_empty() {
                self.code_en_passant(domain, &step, side, &after, &mut codes)?;
            }
            doors.add_moves(&any, &codes)?;
            to_moves(&mut codes)?.ok_or_else(|| self.too_many())?;
            each(Promise::Moves(&codes));
        }
        Ok(doors)
    }

    /// Lets the other side capture en passant after a pawn's two steps, position by position: there are few.
    fn code_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[(Material, Pawns)],
        coded: &mut Vec<Bitbase>,
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
                None => (Vec::new(), vec![Value::DRAW]),
                Some(source) => {
                    let mover = source.mover(side);
                    let planes = self.codes_seen(&source, mover, &from, Ok)?;
                    (planes, source.values(mover).to_vec())
                }
            };
            for slot in able.slots() {
                let code = usize::from(code_at(&planes, slot));
                let value = Metric::Dtm.after_move(values[code], true);
                let better = |there: &Value| value.preference() > there.preference();
                if best.get(&slot).is_none_or(better) {
                    best.insert(slot, value);
                }
            }
        }
        for (slot, capture) in best {
            let there = mate_of_code(code_at(coded, slot));
            let only = stuck.contains(slot) || there == Value::loss(0);
            if only || capture.preference() > there.preference() {
                let code = code_of_mate(capture).ok_or_else(|| self.too_many())?;
                set_code(coded, slot, code, domain)?;
            }
        }
        Ok(())
    }
}
