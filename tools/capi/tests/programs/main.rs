//! Programs in C and C++, as their authors build and run them: with the library that the Makefile installs,
//! compiled by the system's compiler as C11 and as C++17, linked with the shared and with the static library.
//!
//! Where a tool is missing, a line that begins with SKIPPED says so: a skip must not look like a pass. With
//! `TBINDEX_THOROUGH=1`, CMake, all of C++ under valgrind, the sanitizers and other compilers are tested, too.

mod answers;
mod building;
mod install;
mod memory;
mod pages;
mod tables;

use std::path::Path;
use std::process::Command;

use building::{Language, Linked, folder, has, installed, output, printed, skipped, ways};
use tbindex::batch::Backend;
use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
use tbindex::{
    Color, Compact, Dense, Diagonal, Equivalence, Layout, Material, Numbering, Rules, Square,
    Symmetry,
};

/// The expected output of `examples/tour.c`, from the library itself.
fn tour_by_the_library() -> String {
    use std::fmt::Write;
    let material: Material = "KQvKR".parse().unwrap();
    let layout = Layout::<u32>::try_new(material.piece_count(), Numbering::Natural).unwrap();
    let same = Equivalence::<u32>::try_new(material, Numbering::Natural).unwrap();
    let dense = Compact::<u32>::try_new(
        material,
        Numbering::Natural,
        Rules::KingsApart,
        Diagonal::Exact,
    )
    .unwrap();
    let order: String = material.index_order().map(char::from).collect();
    let positions = [
        ["h8", "c3", "d1", "a1"],
        ["a8", "f3", "e1", "h1"],
        ["b2", "b7", "g7", "b1"],
    ];
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{line}").unwrap();
    line(format!("pieces {order}, 4 of them, in words of 4 bytes"));
    line(format!("{} slots", dense.size()));
    let mut first = String::new();
    let mut reduced = Vec::new();
    for squares in positions {
        let squares = squares.map(|name| name.parse::<Square>().unwrap());
        let index = layout.encode(&squares);
        let (canonical, symmetry) = same.canonical_with_symmetry(index);
        let slot = dense.rank(canonical).expect("the kings are apart");
        line(format!(
            "index 0o{index:08o} canonical 0o{canonical:08o} symmetry {} orbit {} slot {slot}",
            symmetry as u8,
            same.orbit_size(index)
        ));
        if first.is_empty() {
            let again = layout.decode(dense.unrank(slot));
            for (letter, square) in order.chars().zip(again) {
                write!(first, "{letter}{square} ").unwrap();
            }
        }
        assert_eq!(
            layout.flip(Symmetry::Rotate270, layout.flip(Symmetry::Rotate90, index)),
            index
        );
        reduced.push(canonical);
    }
    line(first);
    line("there and back: same".to_owned());
    let asked = reduced[0];
    reduced.sort_unstable();
    reduced.dedup();
    line(format!("read 3, reduced to {}", reduced.len()));
    for (position, index) in reduced.iter().enumerate() {
        line(format!("position {position}: 0o{index:08o}"));
    }
    let at = reduced.binary_search(&asked).unwrap();
    line(format!("the first one is at {at}, there"));
    line("0 is missing".to_owned());
    text
}

#[test]
fn the_tour_prints_the_library_s_answers() {
    if installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let expected = tour_by_the_library();
    for way in ways() {
        assert_eq!(
            output("examples/tour.c", way, temp.path()),
            expected,
            "{way:?}"
        );
    }
}

/// Writes a reduced file of KQvKR with White to move.
pub(crate) fn write_reduced(path: &Path, indices: &[u32]) {
    let contents = Contents::new("KQvKR".parse().unwrap(), Numbering::Natural);
    let contents = contents.with_side(Some(Color::White)).reduced();
    let target = Target::plain(path, Overwrite::Refuse);
    let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect()).unwrap();
    writer.write(indices).unwrap();
    writer.finish().unwrap();
}

/// A folder with `reduced.tbi`, as the tour leaves it.
pub(crate) fn with_reduced() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let material = "KQvKR".parse().unwrap();
    let same = Equivalence::<u32>::try_new(material, Numbering::Natural).unwrap();
    let mut indices = [0o270327, 0o1234567, 0o7654321].map(|index| same.canonical(index));
    indices.sort_unstable();
    write_reduced(&temp.path().join("reduced.tbi"), &indices);
    temp
}

#[test]
fn abuse_is_answered_by_statuses() {
    if installed().is_none() {
        return;
    }
    let temp = with_reduced();
    for way in ways() {
        let text = output("tests/c/abuse.c", way, temp.path());
        assert!(text.ends_with(" 0 wrong\n"), "{way:?}: {text}");
    }
}

#[test]
fn threads_share_handles_and_have_their_own_messages() {
    if installed().is_none() {
        return;
    }
    let temp = with_reduced();
    let way = (Language::C11, Linked::Shared);
    let text = output("tests/c/threads.c", way, temp.path());
    assert_eq!(text, "8 threads agree\n");
}

/// The names that the header declares as functions.
fn declared() -> Vec<String> {
    let header = std::fs::read_to_string(folder().join("include/tbindex.h")).unwrap();
    let mut names = Vec::new();
    for line in header
        .lines()
        .filter(|line| !line.starts_with([' ', '/', '#']))
    {
        let Some((before, _)) = line.split_once('(') else {
            continue;
        };
        let name = before.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("tbi_") && !line.starts_with("typedef") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names
}

#[test]
fn the_shared_library_exports_what_the_header_declares() {
    let Some(prefix) = installed() else {
        return;
    };
    if !cfg!(target_os = "linux") || !has("nm") || !has("readelf") {
        skipped("symbols are looked at with nm and readelf on Linux");
        return;
    }
    let library = prefix.join("lib/libtbindex.so");
    let symbols = printed(
        Command::new("nm")
            .args(["-D", "--defined-only"])
            .arg(&library),
    );
    let mut exported: Vec<_> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    exported.sort_unstable();
    assert_eq!(exported, declared());
    let dynamic = printed(Command::new("readelf").arg("-d").arg(&library));
    let soname = format!("[libtbindex.so.{}]", tbindex_capi::TBI_ABI_VERSION);
    assert!(dynamic.contains(&soname), "{dynamic}");
}
