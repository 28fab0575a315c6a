//! What moves out of a part lead to, by distances to mate.

use std::collections::BTreeMap;

use tbindex::bitbase::{Bitbase, Captures, Domain, Slot};
use tbindex::{Color, Material};

use crate::due::wanted;
use crate::library::SolveError;
use crate::pawns::Pawns;
use crate::planes::{Slab, for_each_code};
use crate::solved::Solved;
use crate::steps::{Step, steps};
use crate::value::{Metric, Value};

/// What moves out of a part lead to, by distances.
pub(crate) enum Promise<'a> {
    /// All values that there may be.
    Values(&'a [Value]),
    /// Captures that lead to positions of a value.
    Captures(Value, &'a Captures),
    /// Positions of a slab from which a pawn's move leads to positions of a value.
    Slab(Value, usize, &'a Slab),
}

/// Values of positions in bit planes.
struct Coded {
    planes: Vec<Bitbase>,
    values: Vec<Value>,
}

impl Coded {
    fn value(&self, slot: Slot) -> Value {
        let planes = self.planes.iter().enumerate();
        self.values[planes.fold(0, |code, (bit, plane)| {
            code | usize::from(plane.contains(slot)) << bit
        })]
    }

    fn set(&mut self, slot: Slot, value: Value, domain: &Domain) -> Result<(), SolveError> {
        let code = self.values.iter().position(|&there| there == value);
        let code = code.unwrap_or(self.values.len());
        if code == self.values.len() {
            self.values.push(value);
        }
        while code >> self.planes.len() != 0 {
            self.planes.push(Bitbase::new(domain)?);
        }
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            if code >> bit & 1 != 0 {
                plane.insert(slot);
            } else {
                plane.remove(slot);
            }
        }
        Ok(())
    }
}

impl Solved<'_> {
    /// Hands over the positions of a part from which moves of `side` out of it lead to values that count for it,
    /// with these values of the other side: losses if `wins`, else wins. A position may be handed over several
    /// times, and illegal ones may be among them. First all values are handed over that there may be.
    pub(crate) fn promises(
        &self,
        part: usize,
        side: Color,
        wins: bool,
        each: &mut dyn FnMut(Promise<'_>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let domain = &self.shape.domain(part);
        let captures = self.captures(part, side);
        let pawn_steps = steps(&self.shape.material(), self.shape.pawns(part), side);
        let mut values = Vec::new();
        for (_, material, pawns) in &captures {
            if let Some(source) = self.source(material, *pawns)? {
                values.extend_from_slice(source.values(source.mover(!side)));
            }
        }
        for step in &pawn_steps {
            if let Some(source) = self.source(&step.material, step.pawns)? {
                values.extend_from_slice(source.values(source.mover(!side)));
            }
            for (material, pawns) in self.en_passant_sources(step, side) {
                if let Some(source) = self.source(&material, pawns)? {
                    let there = source.values(source.mover(side)).iter();
                    values.extend(there.map(|&value| Metric::Dtm.after_move(value, true)));
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        values.retain(|&value| wanted(value, wins));
        each(Promise::Values(&values))?;

        for (captured, material, pawns) in captures {
            let Some(source) = self.source(&material, pawns)? else {
                continue;
            };
            let (test, mover) = (|value| wanted(value, wins), source.mover(!side));
            source.part.each_value(mover, test, |value, set| {
                let captures = Captures::new(domain, captured, set, source.swapped)?;
                if !captures.is_empty() {
                    each(Promise::Captures(value, &captures))?;
                }
                Ok::<(), SolveError>(())
            })?;
        }
        for step in &pawn_steps {
            let Some(coded) = self.coded(domain, step, side)? else {
                continue;
            };
            for slab in 0..domain.slabs() {
                let planes: Vec<Slab> = (coded.planes.iter())
                    .map(|plane| std::array::from_fn(|r| plane.rows()[slab * 8 + r]))
                    .collect();
                let mut result = Ok(());
                for_each_code(&planes, &mut |code, these| {
                    let value = coded.values[usize::from(code)];
                    if wanted(value, wins) && result.is_ok() {
                        result = each(Promise::Slab(value, slab, these));
                    }
                });
                result?;
            }
        }
        Ok(())
    }

    /// The values after a pawn's move, in the slots before it; `None` if only the kings are left.
    fn coded(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
    ) -> Result<Option<Coded>, SolveError> {
        let Some(source) = self.source(&step.material, step.pawns)? else {
            return Ok(None);
        };
        let mover = source.mover(!side);
        let from = self.domain_after(domain, step, side);
        let mut coded = Coded {
            planes: Vec::new(),
            values: source.values(mover).to_vec(),
        };
        for plane in self.planes_of(&source, mover)?.iter() {
            let mut seen = plane.seen_from(&from, source.swapped)?;
            if let Some(passed) = step.passed {
                seen.remove_on(passed);
            }
            let mut here = Bitbase::new(domain)?;
            if step.captured.is_some() {
                for man in self.captured_men(domain, step, side) {
                    here.unite_with_man(man, step.to, &seen);
                }
            } else {
                here.unite_same_squares(&seen);
            }
            coded.planes.push(here);
        }
        let after = self.en_passant_sources(step, side);
        if !after.is_empty() {
            self.code_en_passant(domain, step, side, &after, &mut coded)?;
        }
        Ok(Some(coded))
    }

    /// Lets the other side capture en passant after a pawn's two steps, position by position: there are few.
    fn code_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[(Material, Pawns)],
        coded: &mut Coded,
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
                    let planes = self.planes_of(&source, mover)?;
                    let seen = planes.iter();
                    let seen = seen.map(|plane| Ok(plane.seen_from(&from, source.swapped)?));
                    let seen = seen.collect::<Result<Vec<Bitbase>, SolveError>>()?;
                    (seen, source.values(mover).to_vec())
                }
            };
            for slot in able.slots() {
                let code = planes.iter().enumerate().fold(0, |code, (bit, plane)| {
                    code | usize::from(plane.contains(slot)) << bit
                });
                let value = Metric::Dtm.after_move(values[code], true);
                let better = |there: &Value| value.preference() > there.preference();
                if best.get(&slot).is_none_or(better) {
                    best.insert(slot, value);
                }
            }
        }
        for (slot, capture) in best {
            let there = coded.value(slot);
            let only = stuck.contains(slot) || there == Value::loss(0);
            if only || capture.preference() > there.preference() {
                coded.set(slot, capture, domain)?;
            }
        }
        Ok(())
    }
}
