//! Tables that were written to files and read again.

use std::path::Path;

use tbgen::{Board, Metric, Table, TableFile};
use tbindex::store::Overwrite;
use tbindex::{Color, Fen, Material, Piece, Position, Symmetry};

use crate::random::Random;
use crate::small::{METRICS, small_tables};
use crate::solved::material;

/// Legal positions of a material.
fn positions(material: Material, count: usize) -> Vec<Position> {
    let mut random = Random::new(material.to_string().bytes().map(u64::from).sum());
    let pieces: Vec<Piece> = material.name_order().collect();
    let mut all = Vec::new();
    while all.len() < count {
        let mut position = Position {
            board: [None; 64],
            side: Color::ALL[all.len() % 2],
        };
        for &piece in &pieces {
            position.board[random.bits(6) as usize] = Some(piece);
        }
        let board = Board::new(&position, None);
        all.extend(
            board
                .filter(|_| position.occupied().count() == pieces.len())
                .map(|_| position),
        );
    }
    all
}

fn image(position: &Position, symmetry: Symmetry) -> Position {
    let mut board = [None; 64];
    for (piece, square) in position.occupied() {
        board[symmetry.apply(square).index()] = Some(piece);
    }
    Position {
        board,
        side: position.side,
    }
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
            let material = material(name);
            let table = small_tables(metric).get(&material).unwrap();
            let file = written(table, folder.path());
            assert_eq!((file.material(), file.metric()), (material, metric));
            let loaded = file.load().unwrap();
            assert_eq!((loaded.material(), loaded.metric()), (material, metric));
            let symmetries = if material.has_pawns() {
                &[Symmetry::FlipHorizontal][..]
            } else {
                &Symmetry::ALL[..]
            };
            let mut different = std::collections::BTreeSet::new();
            for position in positions(material, 2000) {
                let expected = table.value(&position).unwrap();
                different.insert(expected);
                assert_eq!(loaded.value(&position).unwrap(), expected, "{position}");
                assert_eq!(file.value(&position).unwrap(), expected, "{position}");
                let turned = position.swap_colors();
                assert_eq!(file.value(&turned).unwrap(), expected, "{turned}");
                for &symmetry in symmetries {
                    let there = image(&position, symmetry);
                    assert_eq!(file.value(&there).unwrap(), expected, "{there}");
                    let turned = there.swap_colors();
                    assert_eq!(file.value(&turned).unwrap(), expected, "{turned}");
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
    let table = small_tables(Metric::Dtz).get(&material("KPvK")).unwrap();
    let file = written(table, folder.path());
    let queen = positions(material("KQvK"), 1).remove(0);
    assert!(file.value(&queen).is_err() && table.value(&queen).is_err());
    let touching: Fen = "8/7P/8/8/8/8/8/Kk6 w - - 0 1".parse().unwrap();
    let error = file.value(&touching.position).unwrap_err().to_string();
    assert!(error.contains("a1 and b1 touch"), "{error}");
}
