//! One retrograde pass over a part: ply after ply, the positions that moves of either side lead to the last ones from.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Row, Slice};

use super::ends::{Conversions, Ends, Found};
use crate::subtables::library::SolveError;
use crate::table::codes::MOST_CODES;
use crate::table::planes::{Planes, Slab, any};
use crate::table::solved::{Part, Side};
use crate::table::value::Value;

/// The code of a helpmate of a side to move: so many moves of both sides, a ply more or not, and one solution or several.
fn code(plies: u16, unique: bool) -> u16 {
    1 + 2 * (plies / 2) + u16::from(!unique)
}

/// Solves a part for one victim.
pub(super) fn solve_part(
    number: usize,
    conversions: &Conversions<'_>,
    domain: &Domain,
    backend: Backend,
) -> Result<Part, SolveError> {
    let victim = conversions.victim;
    let mut known = [
        Bitbase::illegal(domain, Color::White, backend)?,
        Bitbase::illegal(domain, Color::Black, backend)?,
    ];
    let mut planes = [0, 1].map(|_| vec![Planes::default(); domain.slices()]);
    let mut found = mates(number, conversions, domain, &known, backend)?;
    let mut longest = [0; 2];
    for plies in 0.. {
        let side = if plies % 2 == 0 { victim } else { !victim };
        if found.all.is_empty() && !conversions.may_follow(number, plies)? {
            break;
        }
        if usize::from(code(plies, false)) >= MOST_CODES {
            let material = domain.material().expect("pieces of chess");
            return Err(SolveError::TooManyValues(material));
        }
        if !found.all.is_empty() {
            longest[side as usize] = plies;
        }
        known[side as usize].unite(&found.all, backend);
        let slices = planes[side as usize].par_iter_mut().enumerate();
        slices.for_each(|(slice, planes)| record(planes, slice, &found, plies));
        let ends = conversions.ends(number, !side, plies)?;
        found = before(
            domain,
            !side,
            &found,
            &ends,
            &known[!side as usize],
            backend,
        )?;
    }
    let mut sides = planes.into_iter().zip(Color::ALL).map(|(slices, side)| {
        let plies = (u16::from(side != victim)..=longest[side as usize]).step_by(2);
        let values = plies.flat_map(|plies| [true, false].map(|one| Value::help(plies, one)));
        let values: Vec<Value> = [Value::DRAW].into_iter().chain(values).collect();
        Side {
            values: values.into(),
            slices,
        }
    });
    Ok(Part {
        domain: domain.clone(),
        sides: [(); 2].map(|()| sides.next().expect("two sides")),
    })
}

/// Notes the plies of what was found in a slice.
fn record(planes: &mut Planes, slice: usize, found: &Found, plies: u16) {
    let (all, unique) = (found.all.slice(slice), found.unique.slice(slice));
    for (slab, rows) in all.as_chunks::<8>().0.iter().enumerate() {
        if !any(rows) {
            continue;
        }
        let one: Slab = std::array::from_fn(|r| unique[slab * 8 + r]);
        let several: Slab = std::array::from_fn(|r| rows[r] & !one[r]);
        for (these, unique) in [(one, true), (several, false)] {
            if any(&these) {
                planes.add(slab, &these, all.len(), code(plies, unique));
            }
        }
    }
}

/// The mates.
fn mates(
    number: usize,
    conversions: &Conversions<'_>,
    domain: &Domain,
    illegal: &[Bitbase; 2],
    backend: Backend,
) -> Result<Found, SolveError> {
    let victim = conversions.victim;
    let (captures, moves) = conversions.any(number, victim)?;
    // The victim is in check exactly where it would be illegal for the other side to be to move.
    let mut mates = illegal[!victim as usize].try_clone()?;
    mates.subtract(&illegal[victim as usize], backend);
    mates.subtract(&moves, backend);
    let slices: Vec<&mut [Row]> = mates.slices_mut().collect();
    slices.into_par_iter().enumerate().for_each_init(
        || Accumulator::new(domain, backend),
        |gathered, (slice, rows)| {
            let slice = Slice::new(domain, slice);
            slice.confine(victim, &illegal[!victim as usize], rows, backend);
            gathered.captures(&slice, &captures);
            for (row, able) in rows.iter_mut().zip(gathered.rows()) {
                *row &= !*able;
            }
            gathered.clear();
        },
    );
    Ok(Found {
        unique: mates.try_clone()?,
        all: mates,
    })
}

/// The positions with `side` to move that have a move to what was found, and were not known before.
fn before(
    domain: &Domain,
    side: Color,
    found: &Found,
    ends: &Ends,
    known: &Bitbase,
    backend: Backend,
) -> Result<Found, SolveError> {
    let mut next = Found {
        all: Bitbase::new(domain)?,
        unique: Bitbase::new(domain)?,
    };
    let slices: Vec<_> = next
        .all
        .slices_mut()
        .zip(next.unique.slices_mut())
        .collect();
    slices.into_par_iter().enumerate().for_each_init(
        || {
            [
                Accumulator::counting(domain, backend),
                Accumulator::new(domain, backend),
            ]
        },
        |[any, to_unique], (number, (all, unique))| {
            let (slice, known) = (Slice::new(domain, number), known.slice(number));
            any.moves(&slice, side, Direction::Backward, &found.all);
            to_unique.moves(&slice, side, Direction::Backward, &found.unique);
            for [captures, unique] in &ends.captures {
                any.captures(&slice, [captures]);
                to_unique.captures(&slice, [unique]);
            }
            for moves in &ends.moves {
                any.add(moves.all.slice(number));
                to_unique.add(moves.unique.slice(number));
            }
            for (at, (all, unique)) in all.iter_mut().zip(unique).enumerate() {
                *all = any.rows()[at] & !known[at];
                *unique = to_unique.rows()[at] & *all & !any.several()[at];
            }
            any.clear();
            to_unique.clear();
        },
    );
    Ok(next)
}
