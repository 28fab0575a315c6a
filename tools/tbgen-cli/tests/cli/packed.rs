//! Packed tables on the command line.

use std::path::Path;

use crate::{damage, folder, names, succeed};

#[test]
fn packed_tables_are_made_and_read_by_every_command() {
    let (_folder, folder) = &folder();
    let packed = &format!("{folder}/packed");
    let generate = format!("generate KPvK --packed --metric dtm -o {packed}");
    succeed(&generate);
    let all: Vec<String> = ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"]
        .iter()
        .map(|name| format!("{name}.tbmp"))
        .collect();
    assert_eq!(names(packed), all, "no other files are left");
    let times = || -> Vec<_> {
        let files = (all.iter()).map(|name| std::fs::metadata(format!("{packed}/{name}")));
        files
            .map(|found| found.unwrap().modified().unwrap())
            .collect()
    };
    let before = times();
    succeed(&generate);
    assert_eq!(times(), before, "they are there already");

    let tables = &format!("{folder}/tables");
    succeed!("generate KPvK --metric dtm -o {tables}");
    let fen = "8/8/8/3k4/8/8/3KP3/8 w - - 0 1";
    for side in ["w", "b"] {
        let fen = &fen.replace(" w ", &format!(" {side} "));
        for command in ["probe", "line"] {
            let answer = |folder: &str| report!("{command} --tables {folder} '{fen}' --json");
            assert_eq!(answer(packed), answer(tables));
        }
    }
    let counts = [(tables, "tbm"), (packed, "tbmp")]
        .map(|(folder, end)| report!("stats {folder}/KPvK.{end} --json"));
    assert_eq!(counts[0], counts[1]);
    let verified = report!("verify --tables {packed} --json");
    assert_eq!(verified["tables"].as_array().unwrap().len(), 5);
    // Others are made of packed ones, and packed files of the same tables are the same.
    succeed!("generate KPvKP --metric dtm --dry-run -o {packed}");
    let again = &format!("{folder}/again");
    succeed!("export --tables {tables} --packed {again} --check --json");
    assert_eq!(names(again), all);
    for name in &all {
        let read = |folder: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
        assert!(read(again) == read(packed), "{name}");
    }
    succeed!("generate KPvKB --metric dtm -o {packed}");
    let made = std::fs::read(format!("{packed}/KBvKP.tbm"));
    assert!(made.is_ok() && !Path::new(&format!("{packed}/KPvK.tbm")).exists());
}

#[test]
fn damaged_packed_tables_are_named() {
    let (_folder, folder) = &folder();
    succeed!("generate KRvK --packed --metric dtm -o {folder}");
    let path = format!("{folder}/KRvK.tbmp");
    damage(&path, |length| length - 100);
    let says = "KRvK.tbmp: page 0 of the data is damaged";
    fail!(
        1,
        says,
        "probe --tables {folder} '8/8/8/1k6/8/8/K6R/8 w - - 0 1'"
    );
    fail!(1, says, "verify --tables {folder}");
    fail!(1, says, "stats {path}");
    let message = "tables of chess of at most 5 pieces are packed";
    fail!(2, message, "generate K[WD]NvK --packed -o {folder}");
    fail!(2, "--packed", "generate KRvK --packed --no-write");
    // By the distance to zeroing there are Syzygy files.
    let zeroing = "packed files have distances to mate";
    fail!(
        2,
        "expected --metric dtm",
        "generate KRvK --packed -o {folder}/new"
    );
    assert!(!std::path::Path::new(&format!("{folder}/new")).exists());
    fail!(
        2,
        zeroing,
        "generate KRvK --packed --metric dtz -o {folder}"
    );
    fail!(
        2,
        zeroing,
        "export --tables {folder} --packed {folder} --metric dtz"
    );
    let both = format!("export --tables {folder} --packed {folder} --syzygy {folder}");
    fail!(2, "--packed", "{both}");
}
