//! All 145 tables of three to five pieces, which take minutes, and much more in a build without optimisation. They go to
//! files, as the program makes them: some gigabytes for either metric.

use std::collections::BTreeMap;
use std::iter::repeat_n;
use std::path::{Path, PathBuf};
use std::process::Command;

use cozy_chess as chess;
use tbgen::{
    GamePosition, Library, Metric, Table, TableFile, Tables, all_up_to, led_to_by, needed_by,
};
use tbindex::{Fen, Material};
use tempfile::TempDir;

use crate::en_passant::TwoSteps;
use crate::published::{compare_statistics, compare_zeroing, json, lines, longest_mate};
use crate::random::Random;
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
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--release", "--quiet", "-p", "tbgen-cli", "--"]);
    let status = cargo.args(arguments).status().unwrap();
    assert!(status.success(), "{arguments:?}");
}

/// Makes all tables of up to five pieces in a folder, and checks one in so many positions by their moves.
fn make_all(folder: &Path, metric: Metric, one_in: &str) {
    let (folder, metric) = (folder.to_str().unwrap(), metric.name());
    run(&["generate", "--all", "5", "--metric", metric, "-o", folder]);
    run(&["verify", "--tables", folder, "--one-in", one_in]);
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
            let table = open(folder.path(), &material, Metric::Dtz)
                .load(None, &false.into())
                .unwrap();
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
    for (name, moves) in [
        ("KRBvKR", 65),
        ("KRPvKR", 74),
        ("KBBvKN", 78),
        ("KNNvKP", 115),
        ("KQPvKQ", 124),
        ("KPPvKP", 127),
    ] {
        let file = open(folder.path(), &material(name), Metric::Dtm);
        assert_eq!(
            longest_mate(&file.load(None, &false.into()).unwrap()),
            moves,
            "{name}"
        );
    }
}

/// Positions of KNPvKP in which a pawn's two steps may be answered en passant, with either colour to move: both ways of
/// standing beside each other on each file, and for each some of the other squares.
fn before_double_steps() -> impl Iterator<Item = chess::Board> {
    let mut random = Random::new(1);
    let pawns = chess::Color::ALL.into_iter().flat_map(TwoSteps::all);
    let pawns = pawns.flat_map(|steps| repeat_n(steps, 60));
    pawns.filter_map(move |steps| {
        let [white, black] = chess::Color::ALL;
        let men = [
            (white, chess::Piece::King),
            (black, chess::Piece::King),
            (white, chess::Piece::Knight),
        ];
        steps.board(&men.map(|(color, piece)| (color, piece, random.bits(6) as usize)))
    })
}

/// The value that a packed file has after a pawn's two steps leaves captures en passant out: answers equal those of tables.
#[test]
#[ignore = "ten minutes: cargo test --release -p tbgen --test tables -- --ignored double_steps"]
fn double_steps_by_packed_files() {
    let name = material("KNPvKP");
    for metric in [Metric::Dtm] {
        let folder = Folder::new(metric);
        let packed = folder.path().join("packed");
        let [own, out] = [folder.path(), &packed].map(|path| path.to_str().unwrap());
        let by = ["--metric", metric.name()];
        run(&[&["generate", "KNPvKP", "-o", own][..], &by].concat());
        for needed in needed_by(&name) {
            if !Table::packed_path(&packed, needed, metric)
                .unwrap()
                .exists()
            {
                let table = ["--table", &needed.to_string()];
                run(&[
                    &["export", "--tables", own, "--packed", out][..],
                    &by,
                    &table,
                ]
                .concat());
            }
        }
        let [tables, packed] = [folder.path(), &packed].map(|path| Tables::open(&[path]).unwrap());
        let (mut compared, mut sides) = (0, [false; 2]);
        for fen in before_double_steps().map(|board| board.to_string()) {
            let asked = GamePosition::parse(&fen, &Default::default()).unwrap();
            let [expected, found] =
                [&tables, &packed].map(|tables| tables.value(metric, &asked).unwrap());
            assert_eq!(found, expected, "{fen}");
            compared += 1;
            sides[usize::from(fen.contains(" w "))] = true;
        }
        assert!(compared > 500 && sides == [true; 2], "{compared} positions");
    }
}
