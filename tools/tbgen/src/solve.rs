//! The solution of a table, part by part.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced.

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::Material;

use crate::library::{Library, SolveError};
use crate::log::{Extent, LogFile};
use crate::options::{Options, Residence};
use crate::plies::Solver;
use crate::recent::Recent;
use crate::shape::{Shape, table_of};
use crate::solved::Solved;
use crate::table::Table;

/// The bytes of a set of a part with pawns from which each of its plies is worth a note.
const LARGE_PART: u64 = 1 << 20;

/// The bytes that sets of solved parts may take to be at hand, and as many their planes. Where parts are small, those
/// that promotions lead to are large, and several parts share them.
fn room_for_recent(shape: &Shape) -> u64 {
    if shape.any_domain().bytes() <= 64 << 10 {
        48 << 20
    } else {
        24 << 20
    }
}

/// Solves the table of a material from the tables that its captures and promotions lead to. It runs on the
/// threads of the current rayon pool.
///
/// # Errors
/// If the material has not 3 to 5 pieces, if a table is missing in the library, or if the caller stops the work.
pub fn solve(
    material: &Material,
    library: &Library,
    options: Options<'_>,
) -> Result<Table, SolveError> {
    solve_shape(&Shape::new(table_of(material).0)?, library, options)
}

/// Solves the table of a shape from those that its captures and promotions lead to, which are in the library; see
/// [`solve`].
///
/// # Errors
/// If a table is missing in the library, or if the caller stops the work.
pub fn solve_shape(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
) -> Result<Table, SolveError> {
    let (mut parts, mut stalemates) = (Vec::new(), Vec::new());
    let recent_sets = Recent::new(room_for_recent(shape));
    let recent_planes = Recent::new(room_for_recent(shape));
    let large = shape.is_worth_packing();
    let log = log_for(shape, options)?;
    for level in shape.placements().levels() {
        let solved = Solved {
            shape,
            library,
            parts: &parts,
            stalemates: &stalemates,
            recent_sets: &recent_sets,
            recent_planes: &recent_planes,
            backend: options.backend,
        };
        // Side by side those whose promotions lead to the same parts.
        let mut numbers: Vec<usize> = level.clone().collect();
        numbers.sort_by_key(|&number| {
            let pawns = shape.pawns(number);
            (pawns.without_promoting(), pawns)
        });
        let of_level: Result<Vec<_>, SolveError> = (numbers.into_par_iter())
            .map(|number| {
                let log = log.as_ref().map(|log| log.part(number));
                let (mut part, stalemates) = Solver::solve(number, &solved, options, log.as_ref())?;
                // Without pawns there is one part, and the caller decides.
                if large && shape.material().has_pawns() {
                    part.pack(options.spool)?;
                }
                Ok((number, part, stalemates))
            })
            .collect();
        let mut of_level = of_level?;
        of_level.sort_by_key(|(number, ..)| *number);
        for (_, part, stuck) in of_level {
            parts.push(part);
            stalemates.push(stuck);
        }
    }
    Ok(Table {
        shape: shape.clone(),
        metric: options.metric,
        parts,
    })
}

/// The log of a table, if it needs one: where planes would take much memory, or the work is long. By the distance to
/// mate, planes also have what is promised, so there is none.
fn log_for(shape: &Shape, options: Options<'_>) -> Result<Option<Arc<LogFile>>, SolveError> {
    let wanted = options.log.is_some() || matches!(options.residence, Residence::Disk { .. });
    let pawns = shape.material().has_pawns();
    if !(shape.is_logged(options.metric) && !pawns || wanted && shape.may_be_logged(options.metric))
    {
        return Ok(None);
    }
    let domain = shape.any_domain();
    let extent = Extent {
        parts: shape.parts(),
        slices: domain.slices(),
        each_ply: !pawns || domain.bytes() >= LARGE_PART,
    };
    Ok(Some(Arc::new(match options.log {
        Some((path, of)) => LogFile::open(path, of, extent)?,
        None => LogFile::in_memory(extent),
    })))
}
