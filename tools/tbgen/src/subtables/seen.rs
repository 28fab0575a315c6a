//! The codes of solved parts, as they are seen from a domain that a conversion leads to.
//!
//! A code says who wins and, in its half, how: by the distance to mate when, by that to zeroing whether the fifty-move
//! rule makes a difference. See [`codes`](crate::table::codes).

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Row, Seen, Slice};
use tbindex::{Color, Material, Square};

use crate::chess::pawns::Pawns;
use crate::subtables::library::SolveError;
use crate::subtables::solved::{Solved, Source, promoted_in};
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

/// Adds to the planes of codes of some slices of a domain, or of all if none are chosen, those that are seen of others, which may
/// have the colours exchanged, in their slices that are wanted.
fn unite(
    sets: &mut CodeSets,
    (domain, chosen): (&Domain, Option<&[bool]>),
    (planes, swapped): (&[Bitbase], bool),
    wanted: impl Fn(usize) -> bool + Sync,
    backend: Backend,
) -> Result<(), SolveError> {
    while sets.planes().len() < planes.len() {
        sets.push(domain)?;
    }
    if planes.is_empty() {
        return Ok(());
    }
    let planes: Vec<&Bitbase> = planes.iter().collect();
    let seen = Seen::try_new(&planes, domain, swapped, backend)?;
    let mut rows = by_slices(&mut sets.planes_mut()[..planes.len()], domain.slices());
    if let [rows] = &mut rows[..] {
        seen.unite_into(0, wanted, rows);
        return Ok(());
    }
    among(rows.iter_mut(), chosen).for_each(|(slice, rows)| seen.unite_into(slice, &wanted, rows));
    Ok(())
}

/// The set that is seen from a domain, and from those with the new piece on the other files of its rank.
pub(crate) fn on_each_file<V>(
    from: &Domain,
    see: impl Fn(&Domain) -> Result<V, SolveError>,
) -> Result<Vec<V>, SolveError> {
    let (new, square) = promoted_in(from).expect("a new piece");
    let files = 0..8u8;
    let views = files.map(|file| {
        let mut fixed = from.fixed().to_vec();
        for (piece, at) in &mut fixed {
            if *piece == new {
                *at = Square::new(square.number() / 8 * 8 + file);
            }
        }
        see(&from
            .with_others_fixed(&fixed)
            .expect("pawns on other ranks"))
    });
    views.collect()
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

    /// Makes sets the codes of the part of a material and pawns with `side` to move, as they are seen from a domain, in some of
    /// its slices or, if none are chosen, in all. Two kings have no codes.
    pub(crate) fn see(
        &self,
        (material, pawns): (&Material, Pawns),
        side: Color,
        domain: &Domain,
        chosen_here: Option<&[bool]>,
        sets: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let Some(source) = &self.source(material, pawns)? else {
            sets.clear();
            return Ok(());
        };
        let (part, swapped, backend) = (source.part, source.swapped, self.backend);
        let views = 8 * most_planes(self.metric) * domain.bytes();
        if let Some(key) = source.promotions(side, domain)
            && self.recent.keeps(views)
        {
            let all = self.recent.get(key, views, || {
                let codes = self.codes(source, side, None, false)?;
                on_each_file(domain, |domain| {
                    let (mut sets, planes) = (CodeSets::default(), codes[0].planes());
                    let from = (domain, chosen_here);
                    unite(&mut sets, from, (planes, swapped), |_| true, backend)?;
                    Ok(sets)
                })
            })?;
            let (_, square) = promoted_in(domain).expect("there is a key");
            return Ok(sets.copy_of(&all[square.index() % 8])?);
        }
        sets.clear();
        let from = (domain, chosen_here);
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
                let planes = (codes.planes(), swapped);
                unite(sets, from, planes, |slice| there[slice], backend)?;
            }
            return Ok(());
        }
        if !is_kept && !swapped && part.domain == *domain {
            return self.codes_into(source, side, None, sets);
        }
        let codes = self.codes(source, side, None, false)?;
        unite(sets, from, (codes[0].planes(), swapped), |_| true, backend)
    }
}
