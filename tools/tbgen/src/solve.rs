//! The solution of a table, part by part.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced.

use rayon::prelude::*;
use tbindex::Material;

use crate::library::{Library, SolveError};
use crate::options::Options;
use crate::plies::Solver;
use crate::recent::Recent;
use crate::shape::{Shape, table_of};
use crate::solved::Solved;
use crate::table::Table;

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
                let (mut part, stalemates) = Solver::solve(number, &solved, options)?;
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
