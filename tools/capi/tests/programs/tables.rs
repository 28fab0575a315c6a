//! Values of positions by tables.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syzygy_tables::writer::Control;
use tbgen::{
    Evaluation, GamePosition, Letters, Library, Metric, Options, Table, Tables, needed_by, pack,
    solve,
};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Color, Material, Moves, Numbering, PlacementCodec};

use crate::answers::Sum;
use crate::building::{Language, Linked, has, installed, output, skipped};

/// A folder with published files, if it is on this machine.
fn published() -> Option<PathBuf> {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
    let folder = std::env::var_os("SYZYGY_TABLES").map_or(there, PathBuf::from);
    let is_there = folder.join("KQvKR.rtbw").exists();
    if !is_there {
        skipped("there are no Syzygy files; SYZYGY_TABLES names their folder");
    }
    is_there.then_some(folder)
}

/// A folder with own tables of three materials and what they lead to, by both metrics, one of them packed.
pub(crate) fn own() -> &'static Path {
    static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        for metric in [Metric::Dtz, Metric::Dtm] {
            let mut library = Library::default();
            let names = ["KRvKN", "KQvKR", "KPvK"].map(|name| name.parse::<Material>().unwrap());
            for needed in names.iter().flat_map(needed_by) {
                if library.get(&needed).is_some() {
                    continue;
                }
                let stop = false.into();
                let options = Options::new(metric, Backend::detect(), &stop);
                let table = solve(&needed, &library, options).unwrap();
                if needed == names[1] && metric == Metric::Dtm {
                    let path = Table::packed_path(folder.path(), needed, metric).unwrap();
                    let begun = PartialFile::create(&path, Overwrite::Refuse).unwrap();
                    library.insert(table);
                    let table = library.get(&needed).unwrap();
                    let control = Control::default();
                    pack(table, &library, begun, Backend::detect(), control).unwrap();
                    continue;
                }
                let path = Table::path(folder.path(), needed, metric);
                table.write(&path, Overwrite::Refuse).unwrap();
                library.insert(table);
            }
        }
        folder
    });
    FOLDER.path()
}

/// The words of a value with these distances as the program adds them: the outcome, the distances and the flags.
fn words(of: &Evaluation, with_dtz: bool, with_dtm: bool) -> [i32; 4] {
    let dtz = of.dtz.filter(|_| with_dtz);
    let dtm = of.dtm.filter(|_| with_dtm);
    let exact = dtz.is_some() && of.exact;
    let flags = [true, true, dtz.is_some(), exact, dtm.is_some()];
    let flags = (0..).zip(flags).map(|(bit, is)| i32::from(is) << bit).sum();
    [
        of.outcome as i32,
        dtz.map_or(0, |value| value.signed(Metric::Dtz).into()),
        dtm.map_or(0, |value| value.signed(Metric::Dtm).into()),
        flags,
    ]
}

fn add(sum: &mut Sum, [wdl, dtz, dtm, flags]: [i32; 4]) {
    sum.add_all([wdl, dtz, dtm, flags].map(|word| i64::from(word) as u64));
}

fn expected(tables: &Tables) -> String {
    let (mut text, mut lost) = (String::new(), 0);
    for name in ["KQvKR", "KvKP"] {
        let material: Material = name.parse().unwrap();
        let codec = PlacementCodec::<u32>::try_new(material, Numbering::Natural).unwrap();
        let moves = Moves::<u32>::try_new(material, Numbering::Natural).unwrap();
        let count = 1u32 << (6 * material.piece_count());
        let indices = (0..count).step_by(((count / 4099) | 1) as usize);
        let indices: Vec<u32> = indices.collect();
        for side in Color::ALL {
            let mut sums = [Sum::new(), Sum::new(), Sum::new()];
            let (mut known, mut legal) = (Sum::new(), 0);
            for &index in &indices {
                let mut all = [[0; 4]; 3];
                if moves.is_legal(index, side) {
                    legal += 1;
                    let fen = codec.decode(index, side).unwrap().to_string();
                    let position = GamePosition::parse(&fen, &Letters::default()).unwrap();
                    let answer = tables.answer(&position).unwrap().evaluation;
                    let wanted = [(false, false), (false, true), (true, true)];
                    all = wanted.map(|(dtz, dtm)| words(&answer, dtz, dtm));
                    add(&mut known, all[2]);
                }
                for (sum, words) in sums.iter_mut().zip(all) {
                    add(sum, words);
                }
            }
            for sum in sums {
                writeln!(text, "{name} {} {}", indices.len(), sum.0).unwrap();
            }
            text += &format!("known {legal} {}\n", known.0).repeat(2);
            lost += 3 * (indices.len() - legal);
        }
        // The positions of both sides in one call, by indices and by rows.
        let side = |number: usize| match number % 3 {
            0 => Color::White,
            _ => Color::Black,
        };
        let all = indices.iter().enumerate();
        let illegal = all.filter(|&(number, &index)| !moves.is_legal(index, side(number)));
        lost += 2 * illegal.count();
    }
    writeln!(text, "{lost} have no value").unwrap();
    text
}

/// Compares what a program prints of a folder with single answers.
fn compare(folder: &Path) {
    let way = (Language::Cpp17, Linked::Shared);
    let found = output("tests/c/tables.cpp", way, folder);
    let (values, failures): (Vec<_>, Vec<_>) = found.lines().partition(|line| !line.contains(": "));
    let count = |line: &str| line.split_once(": ").unwrap().0.parse::<u64>().unwrap();
    let lost: u64 = failures.iter().map(|line| count(line)).sum();
    assert!(
        failures.iter().all(|line| line.contains("not legal")),
        "{failures:?}"
    );
    let text = format!("{}\n{lost} have no value\n", values.join("\n"));
    assert_eq!(text, expected(&Tables::open(&[folder]).unwrap()));
}

#[test]
fn values_are_those_of_published_files() {
    if let (Some(_), true, Some(folder)) = (installed(), has("c++"), published()) {
        compare(&folder);
    }
}

#[test]
fn values_are_those_of_own_tables() {
    if installed().is_some() && has("c++") {
        compare(own());
    }
}

#[test]
fn missing_files_are_counted_by_their_names() {
    if installed().is_none() || !has("c++") {
        return;
    }
    let empty = tempfile::tempdir().unwrap();
    let way = (Language::Cpp17, Linked::Shared);
    let found = output("tests/c/tables.cpp", way, empty.path());
    assert!(found.contains("known 0 "), "{found}");
    assert!(found.contains(": KQvKR\n"), "{found}");
    assert!(found.contains(": KPvK\n"), "{found}");
    assert!(!found.contains("differ"), "{found}");
}
