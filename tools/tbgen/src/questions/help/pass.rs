//! One retrograde pass over a part: ply after ply, the positions that moves of either side lead to the last ones from.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Row, Slice};

use crate::storage::sparse::Sparse;
use crate::subtables::best::Best;
use crate::subtables::library::SolveError;
use crate::subtables::solved::Solved;
use crate::table::codes::code_of;
use crate::table::planes::{Planes, Slab, any, for_each_code};
use crate::table::solved::{Part, Side};
use crate::table::value::Value;

/// Positions with helpmates in so many plies.
struct Found {
    all: Bitbase,
    /// Those with one solution alone.
    unique: Bitbase,
}

/// For each slice by codes: the positions whose shortest helpmates after a conversion have the code.
type Due = Vec<Vec<Sparse>>;

/// Solves a part for one victim.
pub(super) fn solve_part(
    number: usize,
    solved: &Solved<'_>,
    victim: Color,
) -> Result<Part, SolveError> {
    let (domain, backend) = (&solved.shape.domain(number), solved.backend);
    let lend = || Box::new(Accumulator::new(domain, backend));
    let best = |side| solved.best(number, side, None, &|_| true, lend);
    let best = [best(Color::White)?, best(Color::Black)?];
    let mut known = [
        Bitbase::illegal(domain, Color::White, backend)?,
        Bitbase::illegal(domain, Color::Black, backend)?,
    ];
    let mut found = mates(domain, victim, &known, &best[victim as usize], backend)?;
    let due = best.map(|best| best.into_par_iter().map(by_code).collect::<Due>());
    let codes = due.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let mut planes = [0, 1].map(|_| vec![Planes::default(); domain.slices()]);
    let mut longest = [0; 2];
    for plies in 0.. {
        let side = if plies % 2 == 0 { victim } else { !victim };
        let code = |plies, unique, side| {
            let code = code_of(solved.metric, Value::help(plies, unique), side);
            code.ok_or_else(|| solved.too_many())
        };
        let [one, several] = [code(plies, true, side)?, code(plies, false, side)?];
        if found.all.is_empty() && usize::from(one) >= codes {
            break;
        }
        if !found.all.is_empty() {
            longest[side as usize] = plies;
        }
        known[side as usize].unite(&found.all, backend);
        let slices = planes[side as usize].par_iter_mut().enumerate();
        slices.for_each(|(slice, planes)| record(planes, slice, &found, [one, several]));
        let next = [
            code(plies + 1, true, !side)?,
            code(plies + 1, false, !side)?,
        ];
        let (due, known) = (&due[!side as usize], &known[!side as usize]);
        found = before(domain, !side, &found, (due, next), known, backend)?;
    }
    let mut sides = planes.into_iter().zip(Color::ALL).map(|(slices, side)| {
        let plies = (u16::from(side != victim)..=longest[side as usize]).step_by(2);
        let values = plies.flat_map(|plies| [true, false].map(|one| Value::help(plies, one)));
        // No position has code 1.
        let values: Vec<Value> = [Value::DRAW; 2].into_iter().chain(values).collect();
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

/// What is due in a slice.
fn by_code(best: Best) -> Vec<Sparse> {
    let mut sets = vec![Sparse::default(); 1 << best.planes.count()];
    for slab in 0..best.illegal.len() / 8 {
        let (planes, count) = best.planes.slabs_at(slab);
        for_each_code(&planes[..count], &[!Row::EMPTY; 8], |code, these| {
            sets[usize::from(code)].add(slab, these);
        });
    }
    let last = sets.iter().rposition(|set| !set.is_empty());
    sets.truncate(last.map_or(0, |last| last + 1));
    sets
}

/// Notes the codes of what was found in a slice: of one solution, and of several.
fn record(planes: &mut Planes, slice: usize, found: &Found, codes: [u16; 2]) {
    let (all, unique) = (found.all.slice(slice), found.unique.slice(slice));
    for (slab, rows) in all.as_chunks::<8>().0.iter().enumerate() {
        if !any(rows) {
            continue;
        }
        let one: Slab = std::array::from_fn(|r| unique[slab * 8 + r]);
        let several: Slab = std::array::from_fn(|r| rows[r] & !one[r]);
        for (these, code) in [one, several].iter().zip(codes) {
            if any(these) {
                planes.add(slab, these, all.len(), code);
            }
        }
    }
}

/// The mates.
fn mates(
    domain: &Domain,
    victim: Color,
    illegal: &[Bitbase; 2],
    best: &[Best],
    backend: Backend,
) -> Result<Found, SolveError> {
    // The victim is in check exactly where it would be illegal for the other side to be to move.
    let mut mates = illegal[!victim as usize].try_clone()?;
    mates.subtract(&illegal[victim as usize], backend);
    let slices: Vec<&mut [Row]> = mates.slices_mut().collect();
    (slices.into_par_iter().zip(best)).for_each(|(rows, best)| {
        let slice = Slice::new(domain, best.slice);
        slice.confine(victim, &illegal[!victim as usize], rows, backend);
        for (row, able) in rows.iter_mut().zip(&best.safe) {
            *row &= !*able;
        }
    });
    Ok(Found {
        unique: mates.try_clone()?,
        all: mates,
    })
}

/// The positions with `side` to move that have a move to what was found, or are due with these codes, of one solution and of
/// several, and were not known before.
fn before(
    domain: &Domain,
    side: Color,
    found: &Found,
    (due, [one, several]): (&Due, [u16; 2]),
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
            let due = |code: u16| due[number].get(usize::from(code)).into_iter();
            for set in due(one) {
                set.for_each_slab(|slab, these| {
                    any.add_slab(slab, these);
                    to_unique.add_slab(slab, these);
                });
            }
            for set in due(several).chain(due(several)) {
                set.for_each_slab(|slab, these| any.add_slab(slab, these));
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
