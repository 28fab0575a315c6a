//! Index files as tables, and back.

use std::fs;
use std::path::{Path, PathBuf};

use tbindex::batch::Backend;
use tbindex::store::{Contents, IndexFile, IndexWriter, Overwrite, StoredWord, Target};
use tbindex::{Color, Enumeration, Fen, Numbering, PlacementCodec, Stage};
use tempfile::TempDir;

use crate::thorough::one_in;
use crate::{fail, succeed};

/// A folder, in which calls name files by `@`.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn call(&self, call: &str) -> String {
        call.replace('@', self.path("").to_str().unwrap())
    }

    fn succeed(&self, call: &str) {
        succeed(&self.call(call));
    }

    /// Writes one in eleven of the placements of a stage, all or the canonical ones; each if `TBINDEX_THOROUGH` is set.
    fn enumerate(&self, name: &str, contents: Contents, stage: Stage, canonical: bool) {
        let side = contents.side.unwrap_or(Color::White);
        let all = Enumeration::<u32>::try_new(contents.material, contents.numbering);
        let all = all.unwrap().stage(stage, side);
        let all = if canonical { all.canonical_only() } else { all };
        let contents = Contents {
            canonical,
            sorted: true,
            distinct: true,
            ..contents
        };
        let mut indices = Vec::new();
        for number in 0..all.chunk_count() {
            all.chunk(number, &mut indices);
        }
        let some: Vec<u32> = indices.into_iter().step_by(one_in(11)).collect();
        write(&self.path(name), contents, &some);
    }
}

fn write<W: StoredWord>(path: &Path, contents: Contents, indices: &[W]) {
    let target = Target::plain(path, Overwrite::Replace);
    let mut writer = IndexWriter::create(&target, contents, Backend::detect()).unwrap();
    writer.write(indices).unwrap();
    writer.finish().unwrap();
}

fn read<W: StoredWord>(path: &Path) -> Vec<W> {
    let file = IndexFile::open(path, Backend::detect()).unwrap();
    let mut indices = vec![W::ZERO; file.header().count as usize];
    file.reader().unwrap().read_into(0, &mut indices).unwrap();
    indices
}

fn contents(material: &str, numbering: Numbering) -> Contents {
    Contents::new(material.parse().unwrap(), numbering)
}

#[test]
fn tables_hold_what_index_files_hold() {
    let folder = Folder::new();
    for (material, numbering, canonical) in [
        ("KQvK", Numbering::Natural, false),
        ("KQvK", Numbering::Natural, true),
        ("KRRvK", Numbering::Alternate, true),
        ("KPvK", Numbering::Natural, true),
    ] {
        let black = contents(material, numbering).with_side(Some(Color::Black));
        folder.enumerate("file", black, Stage::Legal, canonical);
        folder.succeed("export @file --parquet @table --columns index,squares,fen --force");
        let expected = read::<u32>(&folder.path("file"));
        for column in ["index", "squares", "fen"] {
            folder.succeed(&format!("import @table --column {column} -o @back --force"));
            // Like pieces have another order in a FEN line than in some indices.
            if column != "fen" || canonical {
                let back = read::<u32>(&folder.path("back"));
                assert!(back == expected, "{material} {column}");
            }
        }
        folder.succeed("import @table --compress -o @back --force");
        assert!(read::<u32>(&folder.path("back")) == expected, "{material}");
        // One of the kinds alone, and the file without its metadata's help.
        for column in ["squares", "fen"] {
            let export = "export @file --parquet @table --force";
            folder.succeed(&format!("{export} --columns {column}"));
            let import = "import @table -o @back --force";
            folder.succeed(&format!("{import} --material {material}"));
        }
    }
}

#[test]
fn words_of_64_bits_and_several_tables_are_imported() {
    let folder = Folder::new();
    let contents = contents("KQRvKQR", Numbering::Natural).with_side(Some(Color::White));
    let codec = PlacementCodec::<u64>::try_new(contents.material, contents.numbering).unwrap();
    let lines = [
        "8/8/8/8/8/1q1r4/8/K1k1Q1R1 w - -",
        "8/8/8/8/8/1q1r4/8/K1k1Q2R w - -",
    ];
    let indices = lines.map(|line| {
        let fen: Fen = line.parse().unwrap();
        codec.encode(&fen.position).unwrap()
    });
    write(&folder.path("file"), contents, &indices);
    fs::create_dir(folder.path("parts")).unwrap();
    for part in ["1.parquet", "2.parquet"] {
        folder.succeed(&format!("export @file --parquet @parts/{part}"));
    }
    fs::write(folder.path("parts/_SUCCESS"), "").unwrap();
    folder.succeed("import @parts -o @both");
    assert_eq!(read::<u64>(&folder.path("both")), indices.repeat(2));

    write(
        &folder.path("other"),
        contents.with_side(Some(Color::Black)),
        &indices,
    );
    folder.succeed("export @other --parquet @parts/3.parquet");
    let says = "3.parquet: its tbindex.side is black: expected white";
    fail(1, says, &folder.call("import @parts -o @all"));
    assert!(!folder.path("all").exists());
}

#[test]
fn wrong_calls_and_tables_are_refused() {
    let folder = Folder::new();
    let refused = |call: &str, status: i32, says: &str| {
        fail(status, says, &folder.call(call));
        assert!(!folder.path("back").exists());
    };
    let kings = contents("KvK", Numbering::Natural);
    folder.enumerate("file", kings, Stage::Distinct, false);
    let fen = "export @file --parquet @table --columns fen";
    refused(fen, 2, "records no side to move: FEN lines need --side");
    let memory = "export @file --parquet @table --memory 1M";
    refused(memory, 2, "expected at least");
    folder.succeed(&format!("{fen} --side white"));
    refused(
        "export @file --parquet @table",
        1,
        "the file exists already",
    );
    fs::create_dir(folder.path("empty")).unwrap();
    for (call, status, says) in [
        ("@table --material KRvK", 1, "its tbindex.material is KvK"),
        ("@table --column index", 1, "there is no column index"),
        (
            "@table --side black",
            1,
            "row 0: white is to move: expected black",
        ),
        ("@table --memory 1M", 2, "expected at least"),
        ("@file", 1, "Invalid Parquet file"),
        ("@none", 1, "none: "),
        ("@empty", 1, "no files that end in .parquet"),
    ] {
        refused(&format!("import {call} -o @back"), status, says);
    }
    // Two pieces on one square are no line of FEN.
    let white = kings.with_side(Some(Color::White));
    folder.enumerate("shared", white, Stage::All, false);
    let export = "export @shared --parquet @other --columns fen";
    refused(export, 1, "index number 0 (0o0): two pieces stand on a1");
    assert!(!folder.path("other").exists());
}
