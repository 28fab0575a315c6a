//! Samples of the positions of tables.

use std::collections::BTreeSet;

use crate::label::labelled;
use crate::{as_csv, folder, succeed};

/// The distances of lines of EPD.
fn distances(text: &str, name: &str) -> Vec<i32> {
    let operation = |line: &str| -> i32 {
        let (_, rest) = line.split_once(&format!(" {name} ")).unwrap();
        rest.split(';').next().unwrap().parse().unwrap()
    };
    text.lines().map(operation).collect()
}

#[test]
fn samples_are_what_was_asked_for_and_the_same_again() {
    let wins = "sample KPvK --count 200 --outcome win";
    let sample = succeed(wins);
    let lines: BTreeSet<&str> = sample.lines().collect();
    assert_eq!((lines.len(), sample.lines().count()), (200, 200));
    assert_eq!(distances(&sample, "wdl"), [2; 200]);
    // The labels are those that tables give.
    assert_eq!(labelled("label", &sample), sample);
    assert_eq!(succeed!("{wins} --seed 0 --threads 1"), sample);
    assert_ne!(succeed!("{wins} --seed 1"), sample);
    let (_folder, folder) = &folder();
    succeed!("generate KPvK -o {folder}");
    assert_eq!(succeed!("{wins} --tables {folder}"), sample, "from files");
}

#[test]
fn syzygy_files_are_refused_by_name() {
    let (_folder, folder) = &folder();
    std::fs::write(format!("{folder}/KQvK.rtbw"), "").unwrap();
    let says = "KQvK: Syzygy files are not read as whole tables";
    fail!(1, says, "sample KQvK --count 1 --tables {folder}");
}

#[test]
fn a_sample_of_all_has_all() {
    let stats = report!("stats KQvK --metric dtm --json");
    let count = |side: &str, of: &str| stats[side][of].as_u64().unwrap() as usize;
    let lines = |more: &str| {
        let sample = succeed!("sample KQvK --count 1000000000000 --metric dtm {more}");
        sample.lines().count()
    };
    let losses = count("black", "losses") + count("white", "losses");
    assert_eq!(lines("--outcome loss"), losses);
    let draws = count("black", "draws") + count("white", "draws");
    assert_eq!(lines("--outcome loss,draw"), losses + draws);
    let mates = stats["black"]["loss_in"]["0"].as_u64().unwrap() as usize;
    assert_eq!(lines("--ply 0 --outcome loss"), mates);
    assert_eq!(lines("--ply 0"), mates, "draws have no plies");
}

#[test]
fn plies_are_in_a_range_and_records_have_materials() {
    let call = "sample --all 3 --count 300 --metric dtm --ply 21..";
    let sample = succeed(call);
    let plies: Vec<i32> = distances(&sample, "dm");
    assert!(plies.len() == 300 && plies.iter().all(|moves| moves.abs() >= 11));
    let records = succeed!("{call} --format csv");
    assert_eq!(as_csv(&succeed!("{call} --format jsonl")), records);
    let rows = records.lines().map(|row| row.split(',').collect());
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(rows[0], ["fen", "material", "wdl", "dtm"]);
    let materials: BTreeSet<&str> = rows[1..].iter().map(|row| row[1]).collect();
    // No queen needs so long.
    assert_eq!(materials, BTreeSet::from(["KPvK", "KRvK"]));
    let mut plies = rows[1..].iter().map(|row| row[3].parse::<i32>().unwrap());
    assert!(plies.all(|plies| plies.abs() >= 21));
    for wrong in ["5..4", "x", ""] {
        fail!(2, "plies such as", "sample KQvK --count 1 --ply '{wrong}'");
    }
    fail!(2, "--memory allows", "sample KQvK --count 9 --memory 1M");
    fail!(2, "--count", "sample KQvK --count 99999999999999999999");
}
