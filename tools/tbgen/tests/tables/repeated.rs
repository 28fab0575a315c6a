//! A table is the same however it is solved: with any backend, on any number of threads, and from a checkpoint.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tbgen::{
    Library, Metric, Options, RecordError, Residence, SolveError, Table, TableFile, TempFile,
    led_to_by, solve,
};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use crate::small::{METRICS, file_of, small_tables};
use crate::solved::{bytes_of, checkpoint_of, material, quietly};
use crate::thorough::one_in;

fn solved(name: &str, metric: Metric, backend: Backend, threads: usize) -> Vec<u8> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(|| {
        let options = quietly(metric, backend);
        let table = solve(&material(name), small_tables(metric), options).unwrap();
        bytes_of(&table).unwrap()
    })
}

#[test]
fn every_backend_and_number_of_threads_makes_the_same_table() {
    for metric in METRICS {
        for name in ["KRvKN", "KRvKP", "KPvKP", "KPPvK"] {
            // With pawns and without them; by the distance to mate a table takes some times as long.
            let few = match metric {
                Metric::Dtz => ["KRvKN", "KPvKP"],
                _ => ["KRvKP", "KRvKP"],
            };
            if !few.contains(&name) && one_in(2) > 1 {
                continue;
            }
            let expected = file_of(name, metric);
            for (k, backend) in Backend::available().enumerate() {
                for threads in [1, 3].into_iter().skip(k % 2) {
                    assert!(
                        solved(name, metric, backend, threads) == expected,
                        "{name}, {}, {backend}, {threads} threads",
                        metric.name()
                    );
                }
            }
        }
    }
}

#[test]
fn a_flag_stops_the_work() {
    for metric in METRICS {
        for name in ["KRvKN", "KPvKP"] {
            let stop = AtomicBool::new(false);
            let (reports, least) = (AtomicUsize::new(0), 20);
            let options = Options {
                progress: &|_| {
                    if reports.fetch_add(1, Ordering::Relaxed) == least {
                        stop.store(true, Ordering::Relaxed);
                    }
                },
                stop: &stop,
                ..quietly(metric, Backend::detect())
            };
            let result = solve(&material(name), small_tables(metric), options);
            assert!(matches!(result, Err(SolveError::Interrupted)), "{name}");
            assert!(reports.into_inner() > least, "it was not at once");
        }
    }
}

/// Of tables that are read where they are, what promotions lead to is seen once for all files.
#[test]
fn tables_from_files_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for metric in METRICS {
        for name in ["KPvKP", "KPPvK"]
            .into_iter()
            .skip(metric as usize % one_in(2))
            .step_by(one_in(2))
        {
            let mut library = Library::default();
            for source in led_to_by(&material(name)) {
                let path = Table::path(folder.path(), source, metric);
                let table = small_tables(metric).get(&source).unwrap();
                table.write(&path, Overwrite::Replace).unwrap();
                library.insert(TableFile::open(&path).unwrap().as_it_is());
            }
            let options = quietly(metric, Backend::detect());
            let table = solve(&material(name), &library, options).unwrap();
            let expected = file_of(name, metric);
            assert!(bytes_of(&table).unwrap() == expected, "{name} {metric:?}");
        }
    }
}

/// The file of a table that is solved with a checkpoint, and with sets in memory or in files of a folder, so many slices at a
/// time; and the number of plies.
fn recorded(
    name: &str,
    metric: Metric,
    folder: &Path,
    group: Option<usize>,
) -> Result<(Vec<u8>, usize), SolveError> {
    let temp_file = Arc::new(TempFile::new(folder).unwrap());
    let plies = AtomicUsize::new(0);
    let options = Options {
        progress: &|_| {
            plies.fetch_add(1, Ordering::Relaxed);
        },
        temp_file: group.map(|_| &temp_file),
        residence: match group {
            Some(group) => Residence::Disk { folder, group },
            None => Residence::Memory,
        },
        checkpoint: Some((&folder.join("checkpoint"), &checkpoint_of(name, metric))),
        ..quietly(metric, Backend::detect())
    };
    let table = solve(&material(name), small_tables(metric), options)?;
    Ok((bytes_of(&table).unwrap(), plies.into_inner()))
}

#[test]
fn tables_from_a_checkpoint_and_from_sets_on_disk_are_the_same() {
    // With cursed wins, wins of both sides, and positions in which every move captures.
    for name in ["KRvKN", "KNNvK", "KQvKR", "KQvKQ"]
        .into_iter()
        .take(if one_in(2) > 1 { 1 } else { 4 })
    {
        for metric in METRICS {
            let expected = file_of(name, metric);
            let groups = match metric {
                Metric::Dtz => &[Some(1), Some(462), Some(7), None][..],
                _ => &[Some(100), Some(3), None],
            };
            let few = groups.len() / one_in(2);
            for &group in &groups[..few] {
                let folder = tempfile::tempdir().unwrap();
                let (table, _) = recorded(name, metric, folder.path(), group).unwrap();
                assert!(table == expected, "{name} {metric:?} {group:?}");
            }
        }
    }
}

#[test]
fn a_checkpoint_of_parts_goes_on_where_it_was_cut() {
    // With en passant, for which stalemates are found once more.
    let name = "KPvKP";
    for metric in METRICS {
        let expected = file_of(name, metric);
        let whole = tempfile::tempdir().unwrap();
        let (table, all) = recorded(name, metric, whole.path(), None).unwrap();
        assert!(table == expected);
        let folder = tempfile::tempdir().unwrap();
        let checkpoint = folder.path().join("checkpoint.parts0");
        std::fs::copy(whole.path().join("checkpoint.parts0"), &checkpoint).unwrap();
        // A half of the whole checkpoint is left. The work goes on with it, and leaves records that nothing completed; the
        // end of what it leaves is cut again, and the last time it is whole.
        for quarters in [2, 3, 4] {
            let begun = std::fs::read(&checkpoint).unwrap();
            let cut = begun.len() * quarters / 4;
            std::fs::write(&checkpoint, &begun[..cut]).unwrap();
            let (table, again) = recorded(name, metric, folder.path(), None).unwrap();
            assert!(table == expected, "cut at {cut} of {}", begun.len());
            assert!(again < all, "{again} of {all}");
            assert_eq!(again == 0, quarters == 4);
        }
    }
}

/// The number of sweeps that a checkpoint has, whose records have a head of eight bytes.
fn checkpoint_plies(checkpoint: &[u8]) -> usize {
    let (mut at, mut count) = (10, 0);
    while let Some(record) = checkpoint.get(at..at + 12) {
        // The begin of a half is none.
        count += usize::from(record[8] == 1 && record[11] != 0);
        at += 8 + u32::from_le_bytes(record[..4].try_into().unwrap()) as usize;
    }
    count
}

#[test]
fn a_checkpoint_goes_on_where_it_was_cut() {
    let name = "KRvKN";
    for metric in METRICS {
        let expected = file_of(name, metric);
        let folder = tempfile::tempdir().unwrap();
        recorded(name, metric, folder.path(), None).unwrap();
        let whole = std::fs::read(folder.path().join("checkpoint")).unwrap();
        // As a kill leaves it: after any byte.
        let count = if one_in(2) > 1 { 2 } else { 40 };
        let cuts = (0..whole.len()).step_by(whole.len() / count);
        for (k, cut) in cuts.chain([65, whole.len()]).enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let checkpoint = folder.path().join("checkpoint");
            std::fs::write(&checkpoint, &whole[..cut]).unwrap();
            let group = [None, Some(5)][k % 2];
            let (table, plies) = recorded(name, metric, folder.path(), group).unwrap();
            assert!(table == expected, "{metric:?} cut at {cut}");
            let all = checkpoint_plies(&whole[..cut]) + plies;
            assert_eq!(all, checkpoint_plies(&whole), "cut at {cut}");
            // In whatever order threads wrote, there is as much.
            let again = std::fs::read(&checkpoint).unwrap();
            assert_eq!(again.len(), whole.len());
        }
    }
}

/// How a header may differ is shown where headers are compared.
#[test]
fn other_checkpoints_are_refused_by_name_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    for bytes in [&b"no checkpoint"[..], &[b'x'; 1000]] {
        std::fs::write(&path, bytes).unwrap();
        let error = recorded("KRvKN", Metric::Dtz, folder.path(), None);
        let Err(SolveError::Checkpoint(error)) = error else {
            panic!("it is believed");
        };
        assert!(matches!(*error, RecordError::Refused { .. }), "{error}");
        let text = error.to_string();
        let says = format!("{}: this is not a checkpoint", path.display());
        assert!(text.contains(&says), "{text}");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
