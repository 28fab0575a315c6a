//! The program beside its yardstick: a reduction out of core beside copies of its input on the same disk, and an
//! enumeration.
//!
//! `cargo bench --bench program` does both, or the one that is named: `disk` (in the current folder) or `enumerate`.
//! `TBINDEX_BENCH_SCALE=10` makes the file of indices ten times larger, 2 GiB; that takes some minutes.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tbindex::Numbering;
use tbindex::batch::Backend;
use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
use tbindex_bench::random::Random;
use tbindex_bench::yardstick::indices;

fn main() {
    let scale: f64 =
        std::env::var("TBINDEX_BENCH_SCALE").map_or(1.0, |scale| scale.parse().expect("a number"));
    let names = std::env::args().skip(1);
    let wanted: Vec<String> = names.filter(|name| !name.starts_with('-')).collect();
    let enumerated = if scale < 10.0 { "KQvKR" } else { "KRBvKR" };
    println!("backend {}, scale {scale}", Backend::detect());
    let parts: [(&str, &dyn Fn()); 2] = [
        ("disk", &|| out_of_core((scale * 205.0) as usize)),
        ("enumerate", &|| enumeration(enumerated)),
    ];
    for (name, part) in parts {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(&wanted[..])) {
            part();
        }
    }
}

/// A folder in the current one, so that it is on the same disk.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(".").expect("a folder")
}

/// Has everything written to the disk, and forgotten by the system where it lets us; whether it did.
fn forget_caches() -> bool {
    let synced = Command::new("sync").status();
    synced.is_ok() && fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}

/// Runs the program and prints the seconds that it takes, what it reports under some keys, and the memory that it took.
fn run(folder: &Path, line: &str, keys: &[&str]) -> f64 {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tbindex"));
    let command = command.args(line.split_whitespace()).arg("--json");
    let output = command.current_dir(folder).output().unwrap();
    let took = start.elapsed().as_secs_f64();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    print!("{line:<70} {took:>8.2} s");
    for key in keys {
        print!(", {key} {}", report[key]);
    }
    let peak = report["peak_memory"].as_u64().unwrap_or(0);
    println!(", peak {} MiB resident", peak.div_ceil(1 << 20));
    took
}

/// A file of random indices of seven pieces, reduced in an eighth of its size, beside three copies of it
/// on the same disk, each synced.
fn out_of_core(mib: usize) {
    let folder = folder();
    let mut random = Random::new(7);
    let all: Vec<u64> = indices(&mut random, mib << 17, "KQRBvKRN");
    let contents = Contents::new("KQRBvKRN".parse().unwrap(), Numbering::Natural);
    let target = Target::plain(folder.path().join("in"), Overwrite::Refuse);
    let mut writer = IndexWriter::create(&target, contents, Backend::detect()).unwrap();
    writer.write(&all).unwrap();
    writer.finish().unwrap();
    drop(all);
    let memory = (mib / 8).max(32);
    println!("\nreduce {mib} MiB of random indices of 7 pieces in {memory} MiB");
    println!("caches dropped before each: {}", forget_caches());
    let start = Instant::now();
    for name in ["a", "b", "c"] {
        fs::copy(folder.path().join("in"), folder.path().join(name)).unwrap();
        File::open(folder.path().join(name))
            .unwrap()
            .sync_all()
            .unwrap();
    }
    let copies = start.elapsed().as_secs_f64();
    println!("three synced copies {copies:>8.2} s");
    for name in ["a", "b", "c"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    for threads in [1, 2] {
        forget_caches();
        let line = format!("reduce in -o out --force --memory {memory}M --threads {threads}");
        let took = run(folder.path(), &line, &["method", "runs"]);
        println!("{:.2} of the copies", took / copies);
    }
}

/// All canonical legal positions of a material into a file.
fn enumeration(material: &str) {
    println!("\nenumerate {material}, canonical legal positions");
    let folder = folder();
    for threads in [1, 2] {
        let how = "--stage legal --side white --reduce --force -o out";
        let line = format!("enumerate {material} {how} --threads {threads}");
        run(folder.path(), &line, &["count"]);
    }
}
