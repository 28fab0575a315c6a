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

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use tbindex::Material;

    use super::*;
    use crate::chess::dependencies::needed_by;
    use crate::solve::options::Residence;
    use crate::table::stats::{Counting, Stats};
    use crate::table::temp_file::TempFile;
    use crate::testing::{bytes_of, quietly, whole_and_sliced};

    fn on_disk<'a>(
        folder: &'a Path,
        temp_file: &'a Arc<TempFile>,
        stop: &'a AtomicBool,
    ) -> Options<'a> {
        Options {
            residence: Residence::Disk { folder, group: 100 },
            temp_file: Some(temp_file),
            ..quietly(stop)
        }
    }

    /// Tables without pawns, which are the same files.
    #[test]
    fn sets_on_disk_give_the_same_tables() {
        let (never, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
        let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
        let mut libraries: [Library; 2] = Default::default();
        let material: Material = "KBvKN".parse().unwrap();
        for needed in needed_by(&material) {
            let shape = Shape::new(needed).unwrap();
            let on_disk = on_disk(folder.path(), &temp_file, &never);
            let tables = solve_help(&shape, &libraries, quietly(&never)).unwrap();
            let again = solve_help(&shape, &libraries, on_disk).unwrap();
            for (table, again) in tables.iter().zip(&again) {
                assert!(bytes_of(table) == bytes_of(again), "{needed}");
            }
            for (library, table) in libraries.iter_mut().zip(tables) {
                library.insert(table);
            }
        }
        let stop = AtomicBool::new(true);
        let shape = Shape::new(material).unwrap();
        let on_disk = on_disk(folder.path(), &temp_file, &stop);
        let stopped = solve_help(&shape, &libraries, on_disk);
        assert!(matches!(stopped, Err(SolveError::Interrupted)));
    }

    /// Parts with pawns in slices by the kings and in one.
    #[test]
    fn sliced_parts_on_disk_have_the_same_values() {
        let (never, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
        let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
        let fen = "8/8/3P4/k7/8/8/1r6/4K3 w - - 0 1";
        let mut libraries: [[Library; 2]; 2] = Default::default();
        for [shape, sliced] in whole_and_sliced(fen) {
            let ways = [
                (&shape, quietly(&never)),
                (&sliced, on_disk(folder.path(), &temp_file, &never)),
            ];
            let solved = [0, 1].map(|way| {
                let (shape, options) = ways[way];
                solve_help(shape, &libraries[way], options).unwrap()
            });
            let [whole, of_slices] = solved.each_ref().map(|tables| {
                let stats = |table| Stats::of(table, Counting::Ordered).unwrap();
                tables.each_ref().map(stats)
            });
            assert_eq!(whole, of_slices, "{}", shape.material());
            for (libraries, tables) in libraries.iter_mut().zip(solved) {
                for (library, table) in libraries.iter_mut().zip(tables) {
                    library.insert(table);
                }
            }
        }
    }
}
