//! Tallies: how many legal moves of some kind lead to a result, none, one or more, for all positions of a part.

use rayon::prelude::*;
use tbindex::bitbase::{Accumulator, Bitbase, Capturer, Direction, Domain, Row, Slice};
use tbindex::{Color, PieceType};

use crate::chess::pawns::PawnStep;
use crate::subtables::conversions::Conversion;
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::{Solved, slices_after};
use crate::table::code_sets::CodeSets;
use crate::table::codes::won_by;
use crate::table::slab::{Slab, rows_of};
use crate::table::slices::among;
use crate::table::value::{Metric, Outcome, Value};

/// Legal moves of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moves {
    All,
    /// All but those of the king.
    NotKing,
    /// All but promotions to rook, bishop or knight.
    NotUnderpromotions,
    Captures,
}

/// The result of a move, for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leads {
    ToWin,
    ToDraw,
    ToLoss,
    Anywhere,
}

/// Moves of a kind that lead to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tally {
    pub(crate) moves: Moves,
    pub(crate) leads: Leads,
}

/// The moves of a side that were tallied, slice by slice.
pub(crate) struct Tallied {
    wanted: Vec<Tally>,
    /// The slices, each with the sums of what is wanted. Illegal positions may be among them.
    slices: Vec<(usize, Vec<Accumulator>)>,
}

impl Tallied {
    /// The sum of one tally in a slice.
    pub(crate) fn sum(&self, slice: usize, tally: Tally) -> &Accumulator {
        let at = self.slices.binary_search_by_key(&slice, |of| of.0);
        let which = self.wanted.iter().position(|other| *other == tally);
        &self.slices[at.expect("a slice that is tallied")].1[which.expect("a tally that is wanted")]
    }
}

impl Moves {
    /// Whether a move of a pawn is one.
    fn has(self, step: &PawnStep) -> bool {
        match self {
            Moves::All | Moves::NotKing => true,
            Moves::NotUnderpromotions => {
                (step.promoted).is_none_or(|piece| piece.kind == PieceType::Queen)
            }
            Moves::Captures => step.capture,
        }
    }
}

/// Where conversions of a side lead, in the order of [`Leads`]: of each row the positions after them that are legal, and
/// the planes of the codes there. Wins that the fifty-move rule draws are draws.
#[inline(always)]
pub(super) fn results(legal: Row, codes: &[Row], metric: Metric, side: Color) -> [Row; 4] {
    let mut decided = legal;
    if let (Metric::Dtz, Some(&late)) = (metric, codes.get(2)) {
        decided &= !late;
    }
    let [wins, losses] = [side, !side].map(|winner| won_by(winner, codes) & decided);
    [wins, legal & !wins & !losses, losses, legal]
}

/// Where moves of a side within a part lead, in the order of [`Leads`], in some slices or, if none are chosen, in all.
fn results_within(
    solved: &Solved<'_>,
    number: usize,
    side: Color,
    after: Option<&[bool]>,
) -> Result<[Bitbase; 4], SolveError> {
    let part = &solved.parts[number];
    let leads_to = |wanted: Outcome| {
        move |value: Value| solved.metric.after_move(value, false).outcome == wanted
    };
    let mut sets = CodeSets::for_slices(after);
    let tests = [leads_to(Outcome::Win), leads_to(Outcome::Loss)];
    part.positions_by(!side, after, &tests, &mut sets)?;
    sets.push(&part.domain)?;
    let [mut wins, mut losses, mut draws] =
        <[Bitbase; 3]>::try_from(sets.into_sets()).expect("as many as were pushed");
    let all = legal_in(&part.domain, !side, solved.backend, after)?;
    let rows = (wins.slices_mut().zip(losses.slices_mut())).zip(draws.slices_mut());
    among(rows, after).for_each(|(slice, ((wins, losses), draws))| {
        for (at, &all) in all.slice(slice).iter().enumerate() {
            // In a file illegal placements may have any code.
            wins[at] &= all;
            losses[at] &= all;
            draws[at] = all & !wins[at] & !losses[at];
        }
    });
    Ok([wins, draws, losses, all])
}

impl Tallied {
    /// The tallies of the moves of a side in some slices of a part or, if none are chosen, in all.
    pub(super) fn of(
        solved: &Solved<'_>,
        number: usize,
        side: Color,
        wanted: &[Tally],
        chosen: Option<&[usize]>,
    ) -> Result<Tallied, SolveError> {
        let (domain, backend) = (&solved.parts[number].domain, solved.backend);
        let mut tallied = Tallied {
            wanted: wanted.to_vec(),
            slices: Vec::new(),
        };
        if wanted.is_empty() {
            return Ok(tallied);
        }
        let after = chosen.map(|slices| slices_after(domain, side, slices));
        let within = results_within(solved, number, side, after.as_deref())?;
        let counting = |_: &Tally| Accumulator::counting(domain, backend);
        let sums = |slice: usize| (slice, wanted.iter().map(counting).collect());
        tallied.slices = match chosen {
            Some(chosen) => chosen.iter().copied().map(sums).collect(),
            None => (0..domain.slices()).map(sums).collect(),
        };
        let slices = &mut tallied.slices;
        slices.par_iter_mut().for_each(|(slice, sums)| {
            let slice = Slice::new(domain, *slice);
            for (sum, tally) in sums.iter_mut().zip(wanted) {
                let from = &within[tally.leads as usize];
                match tally.moves {
                    Moves::All | Moves::NotUnderpromotions => {
                        sum.moves(&slice, side, Direction::Backward, from);
                    }
                    Moves::NotKing => {
                        for (man, of) in domain.men().iter().enumerate() {
                            if of.color == side && !of.is_king() {
                                sum.man_moves(&slice, man, Direction::Backward, from);
                            }
                        }
                    }
                    Moves::Captures => {}
                }
            }
        });
        drop(within);
        solved.conversions(number, side, chosen, &|_| true, &mut |conversion| {
            match conversion {
                Conversion::Capture(capture) => {
                    let results = |legal, codes: &[Row]| results(legal, codes, solved.metric, side);
                    let all = capture.captures(solved, domain, results, &[])?;
                    slices.par_iter_mut().for_each(|(slice, sums)| {
                        let slice = Slice::new(domain, *slice);
                        for (sum, tally) in sums.iter_mut().zip(wanted) {
                            let captures = &all[tally.leads as usize];
                            for by in domain.capturers(capture.captured) {
                                if tally.moves != Moves::NotKing || !is_king(domain, by) {
                                    sum.captures_by(&slice, by, captures);
                                }
                            }
                        }
                    });
                }
                Conversion::Pawn(moves) => {
                    for view in moves.views(domain) {
                        slices.par_iter_mut().for_each(|(slice, sums)| {
                            view.for_each_slab(*slice, domain.slabs(), |slab, legal, codes| {
                                let codes = &codes[..view.planes()];
                                let leads = results_of_slab(legal, codes, solved.metric, side);
                                for (sum, tally) in sums.iter_mut().zip(wanted) {
                                    if tally.moves.has(moves.step) {
                                        sum.add_slab(slab, &leads[tally.leads as usize]);
                                    }
                                }
                            });
                        });
                    }
                }
            }
            Ok(())
        })?;
        Ok(tallied)
    }
}

fn is_king(domain: &Domain, by: Capturer) -> bool {
    match by {
        Capturer::King => true,
        Capturer::Man(man) => domain.men()[man].is_king(),
    }
}

/// [`results`] of a slab.
fn results_of_slab(legal: &Slab, codes: &[Slab], metric: Metric, side: Color) -> [Slab; 4] {
    let mut all = [[Row::EMPTY; 8]; 4];
    for (r, &legal) in legal.iter().enumerate() {
        let found = results(legal, &rows_of(codes, r)[..codes.len()], metric, side);
        for (all, row) in all.iter_mut().zip(found) {
            all[r] = row;
        }
    }
    all
}
