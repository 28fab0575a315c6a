//! Positions by their outcome.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Slice};

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

    /// The positions of a part whose kings have slices, as they are seen from a domain. The part is read a few slices at a
    /// time.
    pub(crate) fn seen_by_slices(
        part: &Part,
        side: Color,
        backend: Backend,
        from: &Domain,
        swapped: bool,
    ) -> Result<Sets, SolveError> {
        const AT_ONCE: usize = 4;
        let slices: Vec<usize> = (0..part.domain.slices()).collect();
        let mut seen: Option<Sets> = None;
        for slices in slices.chunks(AT_ONCE) {
            let chosen = chosen(&part.domain, slices);
            let sets = Sets::in_slices(part, side, backend, Some(&chosen))?;
            let seen = match &mut seen {
                Some(seen) => seen,
                None => seen.insert(sets.each(|_| Ok(Bitbase::new(from)?))?),
            };
            seen.unite_seen(&sets, swapped, |slice| chosen[slice], backend)?;
        }
        Ok(seen.expect("a slice"))
    }

    /// The sets as they are seen from a domain.
    pub(crate) fn convert(
        &self,
        from: &Domain,
        swapped: bool,
        backend: Backend,
    ) -> Result<Sets, SolveError> {
        let mut seen = self.each(|_| Ok(Bitbase::new(from)?))?;
        seen.unite_seen(self, swapped, |_| true, backend)?;
        Ok(seen)
    }

    /// Adds what is seen in slices of other sets, of which the fifty-move rule makes as much of a difference as of these.
    fn unite_seen(
        &mut self,
        others: &Sets,
        swapped: bool,
        wanted: impl Fn(usize) -> bool,
        backend: Backend,
    ) -> Result<(), SolveError> {
        Bitbase::convert_into(&mut self.all_mut(), &others.all(), swapped, wanted, backend)?;
        Ok(())
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

    /// All legal positions of a domain, which are draws.
    pub(crate) fn drawn(
        domain: &Domain,
        side: Color,
        backend: Backend,
    ) -> Result<Sets, SolveError> {
        let legal = Bitbase::legal(domain, side, backend)?;
        Ok(Sets {
            lost: Bitbase::new(domain)?,
            not_won: legal.try_clone()?,
            cursed: None,
            legal,
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

/// The legal positions of some slices of a domain, or of all if none are chosen.
fn legal_in(
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
                    let seen = Sets::seen_by_slices(&part, side, backend, &from, swapped).unwrap();
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
