//! The program on a disk: a reduction out of core beside copies of its input, and an enumeration.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;
use tbindex::Numbering;
use tbindex::store::{Contents, IndexWriter, Overwrite};

use super::yardstick::Random;

const MIB: u64 = 1 << 20;

/// Has everything written to the disk, and forgotten by the system where it lets us; whether it did.
fn forget_caches() -> bool {
    let synced = Command::new("sync").status();
    synced.is_ok() && fs::write("/proc/sys/vm/drop_caches", "3").is_ok()
}

/// The seconds that a call of the program takes, and what it reports.
fn run(args: &[&str]) -> (f64, Value) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .arg("--json")
        .output()
        .expect("the program runs");
    let took = start.elapsed().as_secs_f64();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    (took, serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a folder with a plain name")
}

/// A file of random indices of seven pieces, reduced in an eighth of its size, beside three copies of it
/// on the same disk, each synced.
pub(crate) fn out_of_core(bytes: u64, threads: &[&str]) {
    let folder = tempfile::tempdir_in(".").expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let contents = Contents::new("KQRBvKRN".parse().unwrap(), Numbering::Natural);
    let mut writer =
        IndexWriter::<u64>::create(path("in"), contents, Overwrite::Refuse).expect("a new file");
    let mut random = Random(7);
    for _ in 0..bytes / MIB {
        writer.write(&random.indices(MIB as usize / 8, 7)).unwrap();
    }
    writer.finish().unwrap();

    let memory = (bytes / 8 / MIB).max(32);
    println!(
        "\nreduce {} MiB of random indices of 7 pieces in {memory} MiB",
        bytes / MIB
    );
    let dropped = forget_caches();
    println!("caches dropped before each: {dropped}");
    let start = Instant::now();
    for name in ["a", "b", "c"] {
        fs::copy(path("in"), path(name)).expect("a copy");
        File::open(path(name))
            .and_then(|copy| copy.sync_all())
            .expect("a synced copy");
    }
    let copies = start.elapsed().as_secs_f64();
    println!("{:<44} {copies:>8.2} s", "three synced copies");
    for name in ["a", "b", "c"] {
        fs::remove_file(path(name)).expect("no copy");
    }
    for threads in threads {
        forget_caches();
        let (took, report) = run(&[
            "reduce",
            text(&path("in")),
            "-o",
            text(&path("out")),
            "--force",
            "--memory",
            &format!("{memory}M"),
            "--threads",
            threads,
        ]);
        println!(
            "{:<44} {took:>8.2} s  {:.2} of the copies, {} runs, peak {} MiB resident",
            format!(
                "{}, {threads} threads",
                report["method"].as_str().unwrap_or("")
            ),
            took / copies,
            report["runs"],
            report["peak_memory"].as_u64().unwrap_or(0).div_ceil(MIB),
        );
    }
}

/// All canonical legal positions of a material into a file.
pub(crate) fn enumeration(material: &str) {
    println!("\nenumerate {material}, canonical legal positions");
    let folder = tempfile::tempdir_in(".").expect("a folder");
    let out = folder.path().join("out");
    for threads in ["1", "2"] {
        let (took, report) = run(&[
            "enumerate",
            material,
            "--stage",
            "legal",
            "--side",
            "white",
            "--reduce",
            "--force",
            "-o",
            text(&out),
            "--threads",
            threads,
        ]);
        println!(
            "{:<44} {took:>8.2} s  {} indices, peak {} MiB resident",
            format!("{threads} threads"),
            report["count"],
            report["peak_memory"].as_u64().unwrap_or(0).div_ceil(MIB),
        );
    }
}
