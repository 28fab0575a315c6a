//! The moves out of a part into positions with helpmates of a given length.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captures, Domain};
use tbindex::{Color, Material};

use crate::chess::pawn_moves::{Step, steps};
use crate::chess::pawns::Pawns;
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::Solved;
use crate::table::code_sets::CodeSets;
use crate::table::value::Value;

/// The positions that some moves lead to, or that have them.
pub(super) struct Found {
    pub(super) all: Bitbase,
    /// Those that have one solution alone, or whose move leads to one.
    pub(super) unique: Bitbase,
}

/// The moves of a side out of a part into positions with helpmates in so many plies.
#[derive(Default)]
pub(super) struct Ends {
    /// Captures by kings and men into all these positions, and into those with one solution.
    pub(super) captures: Vec<[Captures; 2]>,
    /// For each move of a pawn the positions that have it.
    pub(super) moves: Vec<Found>,
}

/// What conversions from a part are looked up in: for each victim what is solved.
pub(super) struct Conversions<'a> {
    pub(super) of_victims: [Solved<'a>; 2],
    pub(super) victim: Color,
}

impl Conversions<'_> {
    fn own(&self) -> &Solved<'_> {
        &self.of_victims[self.victim as usize]
    }

    fn backend(&self) -> Backend {
        self.own().backend
    }

    /// The positions of a material with these pawns and `side` to move that have helpmates in so many plies, in the domain
    /// of the part that has them, and whether colours are exchanged there; `None` if there are none.
    fn in_part(
        &self,
        material: &Material,
        pawns: Pawns,
        side: Color,
        plies: u16,
    ) -> Result<Option<(Found, bool)>, SolveError> {
        let victim = match material.is_normal() {
            true => self.victim,
            false => !self.victim,
        };
        let solved = &self.of_victims[victim as usize];
        let Some(source) = solved.source(material, pawns)? else {
            return Ok(None);
        };
        let is_found = |value: &Value| *value != Value::DRAW && value.plies == plies;
        if !source.values(side).iter().any(is_found) {
            return Ok(None);
        }
        let mut sets = CodeSets::default();
        let tests: [&(dyn Fn(Value) -> bool + Sync); 2] = [&|value| is_found(&value), &|value| {
            is_found(&value) && value.is_unique()
        }];
        source
            .part
            .positions_by(source.mover(side), None, &tests, &mut sets)?;
        let [all, unique] = (sets.into_sets().try_into()).expect("one for each test");
        Ok(Some((Found { all, unique }, source.swapped)))
    }

    /// The same as it is seen from a domain.
    fn seen(
        &self,
        (material, pawns): (&Material, Pawns),
        side: Color,
        plies: u16,
        from: &Domain,
    ) -> Result<Option<Found>, SolveError> {
        let found = self.in_part(material, pawns, side, plies)?;
        found
            .map(|(found, swapped)| {
                Ok(Found {
                    all: found.all.convert(from, swapped, self.backend())?,
                    unique: found.unique.convert(from, swapped, self.backend())?,
                })
            })
            .transpose()
    }

    /// Whether a move out of the part may lead to a helpmate in so many plies or more.
    pub(super) fn may_follow(&self, part: usize, plies: u16) -> Result<bool, SolveError> {
        let solved = self.own();
        for side in Color::ALL {
            let captures = solved.captures(part, side).into_iter();
            let steps = steps(&solved.shape.material(), solved.shape.pawns(part), side);
            let after = captures.map(|(_, material, pawns)| (material, pawns));
            let passant = (steps.iter()).flat_map(|step| solved.after_en_passant(step, side));
            let passant: Vec<_> = passant.collect();
            let steps = steps.iter().map(|step| (step.material, step.pawns));
            for (material, pawns) in after.chain(steps).chain(passant) {
                let victim = match material.is_normal() {
                    true => self.victim,
                    false => !self.victim,
                };
                let Some(source) = self.of_victims[victim as usize].source(&material, pawns)?
                else {
                    continue;
                };
                let values = Color::ALL.into_iter().flat_map(|side| source.values(side));
                // A capture en passant follows on two steps.
                if values
                    .copied()
                    .any(|value| value != Value::DRAW && value.plies + 1 >= plies)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The moves of a side out of a part into positions with helpmates in so many plies.
    pub(super) fn ends(&self, part: usize, side: Color, plies: u16) -> Result<Ends, SolveError> {
        let (solved, backend) = (self.own(), self.backend());
        let domain = &solved.shape.domain(part);
        let mut ends = Ends::default();
        for (captured, material, pawns) in solved.captures(part, side) {
            if let Some((found, swapped)) = self.in_part(&material, pawns, !side, plies)? {
                let sets = [&found.all, &found.unique];
                let each = Captures::of_each(domain, captured, &sets, swapped, |_| true, backend)?;
                ends.captures.push(each.try_into().expect("of each set"));
            }
        }
        for step in steps(&solved.shape.material(), solved.shape.pawns(part), side) {
            let from = solved.domain_after(domain, &step, side);
            let Some(after) = self.after_step(&step, domain, &from, side, plies)? else {
                continue;
            };
            let mut legal = legal_in(&from, !side, backend, None)?;
            if let Some(passed) = step.passed {
                legal.remove_on(passed);
            }
            let sets = [after.all, after.unique].map(|mut set| {
                set.intersect(&legal, backend);
                set
            });
            if step.captured.is_none() {
                let [all, unique] = sets.map(|set| set.with_same_squares(domain));
                ends.moves.push(Found { all, unique });
                continue;
            }
            for man in solved.captured_men(domain, &step, side) {
                let mut found = [Bitbase::new(domain)?, Bitbase::new(domain)?];
                for (found, set) in found.iter_mut().zip(&sets) {
                    found.unite_with_man(man, step.to, set);
                }
                let [all, unique] = found;
                ends.moves.push(Found { all, unique });
            }
        }
        Ok(ends)
    }

    /// The positions after a pawn's move with a helpmate in so many plies; after two steps, with the captures en passant
    /// that answer them.
    fn after_step(
        &self,
        step: &Step,
        domain: &Domain,
        from: &Domain,
        side: Color,
        plies: u16,
    ) -> Result<Option<Found>, SolveError> {
        let backend = self.backend();
        let mut found = self.seen((&step.material, step.pawns), !side, plies, from)?;
        for (material, pawns) in self.own().after_en_passant(step, side) {
            let after = domain.with_others_fixed(&pawns.pieces());
            let after = after.expect("pawns on squares of their own");
            if plies == 0 {
                // No mate where a pawn can be captured en passant.
                let able = legal_in(&after, side, backend, None)?.with_same_squares(from);
                if let Some(Found { all, unique }) = &mut found {
                    all.subtract(&able, backend);
                    unique.subtract(&able, backend);
                }
                continue;
            }
            let captured = self.seen((&material, pawns), side, plies - 1, &after)?;
            let Some(captured) = captured else { continue };
            let [all, unique] =
                [captured.all, captured.unique].map(|set| set.with_same_squares(from));
            let Some(found) = &mut found else {
                found = Some(Found { all, unique });
                continue;
            };
            // Where there are two moves, neither is the only one.
            found.unique.subtract(&all, backend);
            let mut more = unique;
            more.subtract(&found.all, backend);
            found.unique.unite(&more, backend);
            found.all.unite(&all, backend);
        }
        Ok(found)
    }

    /// The legal conversions of a side out of a part, whatever they lead to: the captures, and the positions that have
    /// moves of pawns.
    pub(super) fn any(
        &self,
        part: usize,
        side: Color,
    ) -> Result<(Vec<Captures>, Bitbase), SolveError> {
        let (solved, backend) = (self.own(), self.backend());
        let domain = &solved.shape.domain(part);
        let mut captures = Vec::new();
        for (captured, ..) in solved.captures(part, side) {
            let left = domain.after(captured);
            let left = left.expect("a group that leaves fixed pieces in place");
            let legal = Bitbase::legal(&left, !side, backend)?;
            captures.push(Captures::new(domain, captured, &legal, false, backend)?);
        }
        let mut moves = Bitbase::new(domain)?;
        for step in steps(&solved.shape.material(), solved.shape.pawns(part), side) {
            let from = solved.domain_after(domain, &step, side);
            let mut legal = legal_in(&from, !side, backend, None)?;
            if let Some(passed) = step.passed {
                legal.remove_on(passed);
            }
            if step.captured.is_none() {
                moves.unite_same_squares(&legal);
            }
            for man in (step.captured.iter()).flat_map(|_| solved.captured_men(domain, &step, side))
            {
                moves.unite_with_man(man, step.to, &legal);
            }
        }
        Ok((captures, moves))
    }
}
