//! The helpmates of a table, part by part.

use rayon::prelude::*;
use tbindex::Color;

use super::pass::solve_part;
use crate::solve::options::Options;
use crate::subtables::cache::{CacheSize, Recent};
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::value::Metric;

/// Solves the helpmates of a shape, those in which white is checkmated and those in which black is, from the tables that its
/// captures and promotions lead to: in the libraries of the same victims. It runs on the threads of the current rayon pool.
/// The metric and the checkpoint of the options are not used. If there is a temporary file, the parts with pawns are in it
/// as soon as they are solved. With sets on disk, what plies find and what is due are in files of their own there.
///
/// # Errors
/// If a table is missing in the libraries, there is no memory, a file can't be written, or the caller stops the work.
///
/// # Panics
/// If the shape has short-range pieces, or sets are on disk of one that [may not be there](Shape::may_be_on_disk).
pub fn solve_help(
    shape: &Shape,
    libraries: &[Library; 2],
    options: Options<'_>,
) -> Result<[Table; 2], SolveError> {
    assert!(shape.piece_set().is_chess(), "pieces of chess");
    assert!(
        !options.residence.is_disk() || shape.may_be_on_disk(),
        "sets in slices"
    );
    let temp_file = options.temp_file;
    let CacheSize { all, largest } = CacheSize::of(shape, Metric::HelpWhite);
    let of_each = CacheSize {
        all: all / 2,
        largest: largest / 2,
    };
    let recent = [Recent::new(of_each), Recent::new(of_each)];
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
                backend: options.backend,
            };
            let solve = |number: usize| {
                let mut part = solve_part(number, &solved, victim, &options)?;
                // A single part stays in the file of its plies. Of many parts these would be too many.
                if temp_file.is_some() && (shape.parts() > 1 || !options.residence.is_disk()) {
                    let rows = part.domain.rows();
                    let slices = part.sides.par_iter_mut().flat_map(|side| &mut side.slices);
                    slices.try_for_each(|planes| {
                        if planes.is_elsewhere() {
                            *planes = planes.open()?.into_owned();
                        }
                        planes.pack(rows, temp_file)
                    })?;
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
    let table = |victim, parts| Table {
        shape: shape.clone(),
        metric: Metric::help(victim),
        parts,
    };
    let [white, black] = parts;
    Ok([table(Color::White, white), table(Color::Black, black)])
}
