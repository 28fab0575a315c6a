//! The helpmates of a table, part by part.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;

use super::ends::Conversions;
use super::pass::solve_part;
use crate::subtables::cache::Recent;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::value::Metric;

/// Solves the helpmates of a shape, those in which white is checkmated and those in which black is, from the tables that its
/// captures and promotions lead to: in the libraries of the same victims. It runs on the threads of the current rayon pool.
///
/// # Errors
/// If a table is missing in the libraries, or there is no memory.
///
/// # Panics
/// If the shape has short-range pieces.
pub fn solve_help(
    shape: &Shape,
    libraries: &[Library; 2],
    backend: Backend,
) -> Result<[Table; 2], SolveError> {
    assert!(shape.piece_set().is_chess(), "pieces of chess");
    let recent = Recent::new(0);
    let mut parts: [Vec<Part>; 2] = Default::default();
    for level in shape.placements().levels() {
        for victim in Color::ALL {
            let solve = |number: usize| {
                let solved = Color::ALL.map(|victim| Solved {
                    shape,
                    metric: Metric::help(victim),
                    library: &libraries[victim as usize],
                    parts: &parts[victim as usize],
                    stalemates: &[],
                    recent: &recent,
                    backend,
                });
                let conversions = Conversions {
                    of_victims: solved,
                    victim,
                };
                solve_part(number, &conversions, &shape.domain(number), backend)
            };
            let of_level: Result<Vec<Part>, SolveError> = match shape.any_domain().slices() {
                1 => level.clone().into_par_iter().map(solve).collect(),
                _ => level.clone().map(solve).collect(),
            };
            parts[victim as usize].extend(of_level?);
        }
    }
    let mut victims = Color::ALL.into_iter();
    Ok(parts.map(|parts| Table {
        shape: shape.clone(),
        metric: Metric::help(victims.next().expect("two victims")),
        parts,
    }))
}
