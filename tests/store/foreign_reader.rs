//! The format page is enough to write a reader from: `tools/read_index.py` was, and it agrees.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tbindex::store::Contents;
use tbindex::{Color, Numbering, Word};

use crate::support::contents::{contents, sorted, write, write_compact};
use crate::support::folder::Folder;
use crate::support::random::Random;
use crate::support::skipped::skipped;

/// The output of the reader in Python for a file; `None` where there is no Python.
fn read(path: &Path) -> Option<Output> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/read_index.py");
    match Command::new("python3").arg(reader).arg(path).output() {
        Ok(output) => Some(output),
        Err(error) => {
            skipped(
                "the reader in Python",
                &format!("python3 can't be run ({error})"),
            );
            None
        }
    }
}

fn agrees<W: Word>(path: &Path, header: [&str; 4], indices: &[W]) {
    let Some(output) = read(path) else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    for expected in header {
        assert_eq!(lines.next().unwrap(), expected);
    }
    let expected: Vec<String> = indices.iter().map(|x| format!("{x:#o}")).collect();
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn a_reader_written_from_the_format_page_agrees() {
    let folder = Folder::new();
    let path = folder.path("x");
    let mut narrow: Vec<u32> = Random::new(4).numbers(40_000, 24);
    let plain = contents("KQvKR").with_side(Some(Color::Black));
    write(&path, plain, &narrow).unwrap();
    agrees(
        &path,
        [
            "pieces rQkK first to leading",
            "numbering natural group D4",
            "side black count 40000 kind plain",
            "canonical 0 sorted 0 distinct 0",
        ],
        &narrow,
    );

    narrow.sort_unstable();
    let wide: Vec<u64> = narrow.iter().map(|&x| u64::from(x) << 17 | 5).collect();
    let compact = Contents {
        numbering: Numbering::Alternate,
        ..sorted("KPPPvKBN")
    };
    let path = folder.path("y");
    write_compact(&path, compact, &wide).unwrap();
    agrees(
        &path,
        [
            "pieces nbPPPkK first to leading",
            "numbering alternate group file mirror",
            "side none count 40000 kind compact",
            "canonical 0 sorted 1 distinct 0",
        ],
        &wide,
    );

    let mut bytes = fs::read(&path).unwrap();
    bytes[30_000] ^= 8;
    fs::write(&path, &bytes).unwrap();
    if let Some(output) = read(&path) {
        assert!(!output.status.success());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("damaged block 0"), "{errors}");
    }
}
