//! Runs of `generate` that are killed at named points, one after the other, and the last of which makes the files.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::held::Held;
use crate::{PROGRAM, json, made, names, succeed, tables};

/// Kills a run at a point that it has passed so many times before.
pub(crate) fn kill((point, passes): (&str, u32), arguments: &[&str]) {
    let mut held = Held::at(point, passes, Command::new(PROGRAM).args(arguments));
    held.child.kill().unwrap();
    let (status, _) = held.go_on();
    assert_eq!(status.code(), None, "{point}");
}

/// Whatever has its name already has to be complete.
fn nothing_is_false(folder: &Path, expected: &[(String, Vec<u8>)], point: &str) {
    let is_checkpoint = |name: &str| name.ends_with(".plies") || name.ends_with(".mates");
    for file in tables(folder) {
        let known = is_checkpoint(&file.0) || expected.contains(&file);
        assert!(known, "{} at {point}", file.0);
    }
}

/// All is there in the end, and nothing else.
fn all_is_there(folder: &Path, expected: &[(String, Vec<u8>)]) {
    assert!(tables(folder) == expected);
    let names = names(folder);
    assert_eq!(names.len(), expected.len(), "something is left: {names:?}");
}

#[test]
fn small_tables_without_and_with_pawns_by_both_metrics() {
    let [whole, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [straight, path] = [&whole, &folder].map(|folder| folder.path().to_str().unwrap());
    let all = [
        "generate",
        "--all",
        "3",
        "--metric",
        "dtz,dtm",
        "--threads",
        "1",
        "--json",
        "-o",
    ];
    succeed(&[&all[..], &[straight]].concat());
    let expected = tables(whole.path());
    let arguments = [&all[..], &[path]].concat();
    // The five tables by dtz, one after the other, and then all by dtm. Each has two runs of blocks.
    for at in [
        ("tbgen::solved", 0),
        ("tbgen::blocks_written", 0),
        ("tbgen::table_before_rename", 0),
        ("tbgen::table_renamed", 1),
        ("tbgen::blocks_written", 3),
        ("tbgen::solved", 2),
        ("tbgen::table_opened", 3),
        ("tbgen::blocks_written", 1),
        ("tbgen::table_renamed", 0),
        ("tbgen::solved", 2),
        ("tbgen::table_renamed", 0),
        ("tbgen::table_before_rename", 0),
    ] {
        kill(at, &arguments);
        nothing_is_false(folder.path(), &expected, at.0);
    }
    let there = tables(folder.path()).len();
    assert!(there > 5, "{there}");
    let report = made(&json(&arguments));
    let solved = report.iter().filter(|table| table.2).count();
    assert_eq!(solved, expected.len() - there);
    all_is_there(folder.path(), &expected);
}

/// By the checkpoint, in memory and with sets on disk in turn.
#[test]
fn a_large_table_goes_on_from_its_checkpoint() {
    for metric in ["dtz", "dtm"] {
        let name = "KNNvKN";
        let [whole, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [straight, path] = [&whole, &folder].map(|folder| folder.path().to_str().unwrap());
        let make = |folder| ["generate", name, "--metric", metric, "-o", folder];
        succeed(&make(straight));
        let expected = tables(whole.path());
        let extension = if metric == "dtz" { "tbg" } else { "tbm" };
        let own = format!("{name}.{extension}");
        for (file, bytes) in expected.iter().filter(|(file, _)| *file != own) {
            std::fs::write(folder.path().join(file), bytes).unwrap();
        }
        // The least memory that will do is that with sets on disk.
        let estimate = json(&["estimate", name, "--metric", metric, "--json"]);
        assert_eq!(estimate["plans"][0]["sets"], "disk");
        let least = estimate["plans"][0]["memory"].to_string();
        let other = tempfile::tempdir().unwrap();
        let journal = other.path().join("journal");
        let journal = journal.to_str().unwrap();
        let in_memory = [&make(path)[..], &["--log", journal]].concat();
        let on_disk = [&in_memory[..], &["--memory", &least]].concat();
        for (k, at) in [
            ("tbgen::checkpoint_begun", 0),
            ("tbgen::ply_recorded", 0),
            ("tbgen::ply_recorded", 0),
            ("tbgen::ply_recorded", 1),
            ("tbgen::ply_recorded", 4),
            ("tbgen::ply_recorded", 3),
            ("tbgen::solved", 0),
            ("tbgen::blocks_written", 9),
            ("tbgen::table_before_rename", 0),
            ("tbgen::table_renamed", 0),
        ]
        .into_iter()
        .enumerate()
        {
            kill(at, [&on_disk, &in_memory][k % 2]);
            nothing_is_false(folder.path(), &expected, at.0);
        }
        assert_eq!(
            names(folder.path()).len(),
            expected.len() + 1,
            "and the checkpoint"
        );
        succeed(&on_disk);
        all_is_there(folder.path(), &expected);
        // No ply was found twice.
        let lines = std::fs::read_to_string(journal).unwrap();
        let mut plies = BTreeSet::new();
        for line in lines.lines() {
            let line: Json = serde_json::from_str(line).unwrap();
            assert_eq!(line["table"], Json::from(name));
            assert!(line["checkpoint_bytes"].as_u64() > Some(64), "{line}");
            assert!(
                plies.insert((line["winner"].to_string(), line["plies"].as_u64())),
                "{line}"
            );
        }
        assert!(plies.len() > 8, "{lines}");
    }
}

#[test]
fn syzygy_files() {
    let [whole, folder] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [straight, path] = [&whole, &folder].map(|folder| folder.path().to_str().unwrap());
    let make = |folder| {
        [
            "generate",
            "KPvK",
            "--format",
            "syzygy",
            "--threads",
            "1",
            "-o",
            folder,
        ]
    };
    succeed(&make(straight));
    let expected = tables(whole.path());
    for at in [
        ("tbgen::wdl_written", 0),
        ("tbgen::dtz_written", 0),
        ("tbgen::wdl_written", 1),
    ] {
        kill(at, &make(path));
        nothing_is_false(folder.path(), &expected, at.0);
    }
    succeed(&make(path));
    all_is_there(folder.path(), &expected);
}
