//! Moves that lead out of a part of a table, by what they lead to: captures, and the moves of pawns.

use std::sync::Arc;

use tbindex::bitbase::{Accumulator, Bitbase, Captures, Domain, Slice};
use tbindex::{Color, Conversion, Piece, PieceType};

use crate::chess::pawn_moves::{Step, en_passant, steps};
use crate::chess::pawns::Pawns;
use crate::subtables::library::SolveError;
use crate::subtables::outcome_sets::Sets;
use crate::subtables::view::{Solved, slices_after};
use crate::table::value::Outcome;

/// Moves that lead into certain positions.
#[derive(Default)]
pub(crate) struct Exits {
    /// Captures by kings and men.
    captures: Vec<Captures>,
    /// The positions from which a pawn's move leads there.
    moves: Option<Bitbase>,
}

impl Exits {
    /// Gathers the positions of a slice that have such a move. Illegal ones may be among them.
    pub(crate) fn gather(&self, slice: &Slice<'_>, gathered: &mut Accumulator) {
        gathered.captures(slice, &self.captures);
        if let Some(moves) = &self.moves {
            gathered.add(moves.slice(slice.number()));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.captures.is_empty() && self.moves.is_none()
    }

    fn moves(&mut self, domain: &Domain) -> Result<&mut Bitbase, SolveError> {
        if self.moves.is_none() {
            self.moves = Some(Bitbase::new(domain)?);
        }
        Ok(self.moves.as_mut().expect("just made"))
    }

    fn copy(&self) -> Result<Exits, SolveError> {
        let moves = self.moves.as_ref().map(Bitbase::try_clone).transpose()?;
        Ok(Exits {
            captures: self.captures.clone(),
            moves,
        })
    }

    fn drop_if_empty(&mut self) {
        self.captures.retain(|captures| !captures.is_empty());
        self.moves.take_if(|moves| moves.is_empty());
    }
}

/// The moves of one side out of a part, by the positions that they lead to.
#[derive(Default)]
pub(crate) struct Conversions {
    /// Into legal positions.
    pub(crate) any: Exits,
    /// Into those lost for the side to move, which is the other one.
    pub(crate) lost: Exits,
    pub(crate) blessed: Exits,
    /// Into those not won for the side to move; not even a cursed win.
    pub(crate) not_won: Exits,
    /// `None` if it is the same as `not_won`.
    pub(crate) not_cursed: Option<Exits>,
}

impl Solved<'_> {
    /// What a pawn's move leads to, with the other side to move, in the slots of the domain before the move but
    /// for a captured piece.
    fn after(&self, domain: &Domain, step: &Step, side: Color) -> Result<Sets, SolveError> {
        let from = self.domain_after(domain, step, side);
        let mut sets = self.sets(&step.material, step.pawns, !side, &from)?;
        if let Some(passed) = step.passed {
            sets.for_each(|set| set.remove_on(passed));
            let after = en_passant(step.pawns, side, passed);
            if !after.is_empty() {
                self.capture_en_passant(domain, step, side, &after, &mut sets)?;
            }
        }
        Ok(sets)
    }

    /// Lets the other side capture en passant after a pawn's two steps: positions are worth the better of what
    /// they are worth without and of these captures, and these captures alone where there is no other move.
    fn capture_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[Pawns],
        sets: &mut Sets,
    ) -> Result<(), SolveError> {
        let backend = self.backend;
        let captured = Piece::new(side, PieceType::Pawn);
        let material = (self.shape.material())
            .after(Conversion::Capture { captured })
            .expect("a pawn was there");
        let captures = after.iter().map(|&pawns| {
            let from = domain.with_others_fixed(&pawns.pieces());
            let from = from.expect("pawns on squares of their own");
            self.sets(&material, pawns, side, &from)?.each(|set| {
                let mut here = Bitbase::new(sets.legal.domain())?;
                here.unite_same_squares(set);
                here.intersect(&sets.legal, backend);
                Ok(here)
            })
        });
        let captures: Vec<Sets> = captures.collect::<Result<_, SolveError>>()?;
        // A stalemate is none if there is such a capture: it counts as lost until one is better.
        if let Some(stalemates) = self.stalemates(step.pawns, !side, sets.legal.domain())? {
            for capture in &captures {
                let mut stuck = capture.legal.try_clone()?;
                stuck.intersect(&stalemates, backend);
                sets.lost.unite(&stuck, backend);
            }
        }
        let makes_a_difference = captures.iter().any(|capture| capture.cursed.is_some());
        if makes_a_difference {
            sets.cursed()?;
        }
        for capture in &captures {
            let mut saved = capture.not_won.try_clone()?;
            saved.intersect(&sets.lost, backend);
            sets.lost.subtract(&saved, backend);
            sets.not_won.subtract(&capture.lost, backend);
            let Some(cursed) = &mut sets.cursed else {
                continue;
            };
            // What saves from a loss saves a blessed loss at least.
            cursed.blessed.unite(&saved, backend);
            cursed.not_cursed.subtract(&capture.lost, backend);
            match &capture.cursed {
                Some(more) => {
                    cursed.blessed.subtract(&more.not_cursed, backend);
                    cursed.not_cursed.subtract(&more.blessed, backend);
                }
                None => cursed.blessed.subtract(&capture.not_won, backend),
            }
        }
        Ok(())
    }

    /// The moves of `side` out of a part: those of its king and its men, and those of pawns that pass a test.
    pub(crate) fn doors(
        &self,
        part: usize,
        side: Color,
        role: Role,
        with: impl Fn(&Step) -> bool,
    ) -> Result<Conversions, SolveError> {
        let domain = &self.shape.domain(part);
        let pawns = self.shape.pawns(part);
        let mut doors = Conversions::default();
        for (captured, material, left) in self.captures(part, side) {
            let (sets, swapped) = match self.source(&material, left)? {
                Some(source) => (self.sets_of(&source, source.mover(!side))?, source.swapped),
                None => {
                    let after = domain.after(captured);
                    let after = after.expect("a group that leaves fixed pieces in place");
                    let drawn = Sets::drawn(&after, !side, self.backend)?;
                    (Arc::new(drawn), false)
                }
            };
            doors.add(&sets, role, &mut |exits, set| {
                let captures = Captures::new(domain, captured, set, swapped, self.backend)?;
                exits.captures.push(captures);
                Ok(())
            })?;
        }
        let steps = steps(&self.shape.material(), pawns, side).into_iter();
        for step in steps.filter(|step| with(step)) {
            let sets = self.after(domain, &step, side)?;
            doors.add(&sets, role, &mut |exits, set| {
                let moves = exits.moves(domain)?;
                if step.captured.is_some() {
                    for man in self.captured_men(domain, &step, side) {
                        moves.unite_with_man(man, step.to, set);
                    }
                } else {
                    moves.unite_same_squares(set);
                }
                Ok(())
            })?;
        }
        doors.lost.drop_if_empty();
        doors.blessed.drop_if_empty();
        Ok(doors)
    }

    /// Whether captures of `side` out of a table without pawns may lead into what is lost for the other side, into blessed
    /// losses, and into what the fifty-move rule makes a difference for. The values of the smaller tables say so; whether any
    /// capture leads there, they do not say.
    pub(crate) fn captures_may_lead(&self, side: Color) -> Result<[bool; 3], SolveError> {
        let mut all = [false; 3];
        for (_, material, left) in self.captures(0, side) {
            let Some(source) = self.source(&material, left)? else {
                continue;
            };
            for value in source.values(source.mover(!side)) {
                all[0] |= value.outcome == Outcome::Loss;
                all[1] |= value.outcome == Outcome::BlessedLoss;
                all[2] |= matches!(value.outcome, Outcome::CursedWin | Outcome::BlessedLoss);
            }
        }
        Ok(all)
    }

    /// What a winner or a loser needs of the moves of `side` out of a table without pawns, for the positions of some
    /// slices alone. Nothing is read but what these moves lead to.
    pub(crate) fn doors_of_slices(
        &self,
        side: Color,
        role: Role,
        slices: &[usize],
    ) -> Result<Conversions, SolveError> {
        let domain = &self.shape.domain(0);
        let after = slices_after(domain, side, slices);
        let mut doors = Conversions::default();
        for (captured, material, left) in self.captures(0, side) {
            let (sets, swapped) = match self.source(&material, left)? {
                Some(source) => {
                    let there = source.slices_there(domain, &after);
                    let mover = source.mover(!side);
                    let sets = Sets::in_slices(source.part, mover, self.backend, Some(&there))?;
                    (sets, source.swapped)
                }
                None => {
                    let after = domain.after(captured).expect("no fixed pieces");
                    (Sets::drawn(&after, !side, self.backend)?, false)
                }
            };
            doors.add(&sets, role, &mut |exits, set| {
                let wanted = |slice: usize| after[slice];
                let sets = [set];
                let captures =
                    Captures::of_each(domain, captured, &sets, swapped, wanted, self.backend)?;
                exits.captures.extend(captures);
                Ok(())
            })?;
        }
        doors.lost.drop_if_empty();
        doors.blessed.drop_if_empty();
        Ok(doors)
    }
}

/// What a side needs to know of its moves out of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Into what is lost for the other side.
    Winner,
    /// Into what the other side can't win.
    Loser,
    /// Everything.
    Both,
}

impl Conversions {
    /// The positions from which a pawn of a loser moves, and those from which it moves into positions that the other side has
    /// not won, to write to.
    pub(crate) fn moves_mut(&mut self, domain: &Domain) -> Result<[&mut Bitbase; 2], SolveError> {
        Ok([self.any.moves(domain)?, self.not_won.moves(domain)?])
    }

    /// Adds to all exits the moves that lead into these sets.
    fn add(
        &mut self,
        sets: &Sets,
        role: Role,
        to: &mut dyn FnMut(&mut Exits, &Bitbase) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        if sets.cursed.is_some() && self.not_cursed.is_none() {
            self.not_cursed = Some(self.not_won.copy()?);
        }
        if role != Role::Winner {
            to(&mut self.any, &sets.legal)?;
            to(&mut self.not_won, &sets.not_won)?;
            if let Some(not_cursed) = &mut self.not_cursed {
                let set = (sets.cursed.as_ref()).map_or(&sets.not_won, |cursed| &cursed.not_cursed);
                to(not_cursed, set)?;
            }
        }
        if role != Role::Loser {
            to(&mut self.lost, &sets.lost)?;
            if let Some(cursed) = &sets.cursed {
                to(&mut self.blessed, &cursed.blessed)?;
            }
        }
        Ok(())
    }
}
