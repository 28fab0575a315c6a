//! Positions by their outcome.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Row, Seen, Slice};

use crate::subtables::library::SolveError;
use crate::table::slices::{among, chosen};
use crate::table::solved::Part;
use crate::table::value::{Outcome, Value};

/// Positions by their outcome for the side to move.
pub(crate) struct Sets {
    pub(crate) legal: Bitbase,
    pub(crate) lost: Bitbase,
    pub(crate) not_won: Bitbase,
    /// Where the fifty-move rule makes a difference.
    pub(crate) cursed: Option<Cursed>,
}

/// What the fifty-move rule makes of positions.
pub(crate) struct Cursed {
    pub(crate) blessed: Bitbase,
    /// Not even a cursed win.
    pub(crate) not_cursed: Bitbase,
}

impl Sets {
    /// The positions of a part with a side to move.
    pub(crate) fn of(part: &Part, side: Color, backend: Backend) -> Result<Sets, SolveError> {
        Sets::in_slices(part, side, backend, None)
    }

    /// The positions of some slices of a part with a side to move, or of all if none are chosen. The others take no
    /// memory.
    pub(crate) fn in_slices(
        part: &Part,
        side: Color,
        backend: Backend,
        chosen: Option<&[bool]>,
    ) -> Result<Sets, SolveError> {
        let legal = legal_in(&part.domain, side, backend, chosen)?;
        let complement = |set: &mut Bitbase| {
            let slices = set.slices_mut().enumerate();
            let is_chosen = |number: usize| chosen.is_none_or(|chosen| chosen[number]);
            for (number, rows) in slices.filter(|(number, _)| is_chosen(*number)) {
                for (row, legal) in rows.iter_mut().zip(legal.slice(number)) {
                    *row = *legal & !*row;
                }
            }
        };
        let mut values = part.sides[side as usize].values.iter();
        let lost = |value: Value| value.outcome == Outcome::Loss;
        let won = |value: Value| value.outcome == Outcome::Win;
        let is_cursed =
            |value: &Value| matches!(value.outcome, Outcome::CursedWin | Outcome::BlessedLoss);
        if !values.any(is_cursed) {
            let [lost, mut not_won] = part.positions_by(side, chosen, [&lost, &won])?;
            complement(&mut not_won);
            return Ok(Sets {
                legal,
                lost,
                not_won,
                cursed: None,
            });
        }
        let blessed = |value: Value| value.outcome == Outcome::BlessedLoss;
        let cursed = |value: Value| value.outcome >= Outcome::CursedWin;
        let [lost, mut not_won, blessed, mut not_cursed] =
            part.positions_by(side, chosen, [&lost, &won, &blessed, &cursed])?;
        complement(&mut not_won);
        complement(&mut not_cursed);
        Ok(Sets {
            legal,
            lost,
            not_won,
            cursed: Some(Cursed {
                blessed,
                not_cursed,
            }),
        })
    }

    /// The positions of a part whose kings have slices, as they are seen in some slices of a domain, or in all if none are
    /// chosen, by way of some slices of the part. A few of these are read at a time.
    pub(crate) fn seen_by_slices(
        part: &Part,
        side: Color,
        backend: Backend,
        from: Seeing<'_>,
        there: Option<&[bool]>,
    ) -> Result<Sets, SolveError> {
        let wanted = |slice: &usize| there.is_none_or(|there| there[*slice]);
        let slices: Vec<usize> = (0..part.domain.slices()).filter(wanted).collect();
        let mut seen: Option<Sets> = None;
        for slices in slices.chunks(slices_at_once(&part.domain)) {
            let there = chosen(&part.domain, slices);
            let sets = Sets::in_slices(part, side, backend, Some(&there))?;
            let seen = match &mut seen {
                Some(seen) => seen,
                None => seen.insert(sets.each(|_| from.empty())?),
            };
            from.unite(
                &mut seen.all_mut(),
                &sets.all(),
                |slice| there[slice],
                backend,
            )?;
        }
        Ok(seen.expect("slices that are wanted"))
    }

    /// The sets as they are seen from a domain.
    pub(crate) fn convert(&self, from: Seeing<'_>, backend: Backend) -> Result<Sets, SolveError> {
        let mut seen = self.each(|_| from.empty())?;
        from.unite(&mut seen.all_mut(), &self.all(), |_| true, backend)?;
        Ok(seen)
    }

    fn all(&self) -> Vec<&Bitbase> {
        let cursed = self.cursed.iter();
        let cursed = cursed.flat_map(|cursed| [&cursed.blessed, &cursed.not_cursed]);
        let sets = [&self.legal, &self.lost, &self.not_won];
        sets.into_iter().chain(cursed).collect()
    }

    /// The same in the same order, to write to.
    fn all_mut(&mut self) -> Vec<&mut Bitbase> {
        let cursed = self.cursed.iter_mut();
        let cursed = cursed.flat_map(|cursed| [&mut cursed.blessed, &mut cursed.not_cursed]);
        let sets = [&mut self.legal, &mut self.lost, &mut self.not_won];
        sets.into_iter().chain(cursed).collect()
    }

    /// The legal positions of some slices of a domain, or of all if none are chosen. They are draws.
    pub(crate) fn drawn(
        domain: &Domain,
        side: Color,
        backend: Backend,
        chosen: Option<&[bool]>,
    ) -> Result<Sets, SolveError> {
        Ok(Sets {
            lost: empty_in(domain, chosen)?,
            not_won: legal_in(domain, side, backend, chosen)?,
            cursed: None,
            legal: legal_in(domain, side, backend, chosen)?,
        })
    }

    /// The sets as a change makes them.
    pub(crate) fn each(
        &self,
        change: impl Fn(&Bitbase) -> Result<Bitbase, SolveError>,
    ) -> Result<Sets, SolveError> {
        let cursed = self.cursed.as_ref().map(|cursed| {
            Ok::<_, SolveError>(Cursed {
                blessed: change(&cursed.blessed)?,
                not_cursed: change(&cursed.not_cursed)?,
            })
        });
        Ok(Sets {
            legal: change(&self.legal)?,
            lost: change(&self.lost)?,
            not_won: change(&self.not_won)?,
            cursed: cursed.transpose()?,
        })
    }

    /// Changes all sets in place.
    pub(crate) fn for_each(&mut self, change: impl Fn(&mut Bitbase)) {
        self.all_mut().into_iter().for_each(change);
    }

    /// What the fifty-move rule makes of positions, made if it made no difference so far.
    pub(crate) fn cursed(&mut self) -> Result<&mut Cursed, SolveError> {
        if self.cursed.is_none() {
            self.cursed = Some(Cursed {
                blessed: Bitbase::new(self.legal.domain())?,
                not_cursed: self.not_won.try_clone()?,
            });
        }
        Ok(self.cursed.as_mut().expect("just made"))
    }
}

/// A domain that sets are seen from, and the slices that are wanted there: all if none are chosen.
#[derive(Clone, Copy)]
pub(crate) struct Seeing<'a> {
    pub(crate) domain: &'a Domain,
    pub(crate) chosen: Option<&'a [bool]>,
    /// Whether the sets have the colours exchanged.
    pub(crate) swapped: bool,
}

impl Seeing<'_> {
    /// A set without positions.
    pub(crate) fn empty(&self) -> Result<Bitbase, SolveError> {
        empty_in(self.domain, self.chosen)
    }

    /// Adds to each of several sets of the domain the positions that are seen of the set at the same place, in its slices
    /// that are wanted.
    pub(crate) fn unite(
        &self,
        all: &mut [&mut Bitbase],
        sets: &[&Bitbase],
        wanted: impl Fn(usize) -> bool + Sync,
        backend: Backend,
    ) -> Result<(), SolveError> {
        if all.is_empty() {
            return Ok(());
        }
        let seen = Seen::new(sets, self.domain, self.swapped, backend)?;
        let count = self.domain.slices();
        let mut rows: Vec<Vec<&mut [Row]>> = (0..count).map(|_| Vec::new()).collect();
        for set in all {
            for (rows, slice) in rows.iter_mut().zip(set.slices_mut()) {
                rows.push(slice);
            }
        }
        if count == 1 {
            seen.unite_into(0, wanted, &mut rows[0]);
            return Ok(());
        }
        let every = vec![true; count];
        among(rows.iter_mut(), self.chosen.unwrap_or(&every))
            .for_each(|(slice, rows)| seen.unite_into(slice, &wanted, rows));
        Ok(())
    }
}

/// The bytes of a set of the slices that are read at a time.
pub(crate) const AT_ONCE: usize = 8 << 20;

/// The number of slices of a domain that are read at a time.
pub(crate) fn slices_at_once(domain: &Domain) -> usize {
    (AT_ONCE / (domain.rows() * size_of::<Row>())).max(1)
}

fn empty_in(domain: &Domain, chosen: Option<&[bool]>) -> Result<Bitbase, SolveError> {
    Ok(match chosen {
        None => Bitbase::new(domain)?,
        Some(_) => Bitbase::with_few_slices(domain)?,
    })
}

/// The legal positions of some slices of a domain, or of all if none are chosen.
pub(crate) fn legal_in(
    domain: &Domain,
    side: Color,
    backend: Backend,
    chosen: Option<&[bool]>,
) -> Result<Bitbase, SolveError> {
    let Some(chosen) = chosen else {
        return Ok(Bitbase::legal(domain, side, backend)?);
    };
    let mut legal = Bitbase::with_few_slices(domain)?;
    among(legal.slices_mut(), chosen).for_each(|(number, rows)| {
        Slice::new(domain, number).illegal_into(side, rows, backend);
        for row in rows {
            *row = !*row;
        }
    });
    Ok(legal)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use tbindex::{Material, Piece, PieceType};

    use super::*;
    use crate::chess::dependencies::needed_by;
    use crate::solve::levels::solve;
    use crate::subtables::library::Library;
    use crate::testing::{curse, quietly};

    #[test]
    fn what_a_promotion_leads_to_is_the_same_slice_by_slice() {
        let (stop, backend) = (AtomicBool::new(false), Backend::detect());
        let material: Material = "KQvKR".parse().unwrap();
        let mut library = Library::default();
        for needed in needed_by(&material) {
            library.insert(solve(&needed, &library, quietly(&stop)).unwrap());
        }
        let mut part = library.get(&material).unwrap().parts[0].clone();
        let same = |a: &Bitbase, b: &Bitbase| a.rows() == b.rows();
        for cursed in [false, true] {
            if cursed {
                curse(&mut part);
            }
            // White has promoted on e8, or black on e1 in a table whose colours are exchanged.
            for (swapped, color, square) in
                [(false, Color::White, "e8"), (true, Color::Black, "e1")]
            {
                let queen = (Piece::new(color, PieceType::Queen), square.parse().unwrap());
                let name = if swapped { "KRvKQ" } else { "KQvKR" };
                let from = Domain::try_new(name.parse().unwrap(), &[queen]).unwrap();
                for side in Color::ALL {
                    let sets = Sets::of(&part, side, backend).unwrap();
                    let whole = sets
                        .each(|set| Ok(set.convert(&from, swapped, backend)?))
                        .unwrap();
                    let from = Seeing {
                        domain: &from,
                        chosen: None,
                        swapped,
                    };
                    let seen = Sets::seen_by_slices(&part, side, backend, from, None).unwrap();
                    assert!(same(&whole.legal, &seen.legal) && seen.legal.count() > 10_000);
                    assert!(same(&whole.lost, &seen.lost) && same(&whole.not_won, &seen.not_won));
                    assert!(seen.not_won.count() > 100);
                    assert!([&whole, &seen].map(|sets| sets.cursed.is_some()) == [cursed; 2]);
                    if let (Some(whole), Some(seen)) = (whole.cursed, seen.cursed) {
                        assert!(same(&whole.blessed, &seen.blessed));
                        assert!(same(&whole.not_cursed, &seen.not_cursed));
                    }
                }
            }
        }
    }
}
