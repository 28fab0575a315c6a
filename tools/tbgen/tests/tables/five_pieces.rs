//! All 145 tables of three to five pieces, which take minutes, and much more in a build without optimisation. They go to
//! files, as the program makes them: some gigabytes for either metric.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tbgen::{Library, Metric, Table, TableFile, all_up_to, led_to_by};
use tbindex::{Fen, Material};
use tempfile::TempDir;

use crate::published::{compare_statistics, compare_zeroing, json, lines, longest_mate};
use crate::solved::material;

/// Where the tables of a metric are made: in a folder of its name in the one that `TBGEN_FOLDER` names, where they stay and
/// intact ones are not made again, or else in one that is removed at the end.
struct Folder {
    kept: Option<PathBuf>,
    temporary: TempDir,
}

impl Folder {
    fn new(metric: Metric) -> Folder {
        let kept = std::env::var_os("TBGEN_FOLDER").map(PathBuf::from);
        Folder {
            kept: kept.map(|folder| folder.join(metric.name())),
            temporary: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        (self.kept.as_deref()).unwrap_or_else(|| self.temporary.path())
    }
}

/// Runs the program, whose messages are shown.
fn run(arguments: &[&str]) {
    let program = Command::new(env!("CARGO_BIN_EXE_tbgen"))
        .args(arguments)
        .status();
    assert!(program.unwrap().success(), "{arguments:?}");
}

/// Makes all tables of up to five pieces in a folder, and checks one in so many positions by their moves.
fn make_all(folder: &Path, metric: Metric, one_in: &str) {
    let folder = folder.to_str().unwrap();
    run(&[
        "generate",
        "--all",
        "5",
        "--metric",
        metric.name(),
        "-o",
        folder,
    ]);
    run(&["verify", folder, "--one-in", one_in]);
}

fn open(folder: &Path, material: &Material, metric: Metric) -> TableFile {
    TableFile::open(&Table::path(folder, *material, metric)).unwrap()
}

#[test]
#[ignore = "half an hour each: cargo test --release -p tbgen --test tables -- --ignored five_pieces"]
fn five_pieces_by_distance_to_zeroing() {
    let (Some(statistics), Some(lines)) = (json("statistics.json"), lines("epd/endgame.epd"))
    else {
        return;
    };
    let folder = Folder::new(Metric::Dtz);
    make_all(folder.path(), Metric::Dtz, "1009");
    let mut lines_of: BTreeMap<Material, Vec<String>> = BTreeMap::new();
    for line in lines {
        let fen: Fen = line.parse().unwrap();
        let material = fen.position.material().unwrap().normal();
        lines_of.entry(material).or_default().push(line);
    }
    let (mut compared, mut positions) = (0, 0);
    for material in all_up_to(5) {
        let name = material.to_string();
        if let Some(expected) = statistics.get(&name).filter(|table| !table.is_null()) {
            let table = open(folder.path(), &material, Metric::Dtz).load().unwrap();
            compare_statistics(&table, expected);
            compared += 1;
        }
        let Some(lines) = lines_of.get(&material) else {
            continue;
        };
        let mut library = Library::default();
        for there in led_to_by(&material).iter().chain([&material]) {
            library.insert(open(folder.path(), there, Metric::Dtz).as_it_is());
        }
        for line in lines {
            compare_zeroing(line, &library);
            positions += 1;
        }
    }
    assert_eq!((compared, positions), (60, 200));
}

#[test]
#[ignore = "half an hour each: cargo test --release -p tbgen --test tables -- --ignored five_pieces"]
fn five_pieces_by_distance_to_mate() {
    let folder = Folder::new(Metric::Dtm);
    make_all(folder.path(), Metric::Dtm, "1009");
    let longest = [
        ("KRBvKR", 65),
        ("KRPvKR", 74),
        ("KBBvKN", 78),
        ("KNNvKP", 115),
        ("KQPvKQ", 124),
        ("KPPvKP", 127),
    ];
    for (name, moves) in longest {
        let table = open(folder.path(), &material(name), Metric::Dtm)
            .load()
            .unwrap();
        assert_eq!(longest_mate(&table), moves, "{name}");
    }
}
