//! The solution of a table, part by part.
//!
//! Without pawns there is one part. With pawns there is one for each placement of the pawns, and the most advanced
//! are solved first, because the move of a pawn leads from a part to one that is more advanced. Parts of one level are
//! solved side by side if they have one slice, and otherwise one after the other, slice by slice.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use tbindex::Material;

use crate::distributed::transport::{Alone, Transport};
use crate::solve::options::Options;
use crate::solve::part::PartSolver;
use crate::storage::checkpoint::parts::SolvedParts;
use crate::storage::checkpoint::{Checkpoint, CheckpointError, of_part};
use crate::subtables::cache::Recent;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Table;
use crate::table::value::Metric;

/// Sizes that decide how a table is solved, but not what is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The bytes of a set of a part with pawns from which the part has a checkpoint of its own until it is solved, if there are
    /// files.
    pub(crate) large_part: u64,
    /// The bytes that codes of solved parts may take to be at hand.
    pub(crate) recent: u64,
}

impl Limits {
    pub(crate) fn new(shape: &Shape) -> Limits {
        let domain = shape.any_domain();
        Limits {
            large_part: 1 << 20,
            recent: match (shape.material().has_pawns(), domain.slices()) {
                // The slices of a part look at the same parts of smaller tables.
                (true, 2..) => 128 << 20,
                // Where parts are small, those that promotions lead to are large, and several parts share them.
                _ if domain.bytes() <= 64 << 10 => 48 << 20,
                _ => 24 << 20,
            },
        }
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
/// If there may be other processes and there is no checkpoint in the options, or distances are to mate and there are no pawns;
/// or if sets are on disk of a table that [may not be there](Shape::may_be_on_disk).
pub fn solve_shared<C: Transport>(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
    transport: &C,
) -> Result<Table, SolveError> {
    solve_with(shape, library, options, transport, Limits::new(shape))
}

/// [`solve_shared`] with these limits.
fn solve_with<C: Transport>(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
    transport: &C,
    limits: Limits,
) -> Result<Table, SolveError> {
    let pawns = shape.material().has_pawns();
    let written = options.checkpoint.is_some();
    assert!(
        !options.residence.is_disk() || shape.may_be_on_disk(),
        "sets in slices"
    );
    assert!(C::ALONE || written && (pawns || shape.may_have_checkpoint()));
    assert!(
        C::ALONE || options.metric == Metric::Dtz || pawns,
        "to zeroing"
    );
    let mut solved_parts = match options.checkpoint {
        Some((path, of)) if pawns => {
            Some(SolvedParts::open(path, of, shape, transport, options.stop)?)
        }
        _ => None,
    };
    let (mut parts, mut stalemates) = (Vec::new(), Vec::new());
    let recent = Recent::new(limits.recent);
    for level in shape.placements().levels() {
        let solved = Solved {
            shape,
            metric: options.metric,
            library,
            parts: &parts,
            exchanged: None,
            stalemates: &stalemates,
            recent: &recent,
            backend: options.backend,
        };
        if !pawns {
            // One part, of which each of several processes has some slices.
            let checkpoint = checkpoint_of_table(shape, options, transport)?;
            let (part, stuck) = PartSolver::solve(0, &solved, options, checkpoint, transport)?;
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
            numbers = solved_parts.mine(numbers, transport);
        }
        let solve_part = |&number: &usize| -> Result<_, SolveError> {
            let checkpoint = checkpoint_of_part(number, shape, options, limits)?;
            let (mut part, stalemates) =
                PartSolver::solve(number, &solved, options, checkpoint, &Alone)?;
            if let Some(solved_parts) = &solved_parts {
                solved_parts.append(number, &part, &stalemates)?;
                return Ok(None);
            }
            if shape.is_worth_packing() {
                part.pack(options.temp_file)?;
            }
            Ok(Some((number, part, stalemates)))
        };
        // Slices give all threads work at one part, whose sets are large.
        let of_level: Result<Vec<_>, SolveError> = match shape.any_domain().slices() {
            1 => numbers.par_iter().map(solve_part).collect(),
            _ => numbers.iter().map(solve_part).collect(),
        };
        // What is interrupted here has to stop the others, too.
        let interrupted = written && matches!(of_level, Err(SolveError::Interrupted));
        let of_level = if interrupted { Vec::new() } else { of_level? };
        let mut of_level: Vec<_> = of_level.into_iter().flatten().collect();
        if let Some(solved_parts) = &mut solved_parts {
            solved_parts.share(transport)?;
            solved_parts.remove_plies_of(&numbers)?;
            let stop = u64::from(interrupted || options.stop.load(Ordering::Relaxed));
            if transport.sum([stop, 0, 0, 0, 0, 0])[0] > 0 {
                return Err(SolveError::Interrupted);
            }
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
fn checkpoint_of_table<C: Transport>(
    shape: &Shape,
    options: Options<'_>,
    transport: &C,
) -> Result<Option<Arc<Checkpoint>>, SolveError> {
    let wanted = options.checkpoint.is_some() || options.residence.is_disk();
    if !(shape.has_checkpoint_in_memory(options.metric) || wanted && shape.may_have_checkpoint()) {
        return Ok(None);
    }
    let slices = shape.any_domain().slices();
    Ok(Some(Arc::new(match options.checkpoint {
        Some((path, of)) if C::ALONE => Checkpoint::open(path, of, slices, options.stop)?,
        Some((path, of)) => Checkpoint::open_shared(path, of, slices, transport, options.stop)?,
        None => Checkpoint::in_memory(slices),
    })))
}

/// The checkpoint of a part with pawns while it is in work, if it is large: in a file, if its table's is. It goes on with
/// that of a run that was killed.
fn checkpoint_of_part(
    number: usize,
    shape: &Shape,
    options: Options<'_>,
    limits: Limits,
) -> Result<Option<Arc<Checkpoint>>, CheckpointError> {
    let domain = shape.any_domain();
    let large = domain.bytes() >= limits.large_part || options.residence.is_disk();
    Ok(match options.checkpoint {
        Some((path, of)) if large && shape.may_have_checkpoint() => {
            let path = of_part(path, number);
            Some(Checkpoint::open(&path, of, domain.slices(), options.stop)?)
        }
        None if options.residence.is_disk() => Some(Checkpoint::in_memory(domain.slices())),
        _ => None,
    }
    .map(Arc::new))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize};

    use tbindex::Color;

    use super::*;
    use crate::chess::dependencies::needed_by;
    use crate::chess::game::GamePosition;
    use crate::chess::piece_set::Letters;
    use crate::solve::options::{Progress, Residence};
    use crate::storage::checkpoint::remove_checkpoint;
    use crate::table::reachable::reachable;
    use crate::table::stats::{Counting, Stats};
    use crate::table::temp_file::TempFile;
    use crate::table::value::Outcome;
    use crate::testing::{bytes_of, checkpoint_of, curse, needed_tables, one_in, quietly};

    /// One process that writes what others would read.
    struct One;

    impl Transport for One {
        fn processes(&self) -> usize {
            1
        }

        fn number(&self) -> usize {
            0
        }

        fn exchange(&self, to_each: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
            to_each
        }

        fn share(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
            vec![bytes]
        }

        fn sum(&self, numbers: [u64; 6]) -> [u64; 6] {
            numbers
        }
    }

    /// Captures lead into what the fifty-move rule makes a difference for, by the winner and by the loser. After it was
    /// stopped in a ply, each goes on. A table of five pieces is among them if `TBINDEX_THOROUGH` is set.
    #[test]
    fn captures_into_cursed_wins_count_with_sets_on_disk_too() {
        captures_into_cursed_wins_count("KQvKR".parse().unwrap(), &[(1, 101), (100, 99)]);
        captures_into_cursed_wins_count("KQRvK".parse().unwrap(), &[(8, 100), (462, 101)]);
        // Here some positions that such captures save until ply 100 are lost after the stop. It takes a while.
        if one_in(2) == 1 {
            captures_into_cursed_wins_count("KQRvKR".parse().unwrap(), &[(64, 102)]);
        }
    }

    fn captures_into_cursed_wins_count(material: Material, stops: &[(usize, u16)]) {
        let never = AtomicBool::new(false);
        let mut library = Library::default();
        for needed in needed_by(&material) {
            if needed == material {
                continue;
            }
            let mut table = solve(&needed, &library, quietly(&never)).unwrap();
            table.parts.iter_mut().for_each(curse);
            library.insert(table);
        }
        let folder = tempfile::tempdir().unwrap();
        let table = solve(&material, &library, quietly(&never)).unwrap();
        let outcomes = |side| -> Vec<Outcome> {
            let values = table.values(side).into_iter();
            values.map(|value| value.outcome).collect()
        };
        assert!(outcomes(Color::Black).contains(&Outcome::BlessedLoss));
        let expected = bytes_of(&table);

        let of = checkpoint_of(material, Metric::Dtz);
        for &(group, last) in stops {
            let checkpoint = folder.path().join(format!("checkpoint-{group}"));
            let residence = Residence::Disk {
                folder: folder.path(),
                group,
            };
            let (stop, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
            let progress = |progress: Progress| {
                if progress.plies >= last && !stopped.swap(true, Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let options = Options {
                progress: &progress,
                residence,
                checkpoint: Some((&checkpoint, &of)),
                ..quietly(&stop)
            };
            let solved = solve(&material, &library, options);
            // The last ply can't be stopped after.
            let interrupted = matches!(solved, Err(SolveError::Interrupted));
            assert!(interrupted || last > 100, "{group}");
            stop.store(false, Ordering::Relaxed);
            let table = solve(&material, &library, options).unwrap();
            assert!(bytes_of(&table) == expected, "groups of {group}");
        }
    }

    /// Pawns step, capture, capture en passant and promote, and kings capture them. With a checkpoint, solved parts are in
    /// files.
    #[test]
    fn parts_in_slices_have_the_same_values() {
        let never = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
        for (fen, metric, count) in [
            ("8/3p4/8/k3P3/8/8/8/4K3 w - - 0 1", Metric::Dtm, 2),
            ("8/8/3P4/k7/8/8/1r6/4K3 w - - 0 1", Metric::Dtz, 3),
            ("8/8/3P4/k7/8/8/1r6/4K3 w - - 0 1", Metric::Dtm, 3),
        ] {
            let in_memory = Options {
                metric,
                ..quietly(&never)
            };
            let position = GamePosition::parse(fen, &Letters::default()).unwrap();
            let mut libraries: [Library; 3] = Default::default();
            for shape in reachable(&position).unwrap() {
                let material = shape.material();
                let checkpoint = folder.path().join(format!("{material}-{metric:?}"));
                let of = checkpoint_of(material, metric);
                let on_disk = Options {
                    residence: Residence::Disk {
                        folder: folder.path(),
                        group: 500,
                    },
                    temp_file: Some(&temp_file),
                    checkpoint: Some((&checkpoint, &of)),
                    ..in_memory
                };
                let sliced = match material.has_pawns() {
                    true => shape.in_slices(),
                    false => shape.clone(),
                };
                let ways = [
                    (&shape, in_memory),
                    (&sliced, in_memory),
                    (&sliced, on_disk),
                ];
                let stats = (ways.iter().zip(&mut libraries).take(count)).map(
                    |((shape, options), library)| {
                        let table = solve_shape(shape, library, *options).unwrap();
                        let stats = Stats::of(&table, Counting::Ordered).unwrap();
                        library.insert(table);
                        stats
                    },
                );
                let stats: Vec<Stats> = stats.collect();
                let same = stats.iter().all(|other| *other == stats[0]);
                assert!(same, "{material} {metric:?}");
                if material.has_pawns() && count > 2 {
                    let parts = checkpoint.with_extension("parts0");
                    assert!(!checkpoint.exists() && parts.exists());
                    remove_checkpoint(&checkpoint).unwrap();
                    assert!(!parts.exists());
                }
            }
        }
    }

    /// Captures are due in plies before and after those in which the work is stopped, and in both halves. With sets on disk
    /// some slices have nothing new but what is due, and is not lost yet: there black's king may capture, or flee and lose
    /// later.
    #[test]
    fn distances_to_mate_go_on_from_their_checkpoint() {
        let never = AtomicBool::new(false);
        fn mates(stop: &AtomicBool) -> Options<'_> {
            Options {
                metric: Metric::Dtm,
                ..quietly(stop)
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
        // Where the sets are, and how many plies there are at most between two stops. With sets on disk, nothing is at hand,
        // and of the smaller tables only the slices are there that captures lead to.
        let cases = [
            ("KQvKR", None, 3),
            ("KRBvK", None, 3),
            ("KRNvK", None, 3),
            ("KRBvK", Some(100), 100),
            ("KRBvK", Some(7), 20),
            ("KQvKR", Some(7), 100),
        ];
        for (name, group, most) in cases {
            let material: Material = name.parse().unwrap();
            let library = needed_tables(material, mates(&never));
            let expected = bytes_of(&solve(&material, &library, mates(&never)).unwrap());
            let of = checkpoint_of(material, Metric::Dtm);
            let checkpoint = folder.path().join(format!("{name} {most}"));
            let (mut runs, mut plies) = (0, 0);
            let table = loop {
                let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
                let progress = |_| {
                    if count.fetch_add(1, Ordering::Relaxed) + 1 > runs % most + most / 2 {
                        stop.store(true, Ordering::Relaxed);
                    }
                };
                let options = Options {
                    progress: &progress,
                    checkpoint: Some((&checkpoint, &of)),
                    residence: match group {
                        Some(group) => Residence::Disk {
                            folder: folder.path(),
                            group,
                        },
                        None => Residence::Memory,
                    },
                    temp_file: group.map(|_| &temp_file),
                    ..mates(&stop)
                };
                let shape = Shape::new(material).unwrap();
                let limits = match group {
                    Some(_) => Limits {
                        recent: 0,
                        ..Limits::new(&shape)
                    },
                    None => Limits::new(&shape),
                };
                let solved = solve_with(&shape, &library, options, &Alone, limits);
                (runs, plies) = (runs + 1, plies + count.into_inner());
                match solved {
                    Ok(table) => break table,
                    Err(SolveError::Interrupted) => assert!(runs < 200, "{name}, {plies} plies"),
                    Err(error) => panic!("{error}"),
                }
            };
            assert!(runs > 5 || most > 3, "{name}: {runs} runs");
            assert!(bytes_of(&table) == expected, "{name}, {most}");
        }
    }

    /// Who is stopped while the checkpoint is read does not come to cut off what follows its end.
    #[test]
    fn a_checkpoint_stays_as_it_is_if_its_reading_is_stopped() {
        let material: Material = "KRvK".parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("checkpoint");
        let of = checkpoint_of(material, Metric::Dtz);
        let stop = AtomicBool::new(false);
        let progress = |progress: Progress| {
            stop.store(progress.plies >= 20, Ordering::Relaxed);
        };
        let options = Options {
            progress: &progress,
            checkpoint: Some((&checkpoint, &of)),
            ..quietly(&stop)
        };
        let is_stopped = || {
            let solved = solve(&material, &Library::default(), options);
            matches!(solved, Err(SolveError::Interrupted))
        };
        assert!(is_stopped());
        let longer = [&std::fs::read(&checkpoint).unwrap()[..], &[7; 99]].concat();
        std::fs::write(&checkpoint, &longer).unwrap();
        assert!(is_stopped());
        assert!(std::fs::read(&checkpoint).unwrap() == longer);
    }

    /// A job that is stopped after a few plies, again and again, gets there only if the parts in work have checkpoints.
    #[test]
    fn a_large_part_in_work_loses_no_ply() {
        for metric in [Metric::Dtz, Metric::Dtm] {
            a_part_in_work_loses_no_ply(metric, false, 3 * one_in(3));
        }
        // In slices, with sets on disk.
        a_part_in_work_loses_no_ply(Metric::Dtz, true, 60);
    }

    fn a_part_in_work_loses_no_ply(metric: Metric, sliced: bool, most: usize) {
        let never = AtomicBool::new(false);
        let quietly = Options {
            metric,
            ..quietly(&never)
        };
        let material: Material = "KPvK".parse().unwrap();
        let library = needed_tables(material, quietly);
        let folder = tempfile::tempdir().unwrap();
        let shape = match sliced {
            true => Shape::new(material).unwrap().in_slices(),
            false => Shape::new(material).unwrap(),
        };
        let expected = bytes_of(&solve_shape(&shape, &library, quietly).unwrap());
        let checkpoint = folder.path().join("checkpoint");
        let of = checkpoint_of(material, metric);
        let run = |reports: usize, large_part: u64| {
            let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
            let progress = |_| {
                if count.fetch_add(1, Ordering::Relaxed) + 1 >= reports {
                    stop.store(true, Ordering::Relaxed);
                }
            };
            let options = Options {
                progress: &progress,
                stop: &stop,
                checkpoint: Some((&checkpoint, &of)),
                residence: match sliced {
                    true => Residence::Disk {
                        folder: folder.path(),
                        group: 500,
                    },
                    false => Residence::Memory,
                },
                ..quietly
            };
            let limits = Limits {
                large_part,
                ..Limits::new(&shape)
            };
            let solved = match sliced {
                true => solve_with(&shape, &library, options, &Alone, limits),
                false => solve_with(&shape, &library, options, &One, limits),
            };
            (solved, count.load(Ordering::Relaxed))
        };
        let (table, all) = run(usize::MAX, u64::MAX);
        assert!(bytes_of(&table.unwrap()) == expected);
        remove_checkpoint(&checkpoint).unwrap();

        let (mut runs, mut plies) = (0, 0);
        let table = loop {
            let (solved, more) = run(most, 0);
            (runs, plies) = (runs + 1, plies + more);
            match solved {
                Ok(table) => break table,
                Err(SolveError::Interrupted) => assert!(runs <= all, "{plies} plies and no end"),
                Err(error) => panic!("{error}"),
            }
        };
        assert!(bytes_of(&table) == expected);
        assert!(runs > 5, "{runs} runs");
        // The parts that are solved side by side may all lose the ply that they had begun.
        assert!(
            plies <= all + 4 * runs,
            "{plies} plies in {runs} runs, {all} in one"
        );
        drop(table);
        remove_checkpoint(&checkpoint).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
