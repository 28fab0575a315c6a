//! `export` and `import`. What they do takes the feature `parquet`, which is not among the defaults:
//! `cargo test --features parquet --test cli parquet`

use crate::program::{Temp, failure};
#[cfg(feature = "parquet")]
use crate::program::{stdout, tbindex};

#[cfg(not(feature = "parquet"))]
#[test]
fn programs_without_parquet_say_how_to_build_one() {
    let folder = Temp::new();
    let path = folder.path("x");
    for args in [
        ["export", &path, "--parquet", &path],
        ["import", &path, "-o", &path],
    ] {
        let (status, message) = failure(&args);
        assert_eq!(status, 1);
        assert!(
            message.contains("cargo install tbindex --features parquet"),
            "{message}"
        );
    }
}

/// Writes an index file of canonical positions.
#[cfg(feature = "parquet")]
fn enumerate(folder: &Temp, material: &str, more: &[&str]) -> String {
    let path = folder.path(&format!("{material}.tbi"));
    stdout(&[&["enumerate", material, "-o", &path, "--force"], more].concat());
    path
}

#[cfg(feature = "parquet")]
#[test]
fn tables_hold_what_index_files_hold() {
    let folder = Temp::new();
    for (material, numbering) in [
        ("KQvK", "natural"),
        ("KRRvK", "alternate"),
        ("KPvK", "natural"),
    ] {
        let legal = [
            "--stage",
            "legal",
            "--side",
            "black",
            "--numbering",
            numbering,
        ];
        for how in [&legal[..], &[&legal[..], &["--reduce"]].concat()] {
            if material != "KQvK" && how.len() == legal.len() {
                continue;
            }
            let file = enumerate(&folder, material, how);
            let (table, back) = (folder.path("table.parquet"), folder.path("back.tbi"));
            let columns = "index,squares,fen";
            stdout(&[
                "export",
                &file,
                "--parquet",
                &table,
                "--columns",
                columns,
                "--force",
            ]);
            let expected = std::fs::read(&file).unwrap();
            for column in ["index", "squares", "fen"] {
                stdout(&["import", &table, "--column", column, "-o", &back, "--force"]);
                // Like pieces have another order in a FEN line than in some indices.
                if column != "fen" || how.len() > legal.len() {
                    assert!(
                        std::fs::read(&back).unwrap() == expected,
                        "{material} {column}"
                    );
                }
            }
            stdout(&["import", &table, "--compress", "-o", &back, "--force"]);
            assert_eq!(stdout(&["decode", &back]), stdout(&["decode", &file]));
            // One of the kinds alone, and the file without its metadata's help.
            for column in ["squares", "fen"] {
                stdout(&[
                    "export",
                    &file,
                    "--parquet",
                    &table,
                    "--columns",
                    column,
                    "--force",
                ]);
                stdout(&[
                    "import",
                    &table,
                    "-o",
                    &back,
                    "--force",
                    "--material",
                    material,
                ]);
            }
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn words_of_64_bits_and_several_tables_are_imported() {
    let folder = Temp::new();
    let lines = "8/8/8/8/8/1q1r4/8/K1k1Q1R1 w - -\n8/8/8/8/8/1q1r4/8/K1k1Q2R w - -\n";
    let (epd, file) = (folder.path("x.epd"), folder.path("x.tbi"));
    std::fs::write(&epd, lines).unwrap();
    stdout(&["encode", "KQRvKQR", &epd, "--side", "white", "-o", &file]);
    let (parts, both) = (folder.path("parts"), folder.path("both.tbi"));
    std::fs::create_dir(&parts).unwrap();
    for part in ["1.parquet", "2.parquet"] {
        stdout(&["export", &file, "--parquet", &format!("{parts}/{part}")]);
    }
    std::fs::write(format!("{parts}/_SUCCESS"), "").unwrap();
    stdout(&["import", &parts, "-o", &both]);
    let once = stdout(&["decode", &file]);
    assert_eq!(stdout(&["decode", &both]), once.repeat(2));
}

#[cfg(feature = "parquet")]
#[test]
fn wrong_calls_and_tables_are_refused() {
    let folder = Temp::new();
    let file = enumerate(&folder, "KvK", &["--stage", "distinct"]);
    let (table, back) = (folder.path("x.parquet"), folder.path("back.tbi"));
    let refused = |args: &[&str], expected: i32, part: &str| {
        let (status, message) = failure(args);
        assert_eq!(status, expected, "{message}");
        assert!(message.contains(part), "{message}");
        assert!(!std::path::Path::new(&back).exists());
    };
    let fen = ["export", &file, "--parquet", &table, "--columns", "fen"];
    refused(&fen, 2, "records no side to move: FEN lines need --side");
    refused(
        &[&fen[..4], &["--memory", "1M"]].concat(),
        2,
        "expected at least",
    );
    assert!(
        tbindex(&[&fen[..], &["--side", "white"]].concat())
            .status
            .success()
    );
    refused(&fen[..4], 1, "the file exists already");
    let import = ["import", &table, "-o", &back];
    refused(
        &[&import[..], &["--material", "KRvK"]].concat(),
        1,
        "its tbindex.material is KvK",
    );
    refused(
        &[&import[..], &["--column", "index"]].concat(),
        1,
        "there is no column index",
    );
    refused(
        &[&import[..], &["--side", "black"]].concat(),
        1,
        "row 0: white is to move: expected black",
    );
    refused(
        &[&import[..], &["--memory", "1M"]].concat(),
        2,
        "expected at least",
    );
    refused(&["import", &file, "-o", &back], 1, "Invalid Parquet file");
    refused(&["import", &folder.path("none"), "-o", &back], 1, "none: ");
    let empty = folder.path("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(
        &["import", &empty, "-o", &back],
        1,
        "no files that end in .parquet",
    );
    // Two pieces on one square are no line of FEN.
    let shared = enumerate(&folder, "KvK", &["--stage", "all", "--side", "white"]);
    let other = folder.path("y.parquet");
    let export = ["export", &shared, "--parquet", &other, "--columns", "fen"];
    refused(&export, 1, "index number 0 (0o0): two pieces stand on a1");
    assert!(!std::path::Path::new(&other).exists());
}
