//! The disk that `generate` says it takes, against what it had in its folders at each ply, before and after it wrote a table.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use crate::memory::random_material;
use crate::random::Random;
use crate::{command, folder, least_memory, thorough};

/// The points at which a run is looked at.
const POINTS: [&str; 8] = [
    "tbgen::ply",
    "tbgen::part_recorded",
    "tbgen::solved",
    "tbgen::blocks_written",
    "tbgen::table_before_rename",
    "tbgen::packed_before_rename",
    "tbgen::wdl_written",
    "tbgen::dtz_written",
];

/// The bytes of tables and of other files in a folder, of those without a name that a process has open there, too.
fn bytes_in(folder: &Path, process: u32) -> [u64; 2] {
    let mut all: HashMap<u64, [u64; 2]> = HashMap::new();
    let mut add = |name: &Path, file: Metadata| {
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let is_table = [".tb", ".rtb", ".syzygy-"]
            .iter()
            .any(|part| name.contains(part));
        let bytes = match is_table {
            true => [file.len(), 0],
            false => [0, file.len()],
        };
        all.insert(file.ino(), bytes);
    };
    for open in std::fs::read_dir(format!("/proc/{process}/fd")).unwrap() {
        let open = open.unwrap().path();
        if let (Ok(name), Ok(file)) = (std::fs::read_link(&open), std::fs::metadata(&open))
            && name.starts_with(folder)
            && file.is_file()
        {
            add(&name, file);
        }
    }
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        add(&file.path(), file.metadata().unwrap());
    }
    let all = all.into_values();
    all.fold([0; 2], |sum, bytes| [sum[0] + bytes[0], sum[1] + bytes[1]])
}

/// The most bytes of tables and of other files in the folder of a run.
fn taken(call: &str, folder: &Path) -> [u64; 2] {
    let points: Vec<String> = POINTS
        .iter()
        .map(|point| format!("{point}=return(step)"))
        .collect();
    let child = command(call)
        .env("FAILPOINTS", points.join(";"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut most = [0; 2];
    let mut said = String::new();
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        if line.starts_with("waiting at ") {
            let now = bytes_in(folder, child.id());
            most = [0, 1].map(|kind: usize| now[kind].max(most[kind]));
            input.write_all(b"\n").unwrap();
        } else {
            said += &line;
        }
    }
    assert!(child.wait().unwrap().success(), "{call}: {said}");
    most
}

/// Runs `generate` in an empty folder. Tables of few pieces are made before.
fn check(call: &str, pieces: usize) {
    let (temp, path) = folder();
    let metric = call
        .split("--metric ")
        .nth(1)
        .unwrap_or("dtz")
        .split(' ')
        .next()
        .unwrap();
    if pieces > 2 && !call.contains("--packed") && !call.contains("syzygy") {
        crate::succeed(&format!(
            "generate --all {pieces} --metric {metric} -o {path}"
        ));
    }
    let before = bytes_in(temp.path(), std::process::id())[0];
    let mut call = format!("generate -o {path} {call}");
    // With the least memory that will do.
    if call.contains("--memory") {
        call += &format!(" {}M", least_memory(&call));
    }
    let stated = report!("{call} --dry-run --json");
    let stated = ["file_bytes", "temporary_bytes"].map(|field| stated[field].as_u64().unwrap());
    let mut taken = taken(&call, temp.path());
    taken[0] -= before;
    eprintln!("{stated:?} stated, {taken:?} taken: {call}");
    assert!(
        taken[0] > 0 && taken[0] <= stated[0],
        "{call}: {stated:?} {taken:?}"
    );
    assert!(taken[1] <= stated[1], "{call}: {stated:?} {taken:?}");
    // Where sets are on disk, they and the plies are files.
    let is_on_disk = call.contains("--memory") && stated[1] > 0;
    assert!(taken[1] > 0 || !is_on_disk, "{call}");
}

#[test]
fn no_table_takes_more_disk_than_is_stated() {
    for metric in ["dtz", "help"] {
        check(&format!("KQvKR --threads 2 --metric {metric} --memory"), 3);
    }
    check("KBNvK --threads 1 --metric dtm --memory", 3);
    check("KRvKP --threads 2 --metric dtz,dtm", 3);
    check("KQvKR --packed --metric dtm", 0);
    check("KRvKN --packed --metric help", 0);
    check("KRvKP --format syzygy", 0);
    if thorough::one_in(2) == 1 {
        for metric in ["dtz", "dtm", "help"] {
            check(&format!("KBBvKN --metric {metric}"), 4);
            check(&format!("KBBvKN --metric {metric} --memory"), 4);
        }
        check("KRPvKR --metric dtm", 4);
        check("KRPvKR --packed --metric dtm", 0);
        check("KBNvKN --packed --metric help", 0);
        check("KRPvKR --format syzygy", 0);
    }
}

/// Three of three pieces, or thirty of up to five if `TBINDEX_THOROUGH` is set.
#[test]
fn no_random_table_takes_more_disk_than_is_stated() {
    let few = thorough::one_in(10);
    let mut random = Random::new(2);
    let mut below = |count: usize| random.below(count as u128) as usize;
    for _ in 0..30 / few {
        let pieces = [3, 4, 4, 4, 5][below(if few > 1 { 1 } else { 5 })];
        let name = random_material(pieces, &mut below);
        let threads = 1 + below(16);
        let metric = ["dtz", "dtm", "help"][below(3)];
        let how = match below(4) {
            0 => format!("--metric {metric}"),
            1 => format!("--metric {metric} --memory"),
            2 => format!("--metric {} --packed", ["dtm", "help"][below(2)]),
            _ => "--format syzygy".to_owned(),
        };
        check(&format!("{name} --threads {threads} {how}"), 0);
    }
}
