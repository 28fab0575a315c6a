//! A table is the same however often it is solved: with any backend, on any number of threads, and after an
//! interruption.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tbgen::{Metric, Options, SolveError, Table, solve};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use crate::small::{METRICS, small_tables};
use crate::solved::{material, quietly};
use crate::thorough::one_in;

/// The bytes of a table's file.
fn bytes(table: &Table) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    table.write(&path, Overwrite::Refuse).unwrap();
    std::fs::read(&path).unwrap()
}

fn solved(name: &str, metric: Metric, backend: Backend, threads: usize) -> Vec<u8> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(|| {
        let options = quietly(metric, backend);
        bytes(&solve(&material(name), small_tables(metric), options).unwrap())
    })
}

#[test]
fn every_backend_and_number_of_threads_makes_the_same_table() {
    for metric in METRICS {
        for name in ["KRvKN", "KRvKP", "KPvKP", "KPPvK"] {
            // By the distance to mate a table takes some times as long.
            if metric == Metric::Dtm && ["KRvKN", "KPPvK"].contains(&name) && one_in(2) > 1 {
                continue;
            }
            let expected = bytes(small_tables(metric).get(&material(name)).unwrap());
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
fn a_table_that_was_interrupted_is_the_same_when_it_is_solved_again() {
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
            let again = solved(name, metric, Backend::detect(), 2);
            let expected = bytes(small_tables(metric).get(&material(name)).unwrap());
            assert!(again == expected, "{name}");
        }
    }
}
