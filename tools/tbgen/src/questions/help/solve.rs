//! The helpmates of a table, part by part.

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;

use super::pass::solve_part;
use crate::solve::levels::Limits;
use crate::subtables::cache::Recent;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;

/// Solves the helpmates of a shape, those in which white is checkmated and those in which black is, from the tables that its
/// captures and promotions lead to: in the libraries of the same victims. It runs on the threads of the current rayon pool.
/// If there is a temporary file, the parts are in it, compressed, as soon as they are solved.
///
/// # Errors
/// If a table is missing in the libraries, there is no memory, or the file can't be written.
///
/// # Panics
/// If the shape has short-range pieces.
pub fn solve_help(
    shape: &Shape,
    libraries: &[Library; 2],
    backend: Backend,
    temp_file: Option<&Arc<TempFile>>,
) -> Result<[Table; 2], SolveError> {
    assert!(shape.piece_set().is_chess(), "pieces of chess");
    let limit = Limits::new(shape).recent / 2;
    let recent = [Recent::new(limit), Recent::new(limit)];
    let mut parts: [Vec<Part>; 2] = Default::default();
    for level in shape.placements().levels() {
        for victim in Color::ALL {
            let (own, other) = (victim as usize, !victim as usize);
            let solved = Solved {
                shape,
                metric: Metric::help(victim),
                library: &libraries[own],
                parts: &parts[own],
                exchanged: Some((&libraries[other], &parts[other])),
                stalemates: &[],
                recent: &recent[own],
                backend,
            };
            let solve = |number: usize| {
                let mut part = solve_part(number, &solved, victim)?;
                if temp_file.is_some() {
                    part.pack(temp_file)?;
                }
                Ok(part)
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
