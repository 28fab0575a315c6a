//! Seeds: the plies in which conversions decide positions of a part.
//!
//! A conversion into a position that is lost for the other side is a win in the ply of its value. One into a position that
//! the other side has won holds the loser's position until that ply, and one into any other position holds it for ever. By the
//! distance to zeroing there are two such plies: 1, and 101 for conversions into cursed wins and blessed losses. Of helpmates,
//! each side has one in the ply after that of the shortest that its conversions lead to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Captures, Domain, Row, Slice};
use tbindex::{Color, dispatch};

use crate::chess::pawns::PawnStep;
use crate::subtables::conversions::Conversion;
use crate::subtables::due::Due;
use crate::subtables::gathered::Gathered;
use crate::subtables::library::SolveError;
use crate::subtables::solved::Solved;
use crate::table::codes::{code_of, won_by};
use crate::table::slab::{Slab, rows_of};
use crate::table::slices::{among, by_slices, chosen};
use crate::table::sparse::Stored;
use crate::table::value::Metric;

/// The last ply in which a win is not cursed.
pub(crate) const RULE: u16 = 100;

/// The positions of a part that have conversions of one kind.
#[derive(Default)]
pub(crate) struct Exits {
    /// Captures by kings and men.
    captures: Vec<Captures>,
    /// The positions from which a pawn moves.
    moves: Option<Bitbase>,
    /// By slices the positions that have such conversions, where they were gathered and put aside.
    pub(crate) stored: BTreeMap<usize, Stored>,
}

impl Exits {
    /// Gathers the positions of a slice that have such a conversion. Illegal ones may be among them.
    pub(crate) fn gather(
        &self,
        slice: &Slice<'_>,
        gathered: &mut Accumulator,
    ) -> Result<(), SolveError> {
        gathered.captures(slice, &self.captures);
        if let Some(moves) = &self.moves {
            gathered.add(moves.slice(slice.number()));
        }
        if let Some(stored) = self.stored.get(&slice.number()) {
            let slabs = gathered.rows().len() / 8;
            stored.for_each_slab(slabs, |slab, these| gathered.add_slab(slab, these))?;
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.captures.is_empty() && self.moves.is_none() && self.stored.is_empty()
    }

    /// The positions from which a pawn moves, to write to.
    fn moves(&mut self, domain: &Domain) -> Result<&mut Bitbase, SolveError> {
        Ok(match &mut self.moves {
            Some(moves) => moves,
            none if domain.slices() == 1 => none.insert(Bitbase::try_new(domain)?),
            none => none.insert(Bitbase::with_few_slices(domain)?),
        })
    }
}

/// The conversions of a side by the distance to zeroing, by where they lead to, the worst first.
pub(crate) type ByOutcome = Box<[Exits; 5]>;

/// Into any legal position.
const ANY: usize = 0;
/// Into cursed wins of the other side.
const BLESSED: usize = 1;
/// Into positions that the other side does not win, were there no fifty-move rule.
const SAFE: usize = 2;
/// Into blessed losses of the other side.
pub(crate) const CURSED: usize = 3;
/// Into losses of the other side.
pub(crate) const WON: usize = 4;

/// The seeds of a side to move.
pub(crate) struct Seeds {
    pub(crate) side: Color,
    pub(crate) metric: Metric,
    pub(crate) by: By,
}

pub(crate) enum By {
    Zeroing(ByOutcome),
    /// For each slice what is due: as wins of white and of black or, of helpmates, with one solution and with several.
    Mate(Vec<[Due; 2]>),
}

impl Seeds {
    /// The exits that are due for a winner in so many plies, if there are any.
    fn exits<'e>(&self, exits: &'e ByOutcome, winner: Color, plies: u16) -> Option<&'e Exits> {
        let at = match (winner == self.side, plies) {
            (true, 1) => WON,
            (true, plies) if plies == RULE + 1 => CURSED,
            (false, plies) if plies == RULE + 1 => BLESSED,
            _ => return None,
        };
        Some(&exits[at]).filter(|exits| !exits.is_empty())
    }

    /// Which of what is due in a slice are wins of a side; of helpmates all of it.
    fn wins_of(&self, winner: Color) -> Range<usize> {
        match self.metric.victim() {
            None => winner as usize..winner as usize + 1,
            Some(_) => 0..2,
        }
    }

    /// A code of what is due as a win of a side in so many plies. All of these have its half.
    fn code(&self, winner: Color, plies: u16) -> Option<u16> {
        let value = match winner == self.side {
            true => self.metric.win(plies),
            false => self.metric.loss(plies),
        };
        code_of(self.metric, value, self.side)
    }

    /// Whether anything is due in a slice, as a win of a side in so many plies.
    pub(crate) fn has(&self, winner: Color, plies: u16, slice: usize) -> bool {
        match &self.by {
            By::Zeroing(exits) => self.exits(exits, winner, plies).is_some(),
            By::Mate(slices) => {
                let mut dues = slices[slice][self.wins_of(winner)].iter();
                let code = self.code(winner, plies);
                code.is_some_and(|code| dues.any(|due| due.has(code)))
            }
        }
    }

    /// The plies of wins of a side in which anything is due.
    pub(crate) fn plies(&self, winner: Color) -> BTreeSet<u16> {
        match &self.by {
            By::Zeroing(exits) => ([1, RULE + 1].into_iter())
                .filter(|&plies| self.exits(exits, winner, plies).is_some())
                .collect(),
            By::Mate(slices) => {
                let dues = slices.iter().flat_map(|due| &due[self.wins_of(winner)]);
                dues.flat_map(|due| due.plies(self.metric, self.side))
                    .collect()
            }
        }
    }

    /// Gathers the positions of a slice that have conversions into legal positions. Illegal ones may be among them.
    pub(crate) fn any(
        &self,
        slice: &Slice<'_>,
        gathered: &mut Accumulator,
    ) -> Result<(), SolveError> {
        match &self.by {
            By::Zeroing(exits) => exits[ANY].gather(slice, gathered),
            By::Mate(slices) if self.metric.victim().is_some() => {
                let due = &slices[slice.number()][!self.side as usize];
                Ok(due.for_each_slab(0, |slab, these| gathered.add_slab(slab, these))?)
            }
            // No mate is in fewer plies.
            By::Mate(_) => self.held(slice, 1, gathered),
        }
    }

    /// Gathers the positions of a slice that conversions hold for longer than so many plies; of helpmates none. Illegal ones may
    /// be among them.
    pub(crate) fn held(
        &self,
        slice: &Slice<'_>,
        plies: u16,
        gathered: &mut Accumulator,
    ) -> Result<(), SolveError> {
        match &self.by {
            By::Zeroing(exits) => {
                if plies <= RULE {
                    exits[BLESSED].gather(slice, gathered)?;
                }
                exits[SAFE].gather(slice, gathered)
            }
            By::Mate(_) if self.metric.victim().is_some() => Ok(()),
            By::Mate(slices) => {
                let due = &slices[slice.number()][!self.side as usize];
                Ok(due.for_each_later(self.side, plies, |slab, these| {
                    gathered.add_slab(slab, these);
                })?)
            }
        }
    }

    /// Gathers the positions of a slice that conversions win in so many plies. Illegal ones may be among them.
    pub(crate) fn wins(
        &self,
        slice: &Slice<'_>,
        plies: u16,
        gathered: &mut Gathered,
    ) -> Result<(), SolveError> {
        match &self.by {
            By::Zeroing(exits) => match self.exits(exits, self.side, plies) {
                Some(exits) => exits.gather(slice, &mut gathered.all),
                None => Ok(()),
            },
            By::Mate(_) => self.gather_due(self.side, (slice, plies), gathered, |_, _| ()),
        }
    }

    /// Gathers the positions of a slice that are due as a win of a side in so many plies, and hands over their slabs.
    fn gather_due(
        &self,
        winner: Color,
        (slice, plies): (&Slice<'_>, u16),
        gathered: &mut Gathered,
        mut each: impl FnMut(usize, &Slab),
    ) -> Result<(), SolveError> {
        let (By::Mate(slices), Some(code)) = (&self.by, self.code(winner, plies)) else {
            return Ok(());
        };
        for due in &slices[slice.number()][self.wins_of(winner)] {
            due.for_each_slab(code, |slab, these| {
                gathered.add_slab(slab, these, due.bit == 1);
                each(slab, these);
            })?;
        }
        Ok(())
    }

    /// Gathers the positions of a slice that conversions do not hold any more in so many plies, and takes them out of those
    /// that are done; of helpmates those that have one of so many plies. Nothing is gathered yet.
    pub(crate) fn open(
        &self,
        slice: &Slice<'_>,
        plies: u16,
        backend: Backend,
        gathered: &mut Gathered,
        done: &mut [Row],
    ) -> Result<(), SolveError> {
        match &self.by {
            By::Zeroing(exits) => {
                let gathered = &mut gathered.all;
                if self.exits(exits, !self.side, plies).is_none() {
                    return Ok(());
                }
                exits[SAFE].gather(slice, gathered)?;
                let mut closed = gathered.rows().to_vec();
                gathered.clear();
                exits[BLESSED].gather(slice, gathered)?;
                let mut open = gathered.rows().to_vec();
                gathered.clear();
                let mut illegal = vec![Row::EMPTY; done.len()];
                slice.illegal_into(self.side, &mut illegal, backend);
                for at in 0..done.len() {
                    closed[at] |= illegal[at];
                    open[at] &= !closed[at];
                    done[at] &= !open[at];
                }
                gathered.add(&open);
                Ok(())
            }
            By::Mate(_) => {
                let is_help = self.metric.victim().is_some();
                self.gather_due(!self.side, (slice, plies), gathered, |slab, these| {
                    if !is_help {
                        for (done, &these) in done[slab * 8..].iter_mut().zip(these) {
                            *done &= !these;
                        }
                    }
                })
            }
        }
    }

    /// Gives back the memory of what was due for a winner in so many plies.
    pub(crate) fn forget(&mut self, winner: Color, plies: u16) {
        let (wins, code) = (self.wins_of(winner), self.code(winner, plies));
        if let (By::Mate(slices), Some(code)) = (&mut self.by, code) {
            let dues = slices.iter_mut().flat_map(|due| &mut due[wins.clone()]);
            dues.for_each(|due| due.forget(code));
        }
    }
}

/// The positions of a row that have conversions by where these lead to, as in [`ByOutcome`]: from the legal positions, and
/// the planes of the codes there.
#[inline(always)]
fn by_outcome(legal: Row, codes: &[Row], side: Color) -> [Row; 5] {
    let late = codes.get(2).copied().unwrap_or(Row::EMPTY);
    let (ours, theirs) = (won_by(side, codes) & legal, won_by(!side, codes));
    [
        legal,
        legal & theirs & late,
        legal & !theirs,
        ours & late,
        ours & !late,
    ]
}

impl Solved<'_> {
    /// The conversions of `side` out of a part by the distance to zeroing: all captures by kings and men, and the moves of
    /// pawns that pass a test; from some slices or, if none are chosen, from all.
    pub(crate) fn exits(
        &self,
        part: usize,
        side: Color,
        slices: Option<&[usize]>,
        with: &dyn Fn(&PawnStep) -> bool,
    ) -> Result<ByOutcome, SolveError> {
        let (domain, backend) = (&self.shape.domain(part), self.backend);
        let mut all = ByOutcome::default();
        let wanted = slices.map(|slices| chosen(domain, slices));
        self.conversions(part, side, slices, with, &mut |conversion| {
            let moves = match conversion {
                Conversion::Capture(capture) => {
                    let by_outcome = |legal, codes: &[Row]| by_outcome(legal, codes, side);
                    let captures = capture.captures(self, domain, by_outcome, &[])?;
                    for (exits, captures) in all.iter_mut().zip(captures) {
                        if !captures.is_empty() {
                            exits.captures.push(captures);
                        }
                    }
                    return Ok(());
                }
                Conversion::Pawn(moves) => moves,
            };
            for view in moves.views(domain) {
                // Where the fifty-move rule makes no difference, there is no third plane.
                let kinds: &[usize] = match view.planes() {
                    ..=2 => &[ANY, SAFE, WON],
                    _ => &[ANY, BLESSED, SAFE, CURSED, WON],
                };
                let exits = all.iter_mut().enumerate();
                let exits = exits.filter(|(kind, _)| kinds.contains(kind));
                let sets = exits.map(|(_, exits)| exits.moves(domain));
                let sets: Vec<&mut Bitbase> = sets.collect::<Result<_, SolveError>>()?;
                let rows = by_slices(sets, domain.slices()).into_iter();
                among(rows, wanted.as_deref()).for_each(|(slice, mut rows)| {
                    dispatch!(backend, _ => view.for_each_slab(
                        slice,
                        domain.slabs(),
                        #[inline(always)]
                        |slab, legal, codes| {
                            for (r, &legal) in legal.iter().enumerate() {
                                let codes = &rows_of(&codes[..view.planes()], r)[..view.planes()];
                                let found = by_outcome(legal, codes, side);
                                for (rows, &kind) in rows.iter_mut().zip(kinds) {
                                    rows[slab * 8 + r] |= found[kind];
                                }
                            }
                        },
                    ));
                });
            }
            Ok(())
        })?;
        for exits in all.iter_mut() {
            exits
                .moves
                .take_if(|moves| moves.rows().iter().all(Row::is_empty));
        }
        Ok(all)
    }
}
