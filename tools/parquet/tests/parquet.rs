//! `export` and `import`. What they do takes the feature `parquet`, which is not among the defaults:
//! `cargo test --features parquet --test cli parquet`

use crate::program::Folder;
use crate::support::says::says;

#[cfg(not(feature = "parquet"))]
#[test]
fn programs_without_parquet_say_how_to_build_one() {
    for line in ["export x --parquet x", "import x -o x"] {
        let refused = Folder::new().run(line).failure(1);
        says(refused, &["cargo install tbindex --features parquet"]);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn tables_hold_what_index_files_hold() {
    let folder = Folder::new();
    for (material, how, canonical) in [
        ("KQvK", "natural", false),
        ("KQvK", "natural --reduce", true),
        ("KRRvK", "alternate --reduce", true),
        ("KPvK", "natural --reduce", true),
    ] {
        folder.stdout(&format!(
            "enumerate {material} -o file --force --stage legal --side black --numbering {how}"
        ));
        folder.stdout("export file --parquet table --columns index,squares,fen --force");
        let expected = folder.read("file");
        for column in ["index", "squares", "fen"] {
            folder.stdout(&format!("import table --column {column} -o back --force"));
            // Like pieces have another order in a FEN line than in some indices.
            if column != "fen" || canonical {
                assert!(folder.read("back") == expected, "{material} {column}");
            }
        }
        folder.stdout("import table --compress -o back --force");
        assert_eq!(folder.stdout("decode back"), folder.stdout("decode file"));
        // One of the kinds alone, and the file without its metadata's help.
        for column in ["squares", "fen"] {
            let export = "export file --parquet table --force";
            folder.stdout(&format!("{export} --columns {column}"));
            let import = "import table -o back --force";
            folder.stdout(&format!("{import} --material {material}"));
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn words_of_64_bits_and_several_tables_are_imported() {
    let folder = Folder::new();
    let lines = "8/8/8/8/8/1q1r4/8/K1k1Q1R1 w - -\n8/8/8/8/8/1q1r4/8/K1k1Q2R w - -\n";
    let encoded = folder.with_input("encode KQRvKQR - --side white -o file", lines);
    encoded.success();
    std::fs::create_dir(folder.path("parts")).unwrap();
    for part in ["1.parquet", "2.parquet"] {
        folder.stdout(&format!("export file --parquet parts/{part}"));
    }
    folder.write("parts/_SUCCESS", "");
    folder.stdout("import parts -o both");
    let once = folder.stdout("decode file");
    assert_eq!(folder.stdout("decode both"), once.repeat(2));
}

#[cfg(feature = "parquet")]
#[test]
fn wrong_calls_and_tables_are_refused() {
    let folder = Folder::new();
    let refused = |line: &str, status: i32, part: &str| {
        says(folder.run(line).failure(status), &[part]);
        assert!(!folder.path("back").exists());
    };
    folder.stdout("enumerate KvK --stage distinct -o file");
    let fen = "export file --parquet table --columns fen";
    refused(fen, 2, "records no side to move: FEN lines need --side");
    let memory = "export file --parquet table --memory 1M";
    refused(memory, 2, "expected at least");
    folder.stdout(&format!("{fen} --side white"));
    refused("export file --parquet table", 1, "the file exists already");
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (line, status, part) in [
        ("table --material KRvK", 1, "its tbindex.material is KvK"),
        ("table --column index", 1, "there is no column index"),
        (
            "table --side black",
            1,
            "row 0: white is to move: expected black",
        ),
        ("table --memory 1M", 2, "expected at least"),
        ("file", 1, "Invalid Parquet file"),
        ("none", 1, "none: "),
        ("empty", 1, "no files that end in .parquet"),
    ] {
        refused(&format!("import {line} -o back"), status, part);
    }
    // Two pieces on one square are no line of FEN.
    folder.stdout("enumerate KvK --stage all --side white -o shared");
    let export = "export shared --parquet other --columns fen";
    refused(export, 1, "index number 0 (0o0): two pieces stand on a1");
    assert!(!folder.path("other").exists());
}
