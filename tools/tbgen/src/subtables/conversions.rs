//! Moves that lead out of a part of a table, by what they lead to: captures, and the moves of pawns.

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::bitbase::{Accumulator, Bitbase, Captures, Domain, Row, Slice, WithMan};
use tbindex::{Color, Conversion, Piece, PieceType};

use crate::chess::pawn_moves::{Step, en_passant, steps};
use crate::chess::pawns::Pawns;
use crate::subtables::library::SolveError;
use crate::subtables::outcome_sets::Sets;
use crate::subtables::view::{Solved, slices_after};
use crate::table::planes::Stored;
use crate::table::slices::{among, chosen};

/// Moves that lead into certain positions.
#[derive(Default)]
pub(crate) struct Exits {
    /// Captures by kings and men.
    captures: Vec<Captures>,
    /// The positions from which a pawn's move leads there.
    moves: Option<Bitbase>,
    /// By slices the positions that have such moves, where they were gathered and put aside.
    stored: Vec<Option<Stored>>,
}

impl Exits {
    /// Gathers the positions of a slice that have such a move. Illegal ones may be among them.
    pub(crate) fn gather(
        &self,
        slice: &Slice<'_>,
        gathered: &mut Accumulator,
    ) -> Result<(), SolveError> {
        gathered.captures(slice, &self.captures);
        if let Some(moves) = &self.moves {
            gathered.add(moves.slice(slice.number()));
        }
        if let Some(Some(stored)) = self.stored.get(slice.number()) {
            let mut rows = vec![Row::EMPTY; gathered.rows().len()];
            stored.decompress_into(&mut rows)?;
            gathered.add(&rows);
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        let stored = self.stored.iter().any(Option::is_some);
        self.captures.is_empty() && self.moves.is_none() && !stored
    }

    fn store(&mut self, slice: usize, stored: Option<Stored>) {
        if self.stored.len() <= slice {
            self.stored.resize(slice + 1, None);
        }
        self.stored[slice] = stored;
    }

    fn moves(&mut self, domain: &Domain) -> Result<&mut Bitbase, SolveError> {
        if self.moves.is_none() {
            self.moves = Some(match domain.slices() {
                1 => Bitbase::new(domain)?,
                _ => Bitbase::with_few_slices(domain)?,
            });
        }
        Ok(self.moves.as_mut().expect("just made"))
    }

    fn copy(&self) -> Result<Exits, SolveError> {
        let moves = self.moves.as_ref().map(Bitbase::try_clone).transpose()?;
        Ok(Exits {
            captures: self.captures.clone(),
            moves,
            stored: self.stored.clone(),
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
    /// for a captured piece, in the slices that are chosen.
    fn after(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        chosen: Option<&[bool]>,
    ) -> Result<Sets, SolveError> {
        let from = self.domain_after(domain, step, side);
        let mut sets = self.sets(&step.material, step.pawns, !side, &from, chosen)?;
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
            self.sets(&material, pawns, side, &from, None)?.each(|set| {
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

    /// The moves of `side` out of a part, as far as they matter to a role: those of its king and its men, and those of its
    /// pawns that pass a test. If slices are chosen, it is those from their positions, and nothing is read but what these
    /// moves lead to.
    pub(crate) fn doors(
        &self,
        part: usize,
        side: Color,
        role: Role,
        slices: Option<&[usize]>,
        with: &dyn Fn(&Step) -> bool,
    ) -> Result<Conversions, SolveError> {
        let (domain, backend) = (&self.shape.domain(part), self.backend);
        let after = slices.map(|slices| slices_after(domain, side, slices));
        let after = after.as_deref();
        let mut doors = Conversions::default();
        for (captured, material, left) in self.captures(part, side) {
            let (sets, swapped) = match self.source(&material, left)? {
                Some(source) => {
                    let mover = source.mover(!side);
                    let sets = match after.filter(|_| source.part.domain.slices() > 1) {
                        None => self.sets_of(&source, mover)?,
                        Some(after) => {
                            let there = source.slices_there(domain, after);
                            Arc::new(Sets::in_slices(source.part, mover, backend, Some(&there))?)
                        }
                    };
                    (sets, source.swapped)
                }
                None => {
                    let left = domain.after(captured);
                    let left = left.expect("a group that leaves fixed pieces in place");
                    (Arc::new(Sets::drawn(&left, !side, backend, after)?), false)
                }
            };
            doors.add(&sets, role, &mut |exits, set| {
                let wanted = |slice: usize| after.is_none_or(|after| after[slice]);
                let captures =
                    Captures::of_each(domain, captured, &[set], swapped, wanted, backend)?;
                exits.captures.extend(captures);
                Ok(())
            })?;
        }
        let chosen = slices.map(|slices| chosen(domain, slices));
        let steps = steps(&self.shape.material(), self.shape.pawns(part), side);
        for step in steps.iter().filter(|step| with(step)) {
            let sets = self.after(domain, step, side, chosen.as_deref())?;
            let men: Vec<usize> = match step.captured {
                Some(_) => self.captured_men(domain, step, side).collect(),
                None => Vec::new(),
            };
            doors.add(&sets, role, &mut |exits, set| {
                let moves = exits.moves(domain)?;
                let men = men
                    .iter()
                    .map(|&man| WithMan::new(domain, man, step.to, set));
                let men: Vec<WithMan<'_>> = men.collect();
                let every = vec![true; domain.slices()];
                let wanted = chosen.as_deref().unwrap_or(&every);
                among(moves.slices_mut(), wanted).for_each(|(number, rows)| {
                    if men.is_empty() {
                        unite(rows, set.slice(number));
                    }
                    for man in &men {
                        for (slab, rows) in rows.chunks_exact_mut(8).enumerate() {
                            if let Some(there) = man.slab(number, slab) {
                                unite(rows, &there);
                            }
                        }
                    }
                });
                Ok(())
            })?;
        }
        doors.lost.drop_if_empty();
        doors.blessed.drop_if_empty();
        Ok(doors)
    }
}

fn unite(rows: &mut [Row], others: &[Row]) {
    for (row, other) in rows.iter_mut().zip(others) {
        *row |= *other;
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

    /// The kinds of moves, each with where it is put in [`store`](Conversions::store).
    pub(crate) fn kinds(&self) -> [&Exits; 5] {
        let not_cursed = self.not_cursed.as_ref().unwrap_or(&self.not_won);
        [
            &self.any,
            &self.lost,
            &self.blessed,
            &self.not_won,
            not_cursed,
        ]
    }

    /// Makes positions of a slice, gathered from the [kinds](Conversions::kinds) of others and put aside, those that have
    /// such moves. What the fifty-move rule makes no difference for in the others, it may have made one before.
    pub(crate) fn store(
        &mut self,
        slice: usize,
        stored: [Option<Stored>; 5],
        cursed: bool,
    ) -> Result<(), SolveError> {
        if cursed && self.not_cursed.is_none() {
            self.not_cursed = Some(self.not_won.copy()?);
        }
        let [any, lost, blessed, not_won, not_cursed] = stored;
        self.any.store(slice, any);
        self.lost.store(slice, lost);
        self.blessed.store(slice, blessed);
        self.not_won.store(slice, not_won);
        if let Some(exits) = &mut self.not_cursed {
            exits.store(slice, not_cursed);
        }
        Ok(())
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
