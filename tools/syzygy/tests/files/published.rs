//! The published files, decoded completely, and every value compared with another prober's.

use crate::support::{board, compare, files, other_prober, published};
use cozy_chess::Board;
use syzygy_tables::{Dtz, Kind, TableFile, Tables, Wdl};

#[test]
fn every_file_is_intact() {
    let Some(folder) = published() else { return };
    for path in files(&folder) {
        let file = TableFile::open(&path).unwrap();
        file.verify().unwrap();
        for sub_table in file.sub_tables() {
            let values = file.decode(sub_table).unwrap();
            assert_eq!(values.len() as u64, sub_table.numbering().len());
            for place in (0..values.len()).step_by(1009) {
                assert_eq!(file.value(sub_table, place as u64).unwrap(), values[place]);
            }
        }
    }
}

/// Compares every so many of the positions of every table.
fn compare_all(step: usize) {
    let Some(folder) = published() else { return };
    let ours = Tables::open(&folder).unwrap();
    let other = other_prober(&folder);
    let mut compared = 0;
    for path in files(&folder) {
        let file = TableFile::open(&path).unwrap();
        if file.kind() != Kind::Wdl {
            continue;
        }
        for sub_table in file.sub_tables() {
            for position in sub_table.numbering().positions(0).step_by(step) {
                if let Some(board) = board(file.material(), sub_table.side(), position) {
                    compared += u64::from(compare(&ours, &other, &board));
                }
            }
        }
    }
    assert!(compared > 10_000, "only {compared} positions compared");
    println!("{compared} positions compared");
}

#[test]
fn values_are_those_of_another_prober() {
    compare_all(4001);
}

#[test]
#[ignore = "takes minutes: cargo test -p syzygy-tables --test files -- --ignored"]
fn all_values_are_those_of_another_prober() {
    compare_all(1);
}

#[test]
fn answers_about_one_position() {
    let Some(folder) = published() else { return };
    let tables = Tables::open(folder).unwrap();
    let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse().unwrap();
    assert_eq!(tables.probe_wdl(&board).unwrap(), Wdl::Loss);
    let dtz = tables.probe_dtz(&board).unwrap();
    assert!(
        matches!(
            dtz,
            Dtz {
                plies: -62 | -61,
                ..
            }
        ),
        "{dtz:?}"
    );
}
