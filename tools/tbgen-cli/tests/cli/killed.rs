//! Runs of `generate` that are killed at named points, one after the other, and the last of which makes the files.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value as Json;

use crate::held::Held;
use crate::thorough::one_in;
use crate::{Tables, command, folder, least_memory, made, names, succeed, tables};

/// A run that is held at a point that it has passed so many times before.
pub(crate) fn held_at((point, passes): (&str, u32), call: &str) -> Held {
    Held::at(point, passes, &mut command(call))
}

/// Kills a run at a point that it has passed so many times before.
pub(crate) fn kill(point: (&str, u32), call: &str) {
    let mut held = held_at(point, call);
    held.child.kill().unwrap();
    let (status, _) = held.go_on();
    assert_eq!(status.code(), None, "{point:?}");
}

/// Kills a run at each of these points, of the calls in turn. Whatever has its name already has to be complete.
fn kill_at(points: &[(&str, u32)], calls: [&str; 2], folder: &Path, expected: &Tables) {
    let is_checkpoint = |name: &str| name.ends_with(".plies") || name.ends_with(".mates");
    for (&point, call) in points.iter().zip(calls.into_iter().cycle()) {
        kill(point, call);
        for file in tables(folder) {
            let known = is_checkpoint(&file.0) || expected.contains(&file);
            assert!(known, "{} at {point:?}", file.0);
        }
    }
}

/// All is there in the end, and nothing else.
fn all_is_there(folder: &Path, expected: &Tables) {
    assert!(tables(folder) == *expected);
    let names = names(folder);
    assert_eq!(names.len(), expected.len(), "something is left: {names:?}");
}

#[test]
fn small_tables_without_and_with_pawns_by_both_metrics() {
    let [(whole, straight), (folder, path)] = [(); 2].map(|()| folder());
    let all = "generate --all 3 --metric dtz,dtm --threads 1 --json -o";
    succeed!("{all} {straight}");
    let expected = tables(whole.path());
    let all = &format!("{all} {path}");
    // The five tables by dtz, one after the other, and then all by dtm. Each has two runs of blocks.
    let points = [
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
    ];
    kill_at(&points, [all; 2], folder.path(), &expected);
    let there = tables(folder.path()).len();
    assert!(there > 5, "{there}");
    let report = made(&report!("{all}"));
    let solved = report.iter().filter(|table| table.2).count();
    assert_eq!(solved, expected.len() - there);
    all_is_there(folder.path(), &expected);
}

/// By the checkpoint, in memory and with sets on disk in turn. By each metric a fifth of the points, or all
/// if `TBINDEX_THOROUGH` is set.
#[test]
fn a_large_table_goes_on_from_its_checkpoint() {
    for metric in ["dtz", "dtm"] {
        let name = "KNNvKN";
        let [(whole, straight), (folder, path)] = [(); 2].map(|()| folder());
        let make = format!("generate {name} --metric {metric} -o");
        succeed!("{make} {straight}");
        let expected = tables(whole.path());
        let extension = if metric == "dtz" { "tbg" } else { "tbm" };
        let own = format!("{name}.{extension}");
        for (file, bytes) in expected.iter().filter(|(file, _)| *file != own) {
            std::fs::write(folder.path().join(file), bytes).unwrap();
        }
        // The least memory that will do is that with sets on disk.
        let estimate = report!("estimate {name} --metric {metric} --json");
        assert_eq!(estimate["plans"][0]["sets"], "disk");
        let least = estimate["plans"][0]["memory"].to_string();
        let (_other, other) = crate::folder();
        let journal = format!("{other}/journal");
        let in_memory = format!("{make} {path} --log {journal}");
        let on_disk = format!("{in_memory} --memory {least}");
        let points = [
            ("tbgen::records_begun", 0),
            ("tbgen::ply_recorded", 0),
            ("tbgen::ply_recorded", 0),
            ("tbgen::ply_recorded", 1),
            ("tbgen::ply_recorded", 4),
            ("tbgen::ply_recorded", 3),
            ("tbgen::solved", 0),
            ("tbgen::blocks_written", 9),
            ("tbgen::table_before_rename", 0),
        ];
        let first = usize::from(metric == "dtm") % one_in(5);
        let mut points: Vec<_> = points.into_iter().skip(first).step_by(one_in(5)).collect();
        points.push(("tbgen::table_renamed", 0));
        kill_at(&points, [&on_disk, &in_memory], folder.path(), &expected);
        let count = names(folder.path()).len();
        assert_eq!(count, expected.len() + 1, "and the checkpoint");
        succeed(&on_disk);
        all_is_there(folder.path(), &expected);
        // No ply was found twice.
        let lines = std::fs::read_to_string(journal).unwrap();
        let mut plies = BTreeSet::new();
        for line in lines.lines() {
            let line: Json = serde_json::from_str(line).unwrap();
            assert_eq!(line["table"], Json::from(name));
            assert!(line["checkpoint_bytes"].as_u64() > Some(64), "{line}");
            let ply = (line["winner"].to_string(), line["plies"].as_u64());
            assert!(plies.insert(ply), "{line}");
        }
        assert!(plies.len() > 8, "{lines}");
    }
}

/// Either victim's table has a checkpoint of its own in the folder of temporary files.
#[test]
fn helpmates_go_on_from_their_checkpoints() {
    let [(whole, straight), (folder, path), (temp, temp_path)] = [(); 3].map(|()| folder());
    let make = "generate KRvKN --metric help --threads 1";
    succeed!("{make} -o {straight}");
    let expected = tables(whole.path());
    // Smaller tables may have checkpoints, too, whose plies are not to be counted.
    for (file, bytes) in expected
        .iter()
        .filter(|(file, _)| !file.starts_with("KRvKN"))
    {
        std::fs::write(folder.path().join(file), bytes).unwrap();
    }
    // The least memory that will do is that with sets on disk.
    let least = least_memory(&format!("{make} -o {path} --memory"));
    let make = &format!("{make} -o {path} --temp {temp_path} --memory {least}M");
    let points = [
        ("tbgen::ply_recorded", 3),
        ("tbgen::ply_recorded", 5),
        ("tbgen::solved", 0),
        ("tbgen::ply_recorded", 2),
        ("tbgen::table_before_rename", 0),
    ];
    kill_at(&points, [make; 2], folder.path(), &expected);
    assert_eq!(names(temp.path()), ["KRvKN.help-black"]);
    succeed(make);
    all_is_there(folder.path(), &expected);
    assert_eq!(names(temp.path()), [""; 0]);
}

#[test]
fn syzygy_files() {
    let [(whole, straight), (folder, path)] = [(); 2].map(|()| folder());
    let make = "generate KPvK --format syzygy --threads 1 -o";
    succeed!("{make} {straight}");
    let expected = tables(whole.path());
    let points = [
        ("tbgen::wdl_written", 0),
        ("tbgen::dtz_written", 0),
        ("tbgen::wdl_written", 1),
    ];
    let make = &format!("{make} {path}");
    kill_at(&points, [make; 2], folder.path(), &expected);
    succeed(make);
    all_is_there(folder.path(), &expected);
}
