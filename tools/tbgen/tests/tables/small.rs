//! All tables of three and four pieces, and data that others made.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tbgen::{Counting, Library, Metric, Stats, Table, all_up_to, solve};
use tbindex::batch::Backend;

use crate::solved::{bytes_of, material, quietly};

pub(crate) const METRICS: [Metric; 2] = [Metric::Dtz, Metric::Dtm];

/// All tables of three and four pieces, which are solved once.
pub(crate) fn small_tables(metric: Metric) -> &'static Library {
    static TABLES: [OnceLock<Library>; 2] = [const { OnceLock::new() }; 2];
    TABLES[metric as usize].get_or_init(|| {
        let mut library = Library::default();
        for material in all_up_to(4) {
            let options = quietly(metric, Backend::detect());
            let table = solve(&material, &library, options).unwrap();
            library.insert(table);
        }
        library
    })
}

pub(crate) fn table(name: &str, metric: Metric) -> &'static Table {
    small_tables(metric).get(&material(name)).unwrap()
}

/// The bytes of the file of such a table.
pub(crate) fn file_of(name: &str, metric: Metric) -> Vec<u8> {
    bytes_of(table(name, metric)).unwrap()
}

pub(crate) fn stats_of(table: &Table, counting: Counting) -> Stats {
    Stats::of(table, counting).unwrap()
}

/// Data that others made; `None`, said loudly, where it is not there.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    // Not `eprintln!`, whose text the test harness shows only of tests that fail.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED the comparison with {name}: there is no {}",
        path.display()
    );
    None
}

#[test]
fn all_tables_up_to_a_number_of_pieces_are_each_after_what_they_need() {
    for (pieces, count) in [(3, 5), (4, 35), (5, 145)] {
        let all = all_up_to(pieces);
        assert_eq!(all.len(), count);
        for (k, material) in all.iter().enumerate() {
            assert_eq!(material.normal(), *material);
            for needed in tbgen::needed_by(material) {
                let at = all.iter().position(|other| *other == needed);
                assert!(at.is_some_and(|at| at <= k), "{material} needs {needed}");
            }
        }
    }
}
