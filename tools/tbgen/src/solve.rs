//! The solution of a table, part by part.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use tbindex::Material;

use crate::carrier::{Alone, Carrier};
use crate::library::{Library, SolveError};
use crate::log::{Extent, LogError, LogFile, remove_shared};
use crate::options::{Options, Residence};
use crate::part_log::{self, PartLog};
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
    solve_shared(shape, library, options, &Alone)
}

/// Solves the table of a shape together with other processes, all of which call this function with the same shape,
/// tables and options; see [`solve`]. Each gets the whole table, of which it keeps nothing in memory: values are read
/// from the logs of all processes when they are wanted, so these have to be in a folder that all can read.
///
/// Without pawns, each process has some of the slices, and only what crosses between these is sent. With pawns, each
/// solves some of the placements of the pawns.
///
/// # Errors
/// If a table is missing in the library, if the caller stops the work, or if a log can't be used. Unless the caller
/// stopped it, the other processes wait then, and the caller has to end them.
///
/// # Panics
/// If there may be other processes and there is no log in the options, or the sets are on disk, or distances are to mate
/// and there are no pawns.
pub fn solve_shared<C: Carrier>(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
    carrier: &C,
) -> Result<Table, SolveError> {
    let pawns = shape.material().has_pawns();
    let mut logged = match (C::ALONE, options.log) {
        (true, _) => None,
        (false, Some((path, of))) if pawns => Some(PartLog::open(path, of, shape, carrier)?),
        (false, _) => {
            let in_memory = matches!(options.residence, Residence::Memory);
            assert!(in_memory && (options.log.is_some() && shape.may_be_logged(options.metric)));
            None
        }
    };
    let (mut parts, mut stalemates) = (Vec::new(), Vec::new());
    let recent_sets = Recent::new(room_for_recent(shape));
    let recent_planes = Recent::new(room_for_recent(shape));
    let large = shape.is_worth_packing();
    let log = match logged.is_some() {
        true => None,
        false => log_for(shape, options, carrier)?,
    };
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
        if !C::ALONE && !pawns {
            // One part, of which each process has some slices.
            let log = log.as_ref().map(|log| log.part(0));
            let (part, stuck) = Solver::solve(0, &solved, options, log.as_ref(), carrier)?;
            parts.push(part);
            stalemates.push(stuck);
            continue;
        }
        if let Some(log) = &logged {
            numbers = log.mine(numbers, carrier);
        }
        let of_level: Result<Vec<_>, SolveError> = (numbers.into_par_iter())
            .map(|number| {
                let log = log.as_ref().map(|log| log.part(number));
                let (mut part, stalemates) =
                    Solver::solve(number, &solved, options, log.as_ref(), &Alone)?;
                if let Some(log) = &logged {
                    log.append(number, &part, &stalemates)?;
                    return Ok(None);
                }
                // Without pawns there is one part, and the caller decides.
                if large && pawns {
                    part.pack(options.spool)?;
                }
                Ok(Some((number, part, stalemates)))
            })
            .collect();
        // What is interrupted here has to stop the others, too.
        let interrupted = logged.is_some() && matches!(of_level, Err(SolveError::Interrupted));
        let of_level = if interrupted { Vec::new() } else { of_level? };
        let mut of_level: Vec<_> = of_level.into_iter().flatten().collect();
        if let Some(log) = &mut logged {
            log.share(carrier)?;
            let stop = u64::from(interrupted || options.stop.load(Ordering::Relaxed));
            if carrier.sum([stop, 0, 0, 0, 0, 0])[0] > 0 {
                return Err(SolveError::Interrupted);
            }
            for number in level.clone() {
                let (part, stuck) = log.part(number, shape)?;
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

/// The log of a table, if it needs one: where planes would take much memory, or the work is long. By the distance to
/// mate, planes also have what is promised, so there is none.
fn log_for<C: Carrier>(
    shape: &Shape,
    options: Options<'_>,
    carrier: &C,
) -> Result<Option<Arc<LogFile>>, SolveError> {
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
        Some((path, of)) if C::ALONE => LogFile::open(path, of, extent)?,
        Some((path, of)) => LogFile::open_shared(path, of, extent, carrier)?,
        None => LogFile::in_memory(extent),
    })))
}

/// Removes the logs that several processes wrote while they solved a table, `log` being the path in their options. None
/// of them may use the table any more.
///
/// # Errors
/// If the system refuses.
pub fn remove_shared_logs(log: &Path) -> Result<(), LogError> {
    remove_shared(log)?;
    part_log::remove(log)
}
