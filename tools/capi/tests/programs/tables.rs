//! Values of positions by Syzygy files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use syzygy_tables::cozy_chess::Board;
use syzygy_tables::{Error, Tables, Wdl};
use tbindex::{Color, Material, Moves, Numbering, PlacementCodec};

use crate::answers::Sum;
use crate::building::{Language, Linked, has, installed, output, skipped};

/// A folder with published files, if it is on this machine.
pub(crate) fn published() -> Option<PathBuf> {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    let folder = std::env::var_os("SYZYGY_TABLES").map_or(there, PathBuf::from);
    let is_there = folder.join("KQvKR.rtbw").exists();
    if !is_there {
        skipped("there are no Syzygy files; SYZYGY_TABLES names their folder");
    }
    is_there.then_some(folder)
}

/// The words of a value as the program adds them.
fn add(sum: &mut Sum, [wdl, dtz, flags]: [i32; 3]) {
    sum.add_all([wdl, dtz, flags].map(|word| i64::from(word) as u64));
}

fn expected(tables: &Tables) -> String {
    let (mut text, mut lost) = (String::new(), 0);
    for name in ["KQvKR", "KvKP"] {
        let material: Material = name.parse().unwrap();
        let codec = PlacementCodec::<u32>::try_new(material, Numbering::Natural).unwrap();
        let moves = Moves::<u32>::try_new(material, Numbering::Natural).unwrap();
        for side in Color::ALL {
            let [mut outcomes, mut values, mut known] = [Sum::new(), Sum::new(), Sum::new()];
            let (mut all, mut legal) = (0, 0);
            let count = 1u32 << (6 * material.piece_count());
            for index in (0..count).step_by(((count / 4099) | 1) as usize) {
                all += 1;
                if !moves.is_legal(index, side) {
                    add(&mut outcomes, [0; 3]);
                    add(&mut values, [0; 3]);
                    continue;
                }
                legal += 1;
                let fen = codec.decode(index, side).unwrap().to_string();
                let board: Board = fen.parse().unwrap();
                let (wdl, dtz) = tables.probe(&board).unwrap();
                let mated = wdl == Wdl::Loss && !board.generate_moves(|_| true);
                let plies = if mated { 0 } else { dtz.plies };
                let value = [wdl as i32, plies, 7 + 8 * i32::from(dtz.exact)];
                add(&mut outcomes, [wdl as i32, 0, 3]);
                add(&mut values, value);
                add(&mut known, value);
            }
            writeln!(
                text,
                "{name} {all} {}\n{name} {all} {}",
                outcomes.0, values.0
            )
            .unwrap();
            let of_known = format!("known {legal} {}\n", known.0);
            text += &of_known.repeat(2);
            lost += 3 * (all - legal);
        }
    }
    writeln!(text, "{lost} have no value").unwrap();
    text
}

#[test]
fn values_are_those_of_the_files() {
    let (Some(_), Some(folder)) = (installed(), published()) else {
        return;
    };
    if !has("c++") {
        return;
    }
    let way = (Language::Cpp17, Linked::Shared);
    let found = output("tests/c/tables.cpp", way, &folder);
    let (values, failures): (Vec<_>, Vec<_>) = found.lines().partition(|line| !line.contains(": "));
    let count = |line: &str| line.split_once(": ").unwrap().0.parse::<u64>().unwrap();
    let lost: u64 = failures.iter().map(|line| count(line)).sum();
    assert!(
        failures.iter().all(|line| line.contains("not legal")),
        "{failures:?}"
    );
    let tables = Tables::open(&folder).unwrap();
    let text = format!("{}\n{lost} have no value\n", values.join("\n"));
    assert_eq!(text, expected(&tables));
}

#[test]
fn missing_files_are_counted_by_their_names() {
    if installed().is_none() || !has("c++") {
        return;
    }
    let empty = tempfile::tempdir().unwrap();
    let found = output(
        "tests/c/tables.cpp",
        (Language::Cpp17, Linked::Shared),
        empty.path(),
    );
    assert!(found.contains("known 0 "), "{found}");
    assert!(found.contains(": KQvKR.rtbw\n"), "{found}");
    assert!(!found.contains("differ"), "{found}");
    // The name is what the library says of such a board.
    let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse().unwrap();
    let missing = Tables::open(empty.path()).unwrap().probe_wdl(&board);
    assert!(matches!(missing, Err(Error::Missing { .. })));
}
