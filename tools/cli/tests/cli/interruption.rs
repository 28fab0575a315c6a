//! Things that the program leaves behind when it is killed, interrupted, or finds the disk full, and how much
//! memory it takes.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use tbindex::batch::Backend;
use tbindex::store::{IndexWriter, Overwrite, Target, unwatched};
use tbindex::{Layout, Numbering};

use crate::program::{Ended, Folder, PROGRAM, words};
use crate::support::contents::{contents, sorted, write, write_compact};
use crate::support::folder::names;
use crate::support::held::Held;
use crate::support::opened::read;
use crate::support::random::Random;
use crate::support::reductions::{of_material, straightforward};
use crate::support::says::says;
use crate::support::signals::{noticed, send};
use crate::support::skipped::skipped;

const MIB: u64 = 1 << 20;

/// The indices of a file that is whole.
fn all_indices(path: &Path) -> Vec<u64> {
    let file = read(path).unwrap();
    file.verify(1, &mut unwatched).unwrap();
    file.reader().unwrap().iter().map(Result::unwrap).collect()
}

fn random_file(path: &Path, count: usize) -> Vec<u64> {
    let indices: Vec<u64> = Random::new(count as u64).numbers(count, 42);
    write(path, contents("KQRBvKRN"), &indices).unwrap();
    indices
}

/// Folders for the files and for temporary files, a raw file, and the reduced set of it.
struct Job {
    folder: Folder,
    temp: tempfile::TempDir,
    reduced: Vec<u64>,
}

impl Job {
    fn new() -> Job {
        let folder = Folder::new();
        let indices = random_file(&folder.path("in"), 3_000_000);
        let same = of_material("KQRBvKRN", Numbering::Natural);
        Job {
            folder,
            temp: tempfile::tempdir().unwrap(),
            reduced: straightforward(&same, &indices),
        }
    }

    /// With so little memory that runs go to temporary files.
    fn command(&self) -> Command {
        let mut command = self.folder.command("reduce in -o out --memory 24M --temp");
        command.arg(self.temp.path());
        command
    }

    fn check_output(&self) {
        assert!(all_indices(&self.folder.path("out")) == self.reduced);
    }

    /// Which files there are. None of them are temporary ones: these have no names.
    fn names(&self) -> Vec<String> {
        assert_eq!(names(self.temp.path()), [""; 0]);
        self.folder.names()
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
    ] {
        kill(Held::at(point, passes, &mut job.command()));
        assert_eq!(job.names(), [".out.partial", "in"], "{point}");
    }
    // The partial file of a killed program is not in the way, and is gone afterwards.
    kill(Held::at("store::file_renamed", 0, &mut job.command()));
    assert_eq!(job.names(), ["in", "out"]);
    job.check_output();
    let forced = &mut job.command();
    kill(Held::at("store::block_written", 3, forced.arg("--force")));
    job.check_output();
    Ended::of(forced.output().unwrap()).success();
    job.check_output();
    assert_eq!(job.names(), ["in", "out"]);
}

#[test]
fn a_killed_change_in_place_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new();
    let natural = random_file(&folder.path("file"), 300_000);
    let layout = Layout::<u64>::new(7, Numbering::Natural);
    let convert = |&x: &u64| layout.convert(Numbering::Alternate, x);
    let alternate: Vec<u64> = natural.iter().map(convert).collect();
    let original = folder.read("file");
    let line = "convert file --in-place --numbering alternate";
    let numbering = || {
        let path = folder.path("file");
        let numbering = read(&path).unwrap().header().contents.numbering;
        let expected = match numbering {
            Numbering::Natural => &natural,
            Numbering::Alternate => &alternate,
        };
        assert!(all_indices(&path) == *expected);
        numbering
    };
    for (point, passes, expected) in [
        ("store::writer_created", 0, Numbering::Natural),
        ("store::block_written", 1, Numbering::Natural),
        ("store::file_synced", 0, Numbering::Natural),
        ("store::file_renamed", 0, Numbering::Alternate),
    ] {
        folder.write("file", &original);
        kill(Held::at(point, passes, &mut folder.command(line)));
        assert_eq!(numbering(), expected, "{point}");
        folder.stdout(line);
        assert_eq!(numbering(), Numbering::Alternate);
        assert_eq!(folder.names(), ["file"]);
    }
}

#[test]
fn an_interrupt_leaves_no_file_and_no_rubbish() {
    let job = Job::new();
    for (name, number) in noticed([("-INT", 2), ("-TERM", 15), ("-HUP", 1)]) {
        for passes in [0, 30] {
            let held = Held::at("cli::interrupt_check", passes, &mut job.command());
            send(&held.child, name);
            let (status, errors) = held.go_on();
            assert_eq!(status.signal(), Some(number), "{status} {errors}");
            says(errors, &["interrupted: nothing was written"]);
            assert_eq!(job.names(), ["in"]);
        }
    }
}

#[test]
fn signals_that_were_ignored_stay_ignored() {
    let job = Job::new();
    for (trap, name) in [("HUP", "-HUP"), ("INT", "-INT"), ("TERM", "-TERM")] {
        // As `nohup` and shells for background jobs do.
        let script = format!("trap '' {trap}; exec \"$0\" \"$@\"");
        let own = job.command();
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", &script, PROGRAM, "reduce"]);
        shell.args(own.get_args().skip(1)).arg("--force");
        shell.current_dir(job.folder.path(""));
        let held = Held::at("cli::interrupt_check", 0, shell);
        send(&held.child, name);
        let (status, errors) = held.go_on();
        assert!(status.success(), "{trap}: {errors}");
        job.check_output();
        assert_eq!(job.names(), ["in", "out"]);
    }
}

#[test]
fn a_second_program_on_the_same_target_is_refused() {
    let folder = Folder::new();
    random_file(&folder.path("in"), 1000);
    let told = contents("KQRBvKRN").reduced();
    let target = Target::plain(folder.path("out"), Overwrite::Refuse);
    let first = IndexWriter::<u64>::create(&target, told, Backend::detect());
    let errors = folder.run("reduce in -o out --force").failure(1);
    says(errors, &["out: another process is writing this file"]);
    first.unwrap().finish().unwrap();
    assert_eq!(read(&folder.path("out")).unwrap().header().count, 0);
    // In place, too.
    let mut convert = folder.command("convert in --in-place --numbering alternate");
    let held = Held::at("store::writer_created", 0, &mut convert);
    let errors = folder
        .run("convert in --in-place --numbering natural")
        .failure(1);
    says(errors, &["in: another process is writing this file"]);
    assert!(held.go_on().0.success());
}

#[test]
fn a_reduction_stays_within_its_memory() {
    let folder = Folder::new();
    random_file(&folder.path("seven"), 6_000_000);
    let mut five: Vec<u32> = Random::new(1).numbers(4_000_000, 30);
    write(&folder.path("five"), contents("KQRvKR"), &five).unwrap();
    five.sort_unstable();
    write_compact(&folder.path("compact"), sorted("KQRvKR"), &five).unwrap();
    for (input, memory, how) in [
        ("seven", 24, "--threads 1"),
        ("seven", 24, "--threads 2 --method sort"),
        ("seven", 40, "--threads 4"),
        ("seven", 100, "--threads 2"),
        ("five", 24, "--threads 2"),
        ("five", 60, "--threads 2 --method bitmap"),
        ("five", 120, "--threads 2"),
        ("five", 120, "--threads 3 --method sort"),
        ("compact", 24, "--threads 2 --method sort"),
    ] {
        let line = format!("reduce {input} -o out --force --memory {memory}M {how}");
        let Some(peak) = folder.json(&line)["peak_memory"].as_u64() else {
            let why = "this system does not say how much was used";
            return skipped("the check of memory", why);
        };
        assert!(peak <= memory * MIB, "{line}: {peak}");
    }
}

#[test]
fn a_full_disk_is_one_clear_error() {
    let job = Job::new();
    Ended::of(job.command().output().unwrap()).success();
    // A small disk of our own, in a name space of our own: the script ends with both.
    let script = r#"
        mount -t tmpfs -o size=8m none small || exit 99
        "$0" "$@"
        status=$?
        ls -A small
        exit $status
    "#;
    std::fs::create_dir(job.folder.path("small")).unwrap();
    let on_small_disk = |line: &str| {
        let mut command = Command::new("unshare");
        command.args(words("--user --map-root-user --mount sh -c"));
        command.args([script, PROGRAM]).args(words(line));
        command.current_dir(job.folder.path("")).output()
    };
    // The reduced set does not fit, which is found out by writing it; everything else that does not is
    // said before there is any work.
    for (line, expected) in [
        (
            "reduce in -o small/out --temp . --memory 24M",
            "can't write to the file",
        ),
        (
            "reduce in -o other --temp small --memory 24M",
            "temporary files may take 12 MiB",
        ),
        ("union out -o small/out", "the new file may take"),
        (
            "convert in -o small/out --numbering alternate",
            "the new file may take 23 MiB",
        ),
        ("enumerate KQRvK -o small/out", "the new file may take"),
    ] {
        let ended = match on_small_disk(line) {
            Ok(output) if !matches!(output.status.code(), Some(99 | 129)) => Ended::of(output),
            _ => return skipped("the full disk", "no name space to mount a small one in"),
        };
        if ended.errors.contains("unshare") {
            return skipped("the full disk", ended.errors.trim_end());
        }
        // Nothing is left on the disk, whose files the script prints.
        let errors = ended.failure(1);
        let own = errors.lines().filter(|line| line.starts_with("tbindex: "));
        let own: Vec<&str> = own.collect();
        assert!(own.len() == 1 && own[0].contains(expected), "{errors}");
        assert!(errors.matches("No space left").count() <= 1, "{errors}");
    }
}
