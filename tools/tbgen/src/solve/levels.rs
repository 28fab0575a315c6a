//! The solution of a table, part by part.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced. Parts of one level are
//! solved side by side if they have one slice, and otherwise one after the other, slice by slice.

use std::sync::Arc;

use rayon::prelude::*;
use tbindex::Material;

use crate::distributed::{Team, Transport};
use crate::solve::options::{Limits, Options};
use crate::solve::part::PartSolver;
use crate::storage::checkpoint::{Checkpoint, of_part};
use crate::storage::record_file::RecordError;
use crate::subtables::cache::Recent;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Table;

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
    solve_shared(shape, library, options, None)
}

/// Solves the table of a shape, perhaps together with other processes, all of which call this function with the same shape,
/// tables and options; see [`solve`]. Of several, each gets the whole table, of which it keeps nothing in memory: values are read
/// from the checkpoints of all processes when they are wanted, so these have to be in a folder that all can read.
///
/// Without pawns, each process has some of the slices, and only what crosses between these is sent. With pawns, each
/// solves some of the placements of the pawns; a large one has a checkpoint of its own meanwhile.
///
/// # Errors
/// If a table is missing in the library, if the caller stops the work, or if a checkpoint can't be used. Unless the caller
/// stopped it, the other processes wait then, and the caller has to end them.
///
/// # Panics
/// If there are several processes, and there is no checkpoint in the options, or there are no pawns and distances are not to
/// zeroing; if sets are on disk of a table that [may not be there](Shape::may_be_on_disk); or if helpmates have short-range
/// pieces.
pub fn solve_shared(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
    together: Option<&dyn Transport>,
) -> Result<Table, SolveError> {
    let team = Team(together);
    let limits = options.limits;
    let limits = limits.unwrap_or_else(|| Limits::new(shape, options.metric));
    let pawns = shape.material().has_pawns();
    let are_told = team.processes() == 1 || options.checkpoint.is_some();
    assert!(are_told, "a checkpoint for several processes");
    assert!(
        !options.residence.is_disk() || shape.may_be_on_disk(),
        "sets in slices"
    );
    let is_help = options.metric.victim().is_some();
    assert!(!is_help || shape.piece_set().is_chess(), "pieces of chess");
    let mut solved_parts = match options.checkpoint {
        Some((path, of)) if pawns => Some(team.open_parts(path, of, shape, options.stop)?),
        _ => None,
    };
    let (mut parts, mut stalemates) = (
        Vec::with_capacity(shape.parts()),
        Vec::with_capacity(shape.parts()),
    );
    let recent = Recent::new(limits.recent);
    for level in &shape.placements().levels {
        let solved = Solved {
            shape,
            metric: options.metric,
            library,
            parts: &parts,
            stalemates: &stalemates,
            recent: &recent,
            backend: options.backend,
        };
        if !pawns {
            let checkpoint = checkpoint_of_table(shape, options, team)?;
            let (part, stuck) = PartSolver::solve(0, &solved, options, checkpoint, team)?;
            parts.push(part);
            stalemates.push(stuck);
            continue;
        }
        // Side by side those whose promotions lead to the same parts.
        let mut numbers: Vec<usize> = level.clone().collect();
        numbers.sort_by_key(|&number| {
            let pawns = shape.pawns(number);
            let left = pawns.without_promoting();
            (left.min(left.mirrored()), pawns)
        });
        if let Some(solved_parts) = &solved_parts {
            numbers.retain(|&number| !solved_parts.is_solved(number));
            numbers = team.deal(&numbers);
        }
        let solve_part = |&number: &usize| -> Result<_, SolveError> {
            let checkpoint = checkpoint_of_part(number, shape, options, limits)?;
            let has_plies = checkpoint.is_some();
            let (mut part, stalemates) =
                PartSolver::solve(number, &solved, options, checkpoint, Team::default())?;
            if let Some(solved_parts) = &solved_parts {
                solved_parts.append(number, &part, &stalemates)?;
                drop(part);
                if has_plies {
                    solved_parts.remove_plies_of(number)?;
                }
                return Ok(None);
            }
            if options.residence.is_disk() {
                // The plies of all parts would be too many files.
                part.pack(options.temp_file, true)?;
            } else if shape.is_worth_packing() {
                part.pack(options.temp_file, false)?;
            }
            Ok(Some((number, part, stalemates)))
        };
        // Slices give all threads work at one part, whose sets are large.
        let at_once = match shape.any_domain().slices() {
            1 => options.parts,
            _ => 1,
        };
        let tasks = numbers.par_chunks(numbers.len().div_ceil(at_once).max(1));
        let of_task = |task: &[usize]| task.iter().map(solve_part).collect();
        let of_level: Result<Vec<Vec<_>>, SolveError> = tasks.map(of_task).collect();
        let of_level = team.unless_stopped(of_level, options.stop)?;
        let mut of_level: Vec<_> = of_level.into_iter().flatten().flatten().collect();
        if let Some(solved_parts) = &mut solved_parts {
            team.tell_parts(solved_parts)?;
            for number in level.clone() {
                let (part, stuck) = solved_parts.part(number, shape)?;
                of_level.push((number, part, stuck));
            }
        }
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

/// The checkpoint of a table without pawns, if it needs one: where planes would take much memory, or the work is long.
fn checkpoint_of_table(
    shape: &Shape,
    options: Options<'_>,
    team: Team<'_>,
) -> Result<Option<Arc<Checkpoint>>, SolveError> {
    let wanted = options.checkpoint.is_some() || options.residence.is_disk();
    if !(shape.has_checkpoint_in_memory(options.metric) || wanted && shape.may_have_checkpoint()) {
        return Ok(None);
    }
    let slices = shape.any_domain().slices();
    Ok(Some(Arc::new(match options.checkpoint {
        Some((path, of)) => team.open(path, of, slices, options.stop)?,
        None => unnamed_checkpoint(options, slices)?,
    })))
}

/// The checkpoint of a part with pawns while it is in work, if it is large: in a file, if its table's is. It goes on with
/// that of a run that was killed.
fn checkpoint_of_part(
    number: usize,
    shape: &Shape,
    options: Options<'_>,
    limits: Limits,
) -> Result<Option<Arc<Checkpoint>>, RecordError> {
    let domain = shape.any_domain();
    let large = domain.bytes() >= limits.large_part || options.residence.is_disk();
    Ok(match options.checkpoint {
        Some((path, of)) if large && shape.may_have_checkpoint() => {
            let path = of_part(path, number);
            Some(Checkpoint::open(&path, of, domain.slices(), options.stop)?)
        }
        None if options.residence.is_disk() => Some(unnamed_checkpoint(options, domain.slices())?),
        _ => None,
    }
    .map(Arc::new))
}

/// A checkpoint of a part of so many slices that goes with the part: in a file where the sets are, or in memory.
fn unnamed_checkpoint(options: Options<'_>, slices: usize) -> Result<Checkpoint, RecordError> {
    match options.residence.folder() {
        Some(folder) => Checkpoint::temporary(folder, slices),
        None => Ok(Checkpoint::in_memory(slices)),
    }
}
