//! Packed tables on the command line.

use std::path::Path;

use crate::{fail, folder, json, names, succeed};

/// The names of a folder's files, in order.
fn sorted(folder: &str) -> Vec<String> {
    let mut names = names(Path::new(folder));
    names.sort();
    names
}

#[test]
fn packed_tables_are_made_and_read_by_every_command() {
    let (_folder, folder) = &folder();
    let packed = &format!("{folder}/packed");
    succeed(&[
        "generate", "KPvK", "--packed", "--metric", "dtz,dtm", "-o", packed,
    ]);
    let all: Vec<String> = ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"]
        .iter()
        .flat_map(|name| ["tbgp", "tbmp"].map(|end| format!("{name}.{end}")))
        .collect();
    assert_eq!(sorted(packed), all, "no other files are left");
    let times = || -> Vec<_> {
        let files = (all.iter()).map(|name| std::fs::metadata(format!("{packed}/{name}")));
        files
            .map(|found| found.unwrap().modified().unwrap())
            .collect()
    };
    let before = times();
    succeed(&[
        "generate", "KPvK", "--packed", "--metric", "dtz,dtm", "-o", packed,
    ]);
    assert_eq!(times(), before, "they are there already");

    let tables = &format!("{folder}/tables");
    succeed(&["generate", "KPvK", "--metric", "dtz,dtm", "-o", tables]);
    let fen = "8/8/8/3k4/8/8/3KP3/8 w - - 0 1";
    for side in ["w", "b"] {
        let fen = &fen.replace(" w ", &format!(" {side} "));
        assert_eq!(
            json(&["probe", packed, fen, "--json"]),
            json(&["probe", tables, fen, "--json"])
        );
        assert_eq!(
            json(&["line", packed, fen, "--json"]),
            json(&["line", tables, fen, "--json"])
        );
    }
    for (from, to) in [("tbg", "tbgp"), ("tbm", "tbmp")] {
        let [from, to] = [(tables, from), (packed, to)].map(|(folder, end)| {
            let file = format!("{folder}/KPvK.{end}");
            json(&["stats", &file, "--json"])
        });
        assert_eq!(from, to);
    }
    let verified = json(&["verify", packed, "--json"]);
    assert_eq!(verified["tables"].as_array().unwrap().len(), 10);
    let syzygy = [tables, packed].map(|from| {
        let to = format!("{from}-syzygy");
        succeed(&["export", from, "--syzygy", &to]);
        std::fs::read(format!("{to}/KPvK.rtbz")).unwrap()
    });
    assert!(syzygy[0] == syzygy[1]);
    // Others are made of packed ones, and packed files of the same tables are the same.
    succeed(&["generate", "KPvKP", "--dry-run", "-o", packed]);
    let again = &format!("{folder}/again");
    succeed(&["export", tables, "--packed", again, "--check", "--json"]);
    assert_eq!(sorted(again), all);
    for name in &all {
        let read = |folder: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
        assert!(read(again) == read(packed), "{name}");
    }
    succeed(&["generate", "KPvKB", "-o", packed]);
    let made = std::fs::read(format!("{packed}/KBvKP.tbg"));
    assert!(made.is_ok() && !Path::new(&format!("{packed}/KPvK.tbg")).exists());
}

#[test]
fn damaged_packed_tables_are_named() {
    let (_folder, folder) = &folder();
    succeed(&["generate", "KRvK", "--packed", "-o", folder]);
    let path = format!("{folder}/KRvK.tbgp");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let says = "KRvK.tbgp: page 0 of the data is damaged";
    fail(&["probe", folder, "8/8/8/1k6/8/8/K6R/8 w - - 0 1"], 1, says);
    fail(&["verify", folder], 1, says);
    fail(&["stats", &path], 1, says);
    let message = "tables of chess of at most 5 pieces are packed";
    fail(
        &["generate", "K[WD]NvK", "--packed", "-o", folder],
        1,
        message,
    );
    fail(
        &["generate", "KRvK", "--packed", "--no-write"],
        2,
        "--packed",
    );
    fail(
        &["export", folder, "--packed", folder, "--syzygy", folder],
        2,
        "--packed",
    );
}
