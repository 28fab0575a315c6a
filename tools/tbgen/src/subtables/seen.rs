//! The codes of solved parts, as they are seen from a domain that a conversion leads to.
//!
//! A code says who wins and, in its half, how: by the distance to mate when, by that to zeroing whether the fifty-move
//! rule makes a difference. See [`codes`](crate::table::codes).

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Row, Seen, Slice};

use crate::subtables::library::SolveError;
use crate::subtables::promotions::{on_each_file, promoted_in};
use crate::subtables::solved::{Solved, Source};
use crate::table::code_sets::CodeSets;
use crate::table::codes::{are_coded, code_of_outcome};
use crate::table::mate_codes::{exchange_winners, to_moves};
use crate::table::slices::{among, by_slices, chosen, is_chosen};
use crate::table::solved::Part;
use crate::table::value::{Metric, Value};

/// The most planes of codes that most parts have.
pub(crate) const fn most_planes(metric: Metric) -> u64 {
    match metric {
        Metric::Dtz => 3,
        _ => 8,
    }
}

/// The bytes of the planes of some slices of a part that are read at a time.
const AT_ONCE: usize = 8 << 20;

/// The number of slices of so many bytes that are read at a time: one for each thread, or more if they are small.
pub(crate) fn slices_at_once(slice: usize, metric: Metric) -> usize {
    let bytes = slice * most_planes(metric) as usize;
    (AT_ONCE / bytes).max(rayon::current_num_threads())
}

/// A domain that sets are seen from, and the slices that are wanted there: all if none are chosen.
#[derive(Clone, Copy)]
struct Seeing<'a> {
    domain: &'a Domain,
    chosen: Option<&'a [bool]>,
    /// Whether the sets have the colours exchanged.
    swapped: bool,
}

impl Seeing<'_> {
    /// Adds to the planes of codes those that are seen of others, in their slices that are wanted.
    fn unite(
        &self,
        sets: &mut CodeSets,
        planes: &[Bitbase],
        wanted: impl Fn(usize) -> bool + Sync,
        backend: Backend,
    ) -> Result<(), SolveError> {
        while sets.planes().len() < planes.len() {
            sets.push(self.domain)?;
        }
        if planes.is_empty() {
            return Ok(());
        }
        let planes: Vec<&Bitbase> = planes.iter().collect();
        let seen = Seen::try_new(&planes, self.domain, self.swapped, backend)?;
        let count = self.domain.slices();
        let mut rows = by_slices(&mut sets.planes_mut()[..planes.len()], count);
        if count == 1 {
            seen.unite_into(0, wanted, &mut rows[0]);
            return Ok(());
        }
        among(rows.iter_mut(), self.chosen)
            .for_each(|(slice, rows)| seen.unite_into(slice, &wanted, rows));
        Ok(())
    }
}

/// The legal positions of some slices of a domain, or of all if none are chosen.
pub(crate) fn legal_in(
    domain: &Domain,
    side: Color,
    backend: Backend,
    chosen: Option<&[bool]>,
) -> Result<Bitbase, SolveError> {
    if chosen.is_none() {
        return Ok(Bitbase::legal(domain, side, backend)?);
    }
    let mut legal = Bitbase::with_few_slices(domain)?;
    among(legal.slices_mut(), chosen).for_each(|(number, rows)| {
        Slice::new(domain, number).illegal_into(side, rows, backend);
        for row in rows {
            *row = !*row;
        }
    });
    Ok(legal)
}

impl Solved<'_> {
    /// The bytes of the planes of codes of a part with a side to move.
    fn bytes_of_codes(&self, part: &Part) -> u64 {
        most_planes(self.metric) * part.domain.bytes()
    }

    /// Makes sets the planes of codes of a part with `side` to move here, in some of its slices or, if none are chosen, in
    /// all.
    fn codes_into(
        &self,
        source: &Source<'_>,
        side: Color,
        chosen: Option<&[bool]>,
        sets: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let (part, mover) = (source.part, source.mover(side));
        let wanted = |slice: usize| is_chosen(chosen, slice);
        match self.metric {
            Metric::Dtm | Metric::HelpWhite | Metric::HelpBlack => {
                let exchanged = source.swapped && self.metric == Metric::Dtm;
                let coded_for = if exchanged { !side } else { side };
                debug_assert!(are_coded(self.metric, source.values(side), coded_for));
                part.planes_into(mover, sets, wanted)?;
                if exchanged {
                    exchange_winners(sets, wanted);
                }
                Ok(())
            }
            Metric::Dtz => {
                let codes = source.values(side).iter();
                let codes = codes.map(|value| code_of_outcome(value.outcome, side));
                let bits = 16 - codes.max().unwrap_or(0).leading_zeros();
                let has = |bit: u32| {
                    move |value: Value| code_of_outcome(value.outcome, side) >> bit & 1 != 0
                };
                let tests: Vec<_> = (0..bits).map(has).collect();
                Ok(part.positions_by(mover, chosen, &tests, sets)?)
            }
        }
    }

    /// The codes of a part with `side` to move here, or, by the distance to mate, those of moves to its positions. Some
    /// slices may be chosen; the others are there only if all are kept for later.
    pub(crate) fn codes(
        &self,
        source: &Source<'_>,
        side: Color,
        chosen: Option<&[bool]>,
        moved: bool,
    ) -> Result<Arc<Vec<CodeSets>>, SolveError> {
        let moved = moved && self.metric != Metric::Dtz;
        let bytes = self.bytes_of_codes(source.part);
        let chosen = chosen.filter(|_| !self.recent.keeps(bytes));
        self.recent.get(source.key(side, moved), bytes, || {
            let mut sets = CodeSets::for_slices(chosen);
            self.codes_into(source, side, chosen, &mut sets)?;
            if moved {
                let wanted = |slice: usize| is_chosen(chosen, slice);
                to_moves(&mut sets, self.metric, side, wanted)?.ok_or_else(|| self.too_many())?;
            }
            Ok(vec![sets])
        })
    }

    /// Makes sets the codes of a part with `side` to move, as they are seen from a domain, in some of its slices or, if
    /// none are chosen, in all.
    pub(crate) fn see(
        &self,
        source: &Source<'_>,
        side: Color,
        domain: &Domain,
        chosen_here: Option<&[bool]>,
        sets: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let (part, backend) = (source.part, self.backend);
        let from = Seeing {
            domain,
            chosen: chosen_here,
            swapped: source.swapped,
        };
        let views = 8 * most_planes(self.metric) * domain.bytes();
        if let Some(key) = source.promotions(side, domain)
            && self.recent.keeps(views)
        {
            let all = self.recent.get(key, views, || {
                let codes = self.codes(source, side, None, false)?;
                on_each_file(domain, |domain| {
                    let mut sets = CodeSets::default();
                    Seeing { domain, ..from }.unite(
                        &mut sets,
                        codes[0].planes(),
                        |_| true,
                        backend,
                    )?;
                    Ok(sets)
                })
            })?;
            let (_, square) = promoted_in(domain).expect("there is a key");
            return Ok(sets.copy_of(&all[square.index() % 8])?);
        }
        sets.clear();
        let is_kept = self.recent.keeps(self.bytes_of_codes(part));
        if !is_kept && part.domain.slices() > 1 {
            let there = chosen_here.map(|chosen| source.slices_there(domain, chosen));
            let is_wanted = |slice: &usize| is_chosen(there.as_deref(), *slice);
            let slices: Vec<usize> = (0..part.domain.slices()).filter(is_wanted).collect();
            let slice = part.domain.rows() * size_of::<Row>();
            for slices in slices.chunks(slices_at_once(slice, self.metric)) {
                let there = chosen(&part.domain, slices);
                let mut codes = CodeSets::for_slices(Some(&there));
                self.codes_into(source, side, Some(&there), &mut codes)?;
                from.unite(sets, codes.planes(), |slice| there[slice], backend)?;
            }
            return Ok(());
        }
        if !is_kept && !source.swapped && part.domain == *domain {
            return self.codes_into(source, side, None, sets);
        }
        let codes = self.codes(source, side, None, false)?;
        from.unite(sets, codes[0].planes(), |_| true, backend)
    }
}
