//! Tables that were written to files and read again.

use std::iter::repeat_n;
use std::path::Path;

use tbgen::{Hit, Metric, Table, TableFile};
use tbindex::store::Overwrite;
use tbindex::{Fen, Material, Position};

use crate::batch::random_positions;
use crate::small::{METRICS, table};
use crate::solved::material;

/// Legal positions of a material.
fn positions(material: Material, count: usize) -> impl Iterator<Item = Position> {
    let seed = material.to_string().bytes().map(u64::from).sum();
    let games = random_positions(repeat_n(material, count), seed);
    games.map(|game| game.position())
}

fn written(table: &Table, folder: &Path) -> TableFile {
    let path = Table::path(folder, table.material(), table.metric());
    table.write(&path, Overwrite::Refuse).unwrap();
    TableFile::open(&path).unwrap()
}

/// Each table has its own reason: three pieces have other blocks, like pieces are kept once, parts with two like
/// pawns and with pawns of both sides, and a slab for each square of a third piece.
#[test]
fn a_file_says_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    for metric in METRICS {
        for name in ["KRvK", "KPvK", "KQvKR", "KRRvK", "KPPvK", "KPvKP", "KRvKP"] {
            let (material, table) = (material(name), table(name, metric));
            let file = written(table, folder.path());
            assert_eq!((file.material(), file.metric()), (material, metric));
            let loaded = file.load(None, &false.into()).unwrap();
            assert_eq!((loaded.material(), loaded.metric()), (material, metric));
            let mut different = std::collections::BTreeSet::new();
            for position in positions(material, 4000) {
                let expected = table.value(&position).unwrap();
                different.insert(expected);
                assert_eq!(loaded.value(&position).unwrap(), expected, "{position}");
                let value = expected;
                for Hit { position, .. } in (Hit { position, value }).images() {
                    for image in [position, position.swap_colors()] {
                        assert_eq!(file.value(&image).unwrap(), expected, "{image}");
                    }
                }
            }
            assert!(different.len() > 10, "{name}: only {different:?}");
            // Nothing is lost on the way: what was read is written as it was.
            let again = tempfile::tempdir().unwrap();
            let path = Table::path(again.path(), material, metric);
            loaded.write(&path, Overwrite::Refuse).unwrap();
            let first = Table::path(folder.path(), material, metric);
            assert!(
                std::fs::read(path).unwrap() == std::fs::read(first).unwrap(),
                "{name}, {}",
                metric.name()
            );
        }
    }
}

#[test]
fn positions_of_other_pieces_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = table("KPvK", Metric::Dtz);
    let file = written(table, folder.path());
    let queen = positions(material("KQvK"), 1).next().unwrap();
    assert!(file.value(&queen).is_err() && table.value(&queen).is_err());
    let touching: Fen = "8/7P/8/8/8/8/8/Kk6 w - - 0 1".parse().unwrap();
    let error = file.value(&touching.position).unwrap_err().to_string();
    assert!(error.contains("a1 and b1 touch"), "{error}");
}
