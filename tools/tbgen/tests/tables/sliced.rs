//! Tables that are solved in slices, with sets on disk, and after they were stopped.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tbgen::internals::{CacheSize, Limits, Part};
use tbgen::{
    Counting, GamePosition, Letters, Library, Metric, MineOptions, Mined, Options, Outcome,
    Progress, Query, Residence, Shape, SolveError, Stats, Table, TempFile, Transport, Value, mine,
    needed_by, reachable, remove_checkpoint, solve, solve_shape, solve_shared,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material};

use crate::helpmates::one_against_one;
use crate::plans::with_threads;
use crate::small::small_tables;
use crate::solved::{self, checkpoint_of};
use crate::thorough::one_in;

/// Options for solving a table by the distance to zeroing in memory, until a flag is set.
fn quietly(stop: &AtomicBool) -> Options<'_> {
    Options::new(Metric::Dtz, Backend::detect(), stop)
}

/// The bytes of a table's file.
fn bytes_of(table: &Table) -> Vec<u8> {
    solved::bytes_of(table).unwrap()
}

/// The tables that a material needs, without its own.
fn needed_tables(material: Material, options: Options<'_>) -> Library {
    let mut library = Library::default();
    for needed in needed_by(&material) {
        if needed != material {
            library.insert(solve(&needed, &library, options).unwrap());
        }
    }
    library
}

/// All tables of one piece or pawn on either side by a metric.
fn all_tables(metric: Metric) -> &'static Library {
    match metric.victim() {
        Some(_) => one_against_one(),
        None => small_tables(metric),
    }
}

/// The shapes that a position can reach, each with one whose parts have slices by the kings if there are pawns.
fn whole_and_sliced(fen: &str) -> Vec<[Shape; 2]> {
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    let both = |shape: Shape| match shape.material().has_pawns() {
        true => [shape.clone(), shape.in_slices()],
        false => [shape.clone(), shape],
    };
    reachable(&position)
        .unwrap()
        .into_iter()
        .map(both)
        .collect()
}

/// A pawn before its promotion, and if `TBINDEX_THOROUGH` is set, a step before, against a rook.
fn pawn_and_rook() -> &'static str {
    match one_in(2) {
        1 => "8/8/3P4/k7/8/8/1r6/4K3 w - - 0 1",
        _ => "8/3P4/8/k7/8/8/1r6/4K3 w - - 0 1",
    }
}

/// Makes distances of more than nine plies so much longer that the fifty-move rule makes a difference, which it does
/// in no table of fewer than five pieces.
pub(crate) fn curse(part: &mut Part) {
    for side in &mut part.sides {
        let values = side.values.iter().map(|&value| match value.outcome {
            Outcome::Win if value.plies > 9 => Value::win(value.plies + 100),
            Outcome::Loss if value.plies > 9 => Value::loss(value.plies + 100),
            _ => value,
        });
        side.values = Arc::new(values.collect());
    }
}

/// One process that writes what others would read.
struct One;

impl Transport for One {
    fn processes(&self) -> usize {
        1
    }

    fn number(&self) -> usize {
        0
    }

    fn exchange(&self, to_each: &[&[u8]]) -> Vec<Vec<u8>> {
        to_each.iter().map(|bytes| bytes.to_vec()).collect()
    }
}

/// Solves a table in runs, each of which is stopped after so many plies, until it is there. Returns with it the numbers of runs
/// and of plies.
fn in_runs(
    options: Options<'_>,
    plies_of_run: impl Fn(usize) -> usize + Sync,
    solve: impl Fn(Options<'_>) -> Result<Table, SolveError>,
) -> (Table, usize, usize) {
    let (mut runs, mut plies) = (0, 0);
    loop {
        let (stop, count) = (AtomicBool::new(false), AtomicUsize::new(0));
        let progress = |_| {
            if count.fetch_add(1, Ordering::Relaxed) + 1 >= plies_of_run(runs) {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let solved = solve(Options {
            progress: &progress,
            stop: &stop,
            ..options
        });
        (runs, plies) = (runs + 1, plies + count.load(Ordering::Relaxed));
        match solved {
            Ok(table) => return (table, runs, plies),
            Err(SolveError::Interrupted) => assert!(runs < 1000, "{plies} plies and no end"),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Of parts that are solved one at a time, each has all of its plies before the next has its first.
#[test]
fn parts_are_solved_one_at_a_time_if_there_may_be_one() {
    let (material, stop) = ("KPvK".parse().unwrap(), AtomicBool::new(false));
    let plies = Mutex::new(Vec::new());
    let progress = |progress: Progress| plies.lock().unwrap().push(progress.plies);
    with_threads(4, || {
        let options = Options {
            parts: 1,
            progress: &progress,
            ..quietly(&stop)
        };
        let library = needed_tables(material, quietly(&stop));
        let [one, many] = [options, quietly(&stop)]
            .map(|options| bytes_of(&solve(&material, &library, options).unwrap()));
        assert!(one == many);
    });
    let plies = plies.into_inner().unwrap();
    assert_eq!(plies.iter().filter(|&&plies| plies == 1).count(), 24);
    let follows = |pair: &[u16]| pair[1] == 1 || pair[1] > pair[0];
    assert!(plies.windows(2).all(follows), "{plies:?}");
}

/// Captures lead into what the fifty-move rule makes a difference for, by the winner and by the loser. After it was
/// stopped in a ply, each goes on. A table of five pieces is among them if `TBINDEX_THOROUGH` is set.
#[test]
fn captures_into_cursed_wins_count_with_sets_on_disk_too() {
    let few = 2 / one_in(2);
    for (name, stops) in [
        ("KQvKR", [(100, 99), (1, 101)]),
        ("KQRvK", [(462, 101), (8, 100)]),
    ] {
        captures_into_cursed_wins_count(name.parse().unwrap(), &stops[..few]);
    }
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
    let values = &table.parts[0].sides[Color::Black as usize].values;
    let is_blessed = |value: &Value| value.outcome == Outcome::BlessedLoss;
    assert!(values.iter().any(is_blessed));
    let expected = bytes_of(&table);

    let of = checkpoint_of(&material.to_string(), Metric::Dtz);
    for &(group, last) in stops {
        let checkpoint = folder.path().join(format!("checkpoint-{group}"));
        let (stop, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
        let progress = |progress: Progress| {
            if progress.plies >= last && !stopped.swap(true, Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let options = Options {
            progress: &progress,
            residence: Residence::new(Some(group), folder.path()),
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
    let all = [
        ("8/3p4/8/k3P3/8/8/8/4K3 w - - 0 1", Metric::Dtm, 2),
        (pawn_and_rook(), Metric::Dtz, 3),
        (pawn_and_rook(), Metric::Dtm, 3),
    ];
    // The last only if `TBINDEX_THOROUGH` is set.
    for (fen, metric, count) in all.into_iter().take(4 - one_in(2)) {
        let in_memory = Options {
            metric,
            ..quietly(&never)
        };
        let position = GamePosition::parse(fen, &Letters::default()).unwrap();
        let mut libraries: [Library; 3] = Default::default();
        for shape in reachable(&position).unwrap() {
            let material = shape.material();
            // Promotions to knights alone are solved in slices, unless `TBINDEX_THOROUGH` is set.
            let name = material.to_string();
            let is_given = one_in(2) > 1 && ["KQvKP", "KRvKP", "KBvKP"].contains(&&*name);
            if !material.has_pawns() || is_given {
                let table = Arc::new(small_tables(metric).get(&material).unwrap().clone());
                for library in &mut libraries {
                    library.insert(Arc::clone(&table));
                }
                continue;
            }
            let checkpoint = folder.path().join(format!("{material}-{metric:?}"));
            let of = checkpoint_of(&material.to_string(), metric);
            let on_disk = Options {
                residence: Residence::new(Some(500), folder.path()),
                temp_file: Some(&temp_file),
                checkpoint: Some((&checkpoint, &of)),
                ..in_memory
            };
            let sliced = shape.in_slices();
            let ways = [
                (&shape, in_memory),
                (&sliced, in_memory),
                (&sliced, on_disk),
            ];
            let stats =
                (ways.iter().zip(&mut libraries).take(count)).map(|((shape, options), library)| {
                    let table = solve_shape(shape, library, *options).unwrap();
                    let stats = Stats::of(&table, Counting::Ordered).unwrap();
                    library.insert(table);
                    stats
                });
            let stats: Vec<Stats> = stats.collect();
            let same = stats.iter().all(|other| *other == stats[0]);
            assert!(same, "{material} {metric:?}");
            if count > 2 {
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
/// later. So do helpmates, in the one half that they have.
#[test]
fn distances_to_mate_go_on_from_their_checkpoint() {
    let never = AtomicBool::new(false);
    let folder = tempfile::tempdir().unwrap();
    let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
    // Where the sets are, and how many plies there are at most between two stops. With sets on disk, nothing is at hand,
    // and of the smaller tables only the slices are there that captures lead to.
    let cases = [
        ("KQvKR", Metric::Dtm, None, 3 * one_in(3)),
        ("KRBvK", Metric::Dtm, None, 3),
        ("KRBvK", Metric::Dtm, Some(7), 20),
        ("KRNvK", Metric::Dtm, None, 3),
        ("KQvKR", Metric::HelpBlack, Some(7), 1),
        ("KQvKR", Metric::Dtm, Some(7), 100),
        ("KBvKN", Metric::HelpWhite, None, 1),
        ("KRBvK", Metric::Dtm, Some(100), 100),
    ];
    for (name, metric, group, most) in cases.into_iter().step_by(one_in(2)) {
        let material: Material = name.parse().unwrap();
        let library = all_tables(metric);
        let expected = bytes_of(library.of(&material, metric.victim()).unwrap());
        let of = checkpoint_of(&material.to_string(), metric);
        let checkpoint = folder.path().join(format!("{name} {metric:?} {most}"));
        let shape = Shape::new(material).unwrap();
        let mut limits = Limits::new(&shape, metric);
        if group.is_some() {
            limits.recent = CacheSize::new(0);
        }
        let options = Options {
            checkpoint: Some((&checkpoint, &of)),
            residence: Residence::new(group, folder.path()),
            temp_file: group.map(|_| &temp_file),
            metric,
            limits: Some(limits),
            ..quietly(&never)
        };
        let plies = |run: usize| run % most + most / 2 + 1;
        let (table, runs, _) = in_runs(options, plies, |options| {
            solve_shape(&shape, library, options)
        });
        assert!(runs > 5 || most > 3, "{name}: {runs} runs");
        assert!(bytes_of(&table) == expected, "{name}, {most}");
    }
}

/// A run that is stopped while the checkpoint is read does not come to cut off what follows its end.
#[test]
fn a_checkpoint_stays_as_it_is_if_its_reading_is_stopped() {
    let material: Material = "KRvK".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("checkpoint");
    let of = checkpoint_of(&material.to_string(), Metric::Dtz);
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
    for metric in [Metric::Dtz, Metric::Dtm, Metric::HelpBlack] {
        a_part_in_work_loses_no_ply(metric, false, 3);
    }
    // In slices, with sets on disk.
    a_part_in_work_loses_no_ply(Metric::Dtz, true, 6);
}

fn a_part_in_work_loses_no_ply(metric: Metric, sliced: bool, most: usize) {
    let never = AtomicBool::new(false);
    let quietly = Options {
        metric,
        ..quietly(&never)
    };
    let material: Material = "KPvK".parse().unwrap();
    let library = all_tables(metric);
    let folder = tempfile::tempdir().unwrap();
    // The parts of a pawn on three ranks, or all if `TBINDEX_THOROUGH` is set.
    let position = GamePosition::parse("8/8/8/3P4/8/k7/8/4K3 w - - 0 1", &Letters::default());
    let mut shape = match one_in(2) {
        1 => Shape::new(material).unwrap(),
        _ => reachable(&position.unwrap()).unwrap().pop().unwrap(),
    };
    assert_eq!(shape.material(), material);
    if sliced {
        shape = shape.in_slices();
    }
    let expected = bytes_of(&solve_shape(&shape, library, quietly).unwrap());
    let checkpoint = folder.path().join("checkpoint");
    let of = checkpoint_of(&material.to_string(), metric);
    let options = Options {
        checkpoint: Some((&checkpoint, &of)),
        residence: Residence::new(sliced.then_some(500), folder.path()),
        ..quietly
    };
    let runs_of = |plies: usize, large_part: u64| {
        let limits = Limits {
            large_part,
            ..Limits::new(&shape, metric)
        };
        in_runs(
            Options {
                limits: Some(limits),
                ..options
            },
            |_| plies,
            |options| match sliced {
                true => solve_shape(&shape, library, options),
                false => solve_shared(&shape, library, options, Some(&One)),
            },
        )
    };
    let (table, _, all) = runs_of(usize::MAX, u64::MAX);
    assert!(bytes_of(&table) == expected);
    remove_checkpoint(&checkpoint).unwrap();

    let (table, runs, plies) = runs_of(most, 0);
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
    let mut library = Library::default();
    let material: Material = "KBvKN".parse().unwrap();
    let of_helpmates = |victim, options| Options {
        metric: Metric::help(victim),
        ..options
    };
    for needed in needed_by(&material) {
        let shape = Shape::new(needed).unwrap();
        for victim in Color::ALL {
            let [table, again] = [quietly(&never), on_disk(folder.path(), &temp_file, &never)]
                .map(|how| solve_shape(&shape, &library, of_helpmates(victim, how)).unwrap());
            assert!(bytes_of(&table) == bytes_of(&again), "{needed}");
            library.insert(table);
        }
    }
    let stop = AtomicBool::new(true);
    let shape = Shape::new(material).unwrap();
    let on_disk = of_helpmates(Color::White, on_disk(folder.path(), &temp_file, &stop));
    let stopped = solve_shape(&shape, &library, on_disk);
    assert!(matches!(stopped, Err(SolveError::Interrupted)));
}

/// Parts with pawns in slices by the kings and in one.
#[test]
fn sliced_parts_on_disk_have_the_same_values() {
    let (never, folder) = (AtomicBool::new(false), tempfile::tempdir().unwrap());
    let temp_file = Arc::new(TempFile::new(folder.path()).unwrap());
    let mut libraries: [Library; 2] = Default::default();
    for [shape, sliced] in whole_and_sliced(pawn_and_rook()) {
        for victim in Color::ALL {
            if !shape.material().has_pawns() {
                let table = one_against_one().of(&shape.material(), Some(victim));
                let table = Arc::new(table.unwrap().clone());
                for library in &mut libraries {
                    library.insert(Arc::clone(&table));
                }
                continue;
            }
            let ways = [
                (&shape, quietly(&never)),
                (&sliced, on_disk(folder.path(), &temp_file, &never)),
            ];
            let solved = [0, 1].map(|way| {
                let (shape, options) = ways[way];
                let options = Options {
                    metric: Metric::help(victim),
                    ..options
                };
                solve_shape(shape, &libraries[way], options).unwrap()
            });
            let stats = |table| Stats::of(table, Counting::Ordered).unwrap();
            let [whole, of_slices] = solved.each_ref().map(stats);
            assert_eq!(whole, of_slices, "{} {victim}", shape.material());
            for (library, table) in libraries.iter_mut().zip(solved) {
                library.insert(table);
            }
        }
    }
}

/// Some slices at a time, of parts with pawns that step and promote, as all parts in one slice each. If `TBINDEX_THOROUGH`
/// is set, pawns of both sides capture, too, also en passant.
#[test]
fn slices_have_what_whole_parts_have() {
    let never = AtomicBool::new(false);
    let fen = match std::env::var_os("TBINDEX_THOROUGH") {
        Some(_) => "8/3p4/8/k3P3/8/8/8/4K3 w - - 0 1",
        None => "8/8/4P3/k7/8/8/8/4K3 w - - 0 1",
    };
    let mut libraries: [Library; 2] = Default::default();
    let queries = [
        "only-en-passant",
        "zugzwang or only-move or only-king-move or only-underpromotion",
    ];
    let queries = queries.map(|query| query.parse::<Query>().unwrap());
    let (mut found, mut with_pawns) = (0, 0);
    for [shape, sliced] in whole_and_sliced(fen) {
        let ways = [(&shape, usize::MAX), (&sliced, sliced.slices() / 2 - 100)];
        let [of_whole, of_slices] = [0, 1].map(|way| {
            let ((shape, slices_at_once), library) = (ways[way], &mut libraries[way]);
            let table = solve_shape(shape, library, quietly(&never)).unwrap();
            let options = MineOptions {
                slices_at_once,
                ..MineOptions::new(Backend::detect(), &never)
            };
            let counts = |query| mine(&table, library, query, options, |_| Ok(())).unwrap();
            let counts = queries.each_ref().map(counts);
            library.insert(table);
            counts
        });
        assert_eq!(of_whole, of_slices, "{}", shape.material());
        let found_of = |mined: &&Mined| mined.placements > 0;
        found += of_whole.iter().filter(found_of).count();
        with_pawns += usize::from(sliced.slices() != shape.slices());
    }
    assert!(found > 3 && with_pawns > 0, "{found} {with_pawns}");
}
