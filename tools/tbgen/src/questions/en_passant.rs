//! Captures en passant in a part. Positions of tables are without the right to them: so these are of positions that may have
//! it, as a pawn may just have made two steps to get there.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::Bitbase;

use super::tally::results;
use crate::chess::pawns::passed_squares;
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::{Solved, after_en_passant};
use crate::table::code_sets::{CodeSets, codes_at};
use crate::table::slices::{among, chosen};

/// For each pawn that `side` may be able to capture en passant the legal positions in which some capture of it wins, and
/// those in which one draws; in some slices or, if none are chosen, in all.
pub(super) fn captures(
    solved: &Solved<'_>,
    number: usize,
    side: Color,
    slices: Option<&[usize]>,
) -> Result<Vec<[Bitbase; 2]>, SolveError> {
    let (domain, pawns) = (&solved.parts[number].domain, solved.shape.pawns(number));
    let slices = slices.map(|slices| chosen(domain, slices));
    let slices = slices.as_deref();
    let mut found = Vec::new();
    for [start, passed] in passed_squares(pawns, !side) {
        let after = after_en_passant(&solved.shape.material(), pawns, passed, !side);
        if after.is_empty() {
            continue;
        }
        let mut legal = legal_in(domain, side, solved.backend, slices)?;
        legal.remove_on(start);
        legal.remove_on(passed);
        let mut sets = CodeSets::for_slices(slices);
        sets.push(domain)?;
        sets.push(domain)?;
        let mut sets: [Bitbase; 2] = sets.into_sets().try_into().expect("two were pushed");
        for (material, pawns) in after {
            let (able, codes) = solved.see_capture(domain, (&material, pawns), !side, slices)?;
            let [wins, draws] = &mut sets;
            let rows = wins.slices_mut().zip(draws.slices_mut());
            among(rows, slices).for_each(|(slice, (wins, draws))| {
                for (at, &legal) in legal.slice(slice).iter().enumerate() {
                    let here = codes_at(codes.planes(), slice, at);
                    let here = &here[..codes.planes().len()];
                    let able = able.slice(slice)[at];
                    let [win, draw, ..] = results(able, here, solved.metric, side);
                    wins[at] |= win & legal;
                    draws[at] |= draw & legal;
                }
            });
        }
        found.push(sets);
    }
    Ok(found)
}
