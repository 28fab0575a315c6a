//! The program where others are against it: files that shrink or lie, limits of the system, wrong positions.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tbindex::store::{Overwrite, PartialFile};

use crate::held::Held;
use crate::signals::noticed;
use crate::{PROGRAM, fail, folder, json, names, succeed, tbgen, text};

/// The program under a limit of the shell, such as `-f 8`.
fn limited(limit: &str, args: &[&str]) -> Output {
    Command::new("sh")
        .args([
            "-c",
            &format!("ulimit {limit}; exec \"$0\" \"$@\""),
            PROGRAM,
        ])
        .args(args)
        .output()
        .unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_that_is_shortened_while_it_is_read_is_an_error_with_its_name() {
    let (folder, path) = folder();
    succeed(&["generate", "KRvKN", "-o", &path]);
    let table = folder.path().join("KRvKN.tbg");
    let held = Held::at(
        "tbgen::table_opened",
        0,
        Command::new(PROGRAM).args(["probe", &path, "8/8/2k5/8/8/5n2/8/K6R w - - 0 1"]),
    );
    let file = File::options().write(true).open(&table).unwrap();
    file.set_len(4096).unwrap();
    let (status, errors) = held.go_on();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("KRvKN.tbg: can't read the file"),
        "{errors}"
    );
}

/// The second takes the table that the first has finished.
#[test]
fn two_runs_make_a_table_once() {
    let (folder, path) = folder();
    let generate = ["generate", "KRvK", "-o", &path];
    let first = Held::at("tbgen::solved", 0, Command::new(PROGRAM).args(generate));
    let mut second = Command::new(PROGRAM)
        .args(generate)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut messages = BufReader::new(second.stderr.take().unwrap());
    let mut all = String::new();
    while !all.contains("another process makes it: waiting") {
        assert!(messages.read_line(&mut all).unwrap() > 0, "{all}");
    }
    let (status, errors) = first.go_on();
    assert!(status.success(), "{errors}");
    messages.read_to_string(&mut all).unwrap();
    assert!(second.wait().unwrap().success(), "{all}");
    assert!(all.contains("KRvK: there already"), "{all}");
    assert_eq!(names(folder.path()), ["KRvK.tbg"]);
    // One that is killed leaves its table to the other.
    fs::remove_file(folder.path().join("KRvK.tbg")).unwrap();
    let mut first = Held::at("tbgen::solved", 0, Command::new(PROGRAM).args(generate));
    first.child.kill().unwrap();
    first.go_on();
    succeed(&generate);
    assert_eq!(names(folder.path()), ["KRvK.tbg"]);
}

#[test]
fn what_is_no_checkpoint_of_the_table_is_noticed_before_anything_is_made() {
    let (folder, path) = folder();
    let checkpoint = folder.path().join("KNNvKN.plies");
    fs::write(&checkpoint, [7; 100]).unwrap();
    fail(
        &["generate", "KNNvKN", "-o", &path],
        1,
        "KNNvKN.plies: this is not a checkpoint: remove the file",
    );
    assert_eq!(names(folder.path()), ["KNNvKN.plies"]);
}

#[test]
fn limits_of_the_system_leave_nothing_half_written() {
    let (folder, path) = folder();
    let output = limited("-f 8", &["generate", "KRvK", "-o", &path]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stderr).contains("File too large"),
        "{output:?}"
    );
    assert_eq!(names(folder.path()), [""; 0]);
    for most in 3..16 {
        let limit = format!("-n {most}");
        let output = limited(&limit, &["generate", "KRvK", "-o", &path, "--force"]);
        let left = names(folder.path());
        let partial = left.iter().any(|name| name.ends_with(".partial"));
        assert!(!partial, "{most}: {left:?} {output:?}");
    }
}

/// Changes the list of values of a table, and its checksums.
fn change_values(table: &Path, change: impl Fn(&mut [u8])) {
    let mut bytes = fs::read(table).unwrap();
    let count = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let end = 256 + 4 * (count(28) + count(30));
    bytes[256..end].chunks_exact_mut(4).for_each(change);
    let sum = crc32fast::hash(&bytes[256..end]);
    bytes[72..76].copy_from_slice(&sum.to_le_bytes());
    let sum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&sum.to_le_bytes());
    fs::write(table, bytes).unwrap();
}

#[test]
fn a_line_by_tables_that_lie_comes_to_an_end() {
    let (folder, path) = folder();
    succeed(&["generate", "KQvK", "-o", &path]);
    let table = folder.path().join("KQvK.tbg");
    let fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    // First the longest distances become the shortest.
    for (from, says) in [
        (80u16, "the tables are wrong"),
        (32_860, "at most 32767 plies"),
    ] {
        change_values(&table, |value| {
            if value[0] > 0 {
                let plies = from - u16::from_le_bytes([value[2], value[3]]);
                value[2..4].copy_from_slice(&plies.to_le_bytes());
            }
        });
        fail(&["line", &path, fen], 1, says);
    }
}

#[test]
fn values_that_cannot_be_are_refused() {
    let (folder, path) = folder();
    succeed(&["generate", "KQvK", "--metric", "dtm", "-o", &path]);
    let table = folder.path().join("KQvK.tbm");
    let intact = fs::read(&table).unwrap();
    let even = |value: &mut [u8]| value[2] += 1;
    let again = |value: &mut [u8]| {
        if value[0] == 1 {
            value[2] = 1;
        }
    };
    let draws = |value: &mut [u8]| value.fill(0);
    let even_wins = |value: &mut [u8]| {
        if value[0] == 1 {
            value[2] += 1;
        }
    };
    type Change = dyn Fn(&mut [u8]);
    let changes: [(&Change, &str); 4] = [
        (&even, "expected a draw"),
        (&again, "that was not there before"),
        (&draws, "that was not there before"),
        (&even_wins, "an odd number"),
    ];
    for (change, says) in changes {
        fs::write(&table, &intact).unwrap();
        change_values(&table, change);
        fail(&["stats", table.to_str().unwrap()], 1, says);
    }
}

/// A file says that a queen loses to a bare king, who can't win here either.
#[test]
fn a_bare_king_that_mates_does_no_harm() {
    let (folder, path) = folder();
    succeed(&["generate", "KQvK", "--metric", "dtm", "-o", &path]);
    change_values(&folder.path().join("KQvK.tbm"), |value| {
        if value[0] == 1 && value[2] == 5 {
            value.copy_from_slice(&[2, 0, 100, 0]);
        }
    });
    succeed(&["generate", "KQQvK", "--metric", "dtm", "-o", &path]);
    let larger = folder.path().join("KQQvK.tbm");
    let stats = succeed(&["stats", larger.to_str().unwrap()]);
    assert!(!stats.contains("101"), "{stats}");
}

#[test]
fn a_table_under_another_name_is_not_taken_for_it() {
    let (folder, path) = folder();
    succeed(&["generate", "KRvK", "-o", &path]);
    let of = |name: &str| folder.path().join(name);
    fs::copy(of("KRvK.tbg"), of("KQvK.tbg")).unwrap();
    fs::copy(of("KRvK.tbg"), of("KRvK.tbm")).unwrap();
    let fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    for arguments in [
        vec!["generate", "KQvK", "-o", &path],
        vec!["generate", "KQRvK", "-o", &path],
        vec!["probe", &path, fen],
        vec!["verify", &path, "--table", "KQvK"],
    ] {
        fail(&arguments, 1, "KQvK.tbg: this is the table of KRvK");
    }
    let file = format!("{path}/KRvK.tbm");
    for arguments in [
        vec!["generate", "KRvK", "--metric", "dtm", "-o", &path],
        vec!["stats", &file],
    ] {
        fail(&arguments, 1, "KRvK.tbm: this is a table by dtz");
    }
    succeed(&["generate", "KQvK", "-o", &path, "--force"]);
    succeed(&["probe", &path, fen]);
}

#[test]
fn one_bad_position_does_not_keep_the_others_from_their_answers() {
    let (_folder, path) = folder();
    succeed(&["generate", "KQvK", "-o", &path]);
    let good = "8/8/8/3k4/8/8/8/KQ6 w - - 37 90";
    let output = tbgen(&["probe", &path, "nonsense", good]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    for part in ["\"nonsense\": ", "1 of 2 positions have no answer"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    // What was asked is what is answered, counters included.
    assert!(text(&output.stdout).starts_with(good), "{output:?}");
    let missing = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
    let output = tbgen(&["probe", &path, good, missing, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers = answer["positions"].as_array().unwrap();
    assert_eq!(
        (&answers[0]["fen"], &answers[0]["counter"]),
        (&good.into(), &37.into())
    );
    assert!(answers[1]["error"].as_str().unwrap().contains("KRvK"));
    let line = json(&["line", &path, good, "--json"]);
    assert_eq!((&line["fen"], &line["counter"]), (&good.into(), &37.into()));
}

#[test]
fn sizes_and_threads_are_those_of_tbindex() {
    let refused = |option: &str, value: &str, says: &str| {
        let arguments = ["generate", "KRBvKR", "--no-write", option, value];
        fail(&arguments, 2, says);
    };
    for (memory, says) in [
        ("15M", "allows 15 MiB"),
        ("1KiB", "allows 1 KiB"),
        ("2mb", "allows 2.0 MiB"),
    ] {
        refused("--memory", memory, says);
    }
    for (option, value) in [
        ("--memory", "1X"),
        ("--memory", "99999999T"),
        ("--threads", "1025"),
    ] {
        refused(option, value, option);
    }
    succeed(&[
        "generate",
        "KRvK",
        "--no-write",
        "--threads",
        "0",
        "--memory",
        "1T",
    ]);
}

#[test]
fn what_killed_runs_have_left_is_removed() {
    let (folder, path) = folder();
    let of = |name: &str| folder.path().join(name);
    fs::write(of(".KQvKR.tbg.partial"), "left").unwrap();
    let at_work = PartialFile::create(of("KRvKB.tbg"), Overwrite::Refuse).unwrap();
    succeed(&["generate", "KRvK", "-o", &path]);
    let has = |name: &str| names(folder.path()).iter().any(|found| found == name);
    assert!(!has(".KQvKR.tbg.partial"));
    assert!(has(".KRvKB.tbg.partial"), "another process is writing it");
    drop(at_work);
    // The checkpoint of a table that was written just before the kill; and, if the table is to be made again, any checkpoint.
    for (metric, checkpoint) in [("dtz", of("KNNNvK.plies")), ("dtm", of("KNNNvK.mates"))] {
        let generate = ["generate", "KNNNvK", "--metric", metric, "-o", &path];
        succeed(&generate);
        for (force, begin) in [(&[][..], &b"\x89TBL\r\n\x1a\n"[..]), (&["--force"], b"")] {
            fs::write(&checkpoint, [begin, &[0; 1000]].concat()).unwrap();
            succeed(&[&generate[..], force].concat());
            assert!(!checkpoint.exists(), "{metric} {force:?}");
        }
        // What is no checkpoint stays where none is written.
        let other = checkpoint.with_file_name(
            checkpoint
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .replace("NNN", "N"),
        );
        fs::write(&other, "my knights").unwrap();
        succeed(&["generate", "KNvK", "--metric", metric, "-o", &path]);
        assert!(other.exists(), "{metric}");
    }
    let syzygy = tempfile::tempdir().unwrap();
    fs::write(syzygy.path().join(".syzygy-left"), "left").unwrap();
    let path = syzygy.path().to_str().unwrap();
    succeed(&["generate", "KRvK", "--format", "syzygy", "-o", path]);
    assert!(!names(syzygy.path()).contains(&".syzygy-left".to_owned()));
}

#[test]
fn an_interrupted_run_ends_by_the_signal_and_leaves_no_partial_file() {
    for (name, number) in noticed([("-INT", 2), ("-TERM", 15)]) {
        let (folder, path) = folder();
        // In the one table with five pieces, as smaller ones have no checkpoint.
        let generate = ["generate", "KRRvKB", "-o", &path];
        let held = Held::at(
            "tbgen::ply_recorded",
            2,
            Command::new(PROGRAM).args(generate),
        );
        let id = held.child.id().to_string();
        Command::new("kill").args([name, &id]).status().unwrap();
        let (status, rest) = held.go_on();
        assert_eq!(status.signal(), Some(number), "{rest}");
        assert!(rest.contains("interrupted"), "{rest}");
        assert!(
            names(folder.path())
                .iter()
                .all(|name| !name.ends_with(".partial"))
        );
    }
}

/// While a table is written, and while one is loaded that others need.
#[test]
fn an_interrupted_run_ends_within_a_block_of_its_files() {
    for (name, number) in noticed([("-INT", 2)]) {
        for (point, passes, table) in [
            ("tbgen::blocks_written", 0, "KQvKR"),
            ("tbgen::slice_to_load", 5, "KQQvK"),
        ] {
            let (folder, path) = folder();
            succeed(&["generate", "KQvK", "-o", &path]);
            succeed(&["generate", "KRvK", "-o", &path]);
            let mut command = Command::new(PROGRAM);
            command.args(["generate", table, "-o", &path, "--threads", "1"]);
            let held = Held::at(point, passes, &mut command);
            let id = held.child.id().to_string();
            Command::new("kill").args([name, &id]).status().unwrap();
            let (status, rest) = held.go_on();
            assert_eq!(status.signal(), Some(number), "{point}: {rest}");
            assert!(rest.contains("interrupted"), "{point}: {rest}");
            assert_eq!(names(folder.path()).len(), 2, "{point}");
        }
    }
}

/// What checks tell a terminal.
#[test]
fn a_check_shows_how_far_it_is() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|output| text(&output.stdout).contains("util-linux")) {
        eprintln!("SKIPPED a_check_shows_how_far_it_is: it needs the script command of util-linux");
        return;
    }
    let (_folder, path) = folder();
    succeed(&["generate", "KRvKN", "-o", &path]);
    let output = Command::new("script")
        .args([
            "-qec",
            &format!("{PROGRAM} verify {path} --table KRvKN --one-in 12"),
            "/dev/null",
        ])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let written = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{written}");
    assert!(written.contains("% checked"), "{written}");
}

#[test]
fn messages_that_nobody_reads_stop_nothing() {
    let (folder, path) = folder();
    let full = File::options().write(true).open("/dev/full");
    let Ok(full) = full else {
        println!("SKIPPED: there is no /dev/full");
        return;
    };
    let status = Command::new(PROGRAM)
        .args(["generate", "KRvK", "-o", &path, "--log", "/dev/full"])
        .stderr(full)
        .status()
        .unwrap();
    assert!(status.success());
    assert!(folder.path().join("KRvK.tbg").exists());
    // What can't be written to the journal is said once.
    let output = tbgen(&["generate", "KQvK", "-o", &path, "--log", "/dev/full"]);
    assert!(output.status.success());
    assert_eq!(text(&output.stderr).matches("/dev/full").count(), 1);
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let (folder, path) = folder();
    succeed(&["generate", "KPvK", "-o", &path, "--metric", "dtm"]);
    let refused = |arguments: &[&str], says: &str| fail(arguments, 2, says);
    let file = format!("{path}/KPvK.tbm");
    refused(
        &["stats", &file, "--metric", "dtz"],
        "this file are by dtm, and not by dtz",
    );
    assert_eq!(json(&["stats", &file, "--json"])["metric"], "dtm");
    refused(
        &["generate", "KQvK", "--format", "syzygy", "-o", &path],
        "has tables of tbgen",
    );
    let syzygy = folder.path().join("syzygy");
    let syzygy = syzygy.to_str().unwrap();
    succeed(&["generate", "KQvK", "--format", "syzygy", "-o", syzygy]);
    refused(&["generate", "KRvK", "-o", syzygy], "has Syzygy files");
    let file = format!("{syzygy}/KQvK.rtbz");
    refused(
        &["stats", &file, "--metric", "dtm"],
        "this file are by dtz, and not by dtm",
    );
    // Placements of five pawns are too many to be listed.
    refused(
        &["estimate", "KPPPvKPP"],
        "KPPPvKPP has 17123040 placements",
    );
    // The folder for temporary files is made.
    let temp = folder.path().join("temp");
    succeed(&[
        "generate",
        "KQvK",
        "-o",
        &path,
        "--temp",
        temp.to_str().unwrap(),
    ]);
    assert!(temp.is_dir());
}
