//! What the program leaves behind when it is killed, interrupted, or finds the disk full, and how much
//! memory it takes.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tbindex::store::{Contents, FileReads, IndexFile, unwatched};
use tbindex::{Equivalence, Layout, Numbering};

use crate::contents::{contents, write};
use crate::held::Held;
use crate::names::names;
use crate::program::signal;
use crate::random::Random;
use crate::signals::noticed;
use crate::skipped::skipped;

const MIB: u64 = 1 << 20;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tbindex"));
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn succeed(args: &[&str]) -> Value {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn all_indices(file: &IndexFile<FileReads>) -> Vec<u64> {
    file.iter().unwrap().collect::<Result<_, _>>().unwrap()
}

fn random_file(path: &Path, count: usize) -> Vec<u64> {
    let mut random = Random::new(count as u64);
    let indices: Vec<u64> = (0..count).map(|_| random.bits(42)).collect();
    write(path, contents("KQRBvKRN"), &indices).unwrap();
    indices
}

/// Folders for the files and for temporary files, a raw file, and the reduced set of it.
struct Job {
    folder: tempfile::TempDir,
    temp: tempfile::TempDir,
    input: PathBuf,
    output: PathBuf,
    reduced: Vec<u64>,
}

impl Job {
    fn new() -> Job {
        let (folder, temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let indices = random_file(&input, 3_000_000);
        let same = Equivalence::<u64>::of_material("KQRBvKRN".parse().unwrap(), Numbering::Natural);
        let same = same.unwrap();
        let mut reduced: Vec<u64> = indices.iter().map(|&x| same.canonical(x)).collect();
        reduced.sort_unstable();
        reduced.dedup();
        Job {
            folder,
            temp,
            input,
            output,
            reduced,
        }
    }

    /// With so little memory that runs go to temporary files.
    fn args(&self) -> Vec<&str> {
        let (input, output, temp) = (
            text(&self.input),
            text(&self.output),
            text(self.temp.path()),
        );
        vec![
            "reduce", input, "-o", output, "--memory", "24M", "--temp", temp, "--json",
        ]
    }

    fn check_output(&self) {
        let file = IndexFile::open(&self.output).unwrap();
        file.verify(1, unwatched).unwrap();
        assert!(all_indices(&file) == self.reduced);
    }
}

/// Kills a program, which has no time to tidy up.
fn kill(mut held: Held) {
    held.child.kill().unwrap();
    held.child.wait().unwrap();
}

#[test]
fn a_killed_reduction_leaves_nothing_that_is_taken_for_a_result() {
    let job = Job::new();
    for (point, passes) in [
        ("store::writer_created", 0),
        ("store::run_written", 0),
        ("store::run_written", 1),
        ("store::block_written", 0),
        ("store::block_written", 9),
        ("store::file_synced", 0),
        ("store::file_renamed", 0),
    ] {
        kill(Held::at(point, passes, &mut command(&job.args())));
        assert_eq!(
            names(job.temp.path()),
            [""; 0],
            "temporary files have no names"
        );
        if point == "store::file_renamed" {
            assert_eq!(names(job.folder.path()), ["in", "out"]);
            job.check_output();
            fs::remove_file(&job.output).unwrap();
        } else {
            assert_eq!(names(job.folder.path()), [".out.partial", "in"], "{point}");
        }
    }
    // The partial file of a killed program is not in the way, and is gone afterwards.
    kill(Held::at(
        "store::block_written",
        3,
        &mut command(&job.args()),
    ));
    succeed(&job.args());
    job.check_output();
    assert_eq!(names(job.folder.path()), ["in", "out"]);
}

#[test]
fn a_killed_change_in_place_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let natural = random_file(&path, 300_000);
    let layout = Layout::<u64>::natural(7);
    let convert = |&x: &u64| layout.convert(Numbering::Alternate, x);
    let alternate: Vec<u64> = natural.iter().map(convert).collect();
    let original = fs::read(&path).unwrap();
    let args = [
        "convert",
        text(&path),
        "--in-place",
        "--numbering",
        "alternate",
        "--json",
    ];
    let numbering = || {
        let file = IndexFile::open(&path).unwrap();
        file.verify(1, unwatched).unwrap();
        let indices = all_indices(&file);
        match file.header().numbering {
            Numbering::Natural => assert!(indices == natural),
            Numbering::Alternate => assert!(indices == alternate),
        }
        file.header().numbering
    };
    for (point, passes, expected) in [
        ("store::writer_created", 0, Numbering::Natural),
        ("store::block_written", 1, Numbering::Natural),
        ("store::file_synced", 0, Numbering::Natural),
        ("store::file_renamed", 0, Numbering::Alternate),
    ] {
        fs::write(&path, &original).unwrap();
        kill(Held::at(point, passes, &mut command(&args)));
        assert_eq!(numbering(), expected, "{point}");
        succeed(&args);
        assert_eq!(numbering(), Numbering::Alternate);
        assert_eq!(names(folder.path()), ["file"]);
    }
}

#[test]
fn an_interrupt_leaves_no_file_and_no_rubbish() {
    let job = Job::new();
    for (name, number) in noticed([("-INT", 2), ("-TERM", 15), ("-HUP", 1)]) {
        for passes in [0, 30] {
            let held = Held::at("cli::interrupt_check", passes, &mut command(&job.args()));
            signal(&held.child, name);
            let (status, errors) = held.go_on();
            assert_eq!(status.signal(), Some(number), "{status} {errors}");
            assert!(
                errors.contains("interrupted: nothing was written"),
                "{errors}"
            );
            assert_eq!(names(job.temp.path()), [""; 0]);
            assert_eq!(names(job.folder.path()), ["in"]);
        }
    }
}

#[test]
fn signals_that_were_ignored_stay_ignored() {
    let job = Job::new();
    for (trap, name) in [("HUP", "-HUP"), ("INT", "-INT"), ("TERM", "-TERM")] {
        // As `nohup` and shells for background jobs do.
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("trap '' {trap}; exec \"$0\" \"$@\""))
            .arg(env!("CARGO_BIN_EXE_tbindex"))
            .args(job.args());
        let held = Held::at("cli::interrupt_check", 0, &mut shell);
        signal(&held.child, name);
        let (status, errors) = held.go_on();
        assert!(status.success(), "{trap}: {errors}");
        job.check_output();
        fs::remove_file(&job.output).unwrap();
        assert_eq!(names(job.folder.path()), ["in"]);
    }
}

#[test]
fn a_second_program_on_the_same_target_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    random_file(&input, 1000);
    let told = contents("KQRBvKRN").reduced();
    let first = tbindex::store::IndexWriter::<u64>::create(
        &output,
        told,
        tbindex::store::Overwrite::Refuse,
    );
    let refused = run(&["reduce", text(&input), "-o", text(&output), "--force"]);
    assert_eq!(refused.status.code(), Some(1));
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert!(
        errors.contains("another process is writing this file"),
        "{errors}"
    );
    first.unwrap().finish().unwrap();
    assert_eq!(IndexFile::open(&output).unwrap().header().count, 0);
}

#[test]
fn a_reduction_stays_within_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    random_file(&path("seven"), 6_000_000);
    let mut random = Random::new(1);
    let five: Vec<u32> = (0..4_000_000).map(|_| random.bits(30) as u32).collect();
    write(&path("five"), contents("KQRvKR"), &five).unwrap();
    let mut sorted = five.clone();
    sorted.sort_unstable();
    let told = Contents {
        sorted: true,
        ..contents("KQRvKR")
    };
    let mut writer = tbindex::store::IndexWriter::create_compact(
        path("compact"),
        told,
        tbindex::store::Overwrite::Refuse,
    )
    .unwrap();
    writer.write(&sorted).unwrap();
    writer.finish().unwrap();
    for (input, memory, threads, method) in [
        ("seven", 24, "1", "auto"),
        ("seven", 24, "2", "sort"),
        ("seven", 40, "4", "auto"),
        ("seven", 100, "2", "auto"),
        ("five", 24, "2", "auto"),
        ("five", 60, "2", "bitmap"),
        ("five", 120, "2", "auto"),
        ("five", 120, "3", "sort"),
        ("compact", 24, "2", "sort"),
    ] {
        let size = format!("{memory}M");
        let (input, output) = (path(input), path("out"));
        let report = succeed(&[
            "reduce",
            text(&input),
            "-o",
            text(&output),
            "--force",
            "--json",
            "--memory",
            &size,
            "--threads",
            threads,
            "--method",
            method,
        ]);
        let Some(peak) = report["peak_memory"].as_u64() else {
            skipped(
                "the check of memory",
                "this system does not say how much was used",
            );
            return;
        };
        eprintln!(
            "{input:?} {memory} MiB {threads} {method}: {} KiB",
            peak / 1024
        );
        assert!(
            peak <= memory * MIB,
            "{input:?} {memory} {threads} {method}: {peak}"
        );
    }
}

#[test]
fn a_full_disk_is_one_clear_error() {
    let job = Job::new();
    // A small disk of our own, in a name space of our own: the script ends with both.
    let script = r#"
        mount -t tmpfs -o size=12m none "$1" || exit 99
        shift
        "$@"
        status=$?
        ls -A "$SMALL"
        exit $status
    "#;
    let small = tempfile::tempdir().unwrap();
    let on_small_disk = |args: &[&str]| {
        Command::new("unshare")
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                script,
                "sh",
            ])
            .arg(small.path())
            .arg(env!("CARGO_BIN_EXE_tbindex"))
            .args(args)
            .env("SMALL", small.path())
            .output()
    };
    let (out, other) = (small.path().join("out"), job.folder.path().join("other"));
    let (input, temp) = (text(&job.input), text(job.temp.path()));
    // The reduced set does not fit, which is found out by writing it; everything else that does not is
    // said before there is any work.
    for (args, expected) in [
        (
            vec![
                "reduce",
                input,
                "-o",
                text(&out),
                "--temp",
                temp,
                "--memory",
                "24M",
            ],
            "can't write to the file",
        ),
        (
            vec![
                "reduce",
                input,
                "-o",
                text(&other),
                "--temp",
                text(small.path()),
                "--memory",
                "24M",
            ],
            "temporary files may take 23 MiB",
        ),
        (
            vec!["union", text(&job.output), "-o", text(&out)],
            "the new file may take",
        ),
        (
            vec![
                "convert",
                input,
                "-o",
                text(&out),
                "--numbering",
                "alternate",
            ],
            "the new file may take 23 MiB",
        ),
        (
            vec!["enumerate", "KQRvK", "-o", text(&out)],
            "the new file may take",
        ),
    ] {
        if args[0] == "union" {
            succeed(&job.args());
        }
        let output = match on_small_disk(&args) {
            Ok(output)
                if output.status.code() != Some(99) && output.status.code() != Some(1 << 7 | 1) =>
            {
                output
            }
            _ => {
                skipped("the full disk", "no name space to mount a small one in");
                return;
            }
        };
        let errors = String::from_utf8(output.stderr).unwrap();
        if errors.contains("unshare") {
            skipped("the full disk", errors.trim_end());
            return;
        }
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let lines: Vec<&str> = errors
            .lines()
            .filter(|line| line.starts_with("tbindex: "))
            .collect();
        assert_eq!(lines.len(), 1, "{errors}");
        assert!(lines[0].contains(expected), "{errors}");
        assert!(errors.matches("No space left").count() <= 1, "{errors}");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            "",
            "something was left on the disk"
        );
    }
}
