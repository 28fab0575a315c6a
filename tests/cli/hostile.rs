//! The program where others are against it: files that shrink, limits of the system, endless input, wrong numbers.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Output, Stdio};

use crate::held::Held;
use crate::names::names;
use crate::program::{Temp, failure, json, stdout, tbindex, with_input};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tbindex");

fn begin(args: &[&str]) -> Child {
    Command::new(PROGRAM)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

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

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of one mebibyte.
fn large_file(temp: &Temp) -> String {
    let path = temp.path("large.tbi");
    stdout(&["enumerate", "KQvK", "--stage", "distinct", "-o", &path]);
    path
}

fn shorten(path: &str) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(4096)
        .unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_mapped_file_that_is_shortened_is_an_error_with_its_name() {
    let temp = Temp::new();
    let path = large_file(&temp);
    // The program waits until someone reads what it prints.
    let mut child = begin(&["decode", &path]);
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    printed.read_line(&mut String::new()).unwrap();
    shorten(&path);
    printed.read_to_end(&mut Vec::new()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(
        errors(&output).contains("large.tbi: a part of it is gone"),
        "{}",
        errors(&output)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_shortened_under_a_writer_leaves_no_partial_file() {
    let temp = Temp::new();
    let path = large_file(&temp);
    let out = temp.path("out");
    let args = ["convert", &path, "-o", &out, "--numbering", "alternate"];
    let held = Held::at("store::writer_created", 0, Command::new(PROGRAM).args(args));
    assert_eq!(names(temp.0.path()), [".out.partial", "large.tbi"]);
    shorten(&path);
    let (status, errors) = held.go_on();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("large.tbi: a part of it is gone"),
        "{errors}"
    );
    assert_eq!(names(temp.0.path()), ["large.tbi"]);
}

#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let temp = Temp::new();
    let out = temp.path("out");
    let output = limited("-f 8", &["enumerate", "KQvK", "-o", &out]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(errors(&output).contains("out: can't write"), "{output:?}");
    assert_eq!(names(temp.0.path()), [""; 0]);
}

#[test]
fn without_descriptors_nothing_half_written_stays() {
    for most in 3..12 {
        let temp = Temp::new();
        let out = temp.path("out");
        let limit = format!("-n {most}");
        let output = limited(&limit, &["enumerate", "KvK", "-o", &out]);
        match output.status.success() {
            true => assert_eq!(names(temp.0.path()), ["out"]),
            false => assert_eq!(names(temp.0.path()), [""; 0], "{}", errors(&output)),
        }
    }
}

#[test]
fn input_without_line_ends_is_refused() {
    let temp = Temp::new();
    let out = temp.path("out");
    let (status, message) = failure(&["encode", "KQvK", "/dev/zero", "-o", &out]);
    assert_eq!(status, 1);
    assert!(
        message.contains("/dev/zero: line 1 is longer than 65536 bytes"),
        "{message}"
    );
    let long = format!("\n8/8/8/8/8/8/8/{} w - -\n", "1".repeat(1 << 17));
    let output = with_input(&["encode", "KQvK", "-", "-o", &out], &long);
    assert!(errors(&output).contains("standard input: line 2"));
    let output = with_input(&["fairy", "classify", "-"], &" ".repeat(1 << 17));
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("longer than 65536 bytes"));
    assert_eq!(names(temp.0.path()), [""; 0]);
}

#[test]
fn all_pieces_are_listed_as_they_are_found() {
    for format in [&["fairy", "list", "--json"][..], &["fairy", "list"]] {
        let mut child = begin(format);
        let mut some = vec![0; 1 << 20];
        let mut printed = child.stdout.take().unwrap();
        printed.read_exact(&mut some).unwrap();
        drop(printed);
        // Who has seen enough closes the pipe.
        assert!(child.wait().unwrap().success());
        let text = String::from_utf8(some).unwrap();
        assert!(text.lines().count() > 5000);
    }
}

#[test]
fn amounts_beyond_all_memory_are_refused() {
    for (memory, expected) in [
        ("99999999", "the buffers take"),
        ("17592186044416", "expected a number of MiB"),
        ("0", "expected a number of MiB"),
    ] {
        let (status, message) = failure(&["bench", "--memory", memory, "--seconds", "0"]);
        assert_eq!(status, 2, "{message}");
        assert!(message.contains(expected), "{message}");
    }
    for seconds in ["-1", "NaN", "1e30", "x"] {
        let (status, message) = failure(&["bench", &format!("--seconds={seconds}")]);
        assert_eq!(status, 2, "{message}");
        assert!(
            message.contains("expected a number of seconds"),
            "{message}"
        );
    }
}

#[test]
fn long_work_says_how_long_it_takes() {
    let mut child = begin(&["enumerate", "KQRBNvKQRBN", "--threads", "1"]);
    let mut first = String::new();
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    messages.read_line(&mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.contains(" years of time"), "{first}");
}

#[test]
fn any_name_that_the_system_takes_may_be_that_of_a_file() {
    let temp = Temp::new();
    let folder = temp.0.path();
    let long = |end: &str| {
        OsStr::from_bytes(&[b'x'; 254])
            .to_owned()
            .into_string()
            .unwrap()
            + end
    };
    let odd = OsStr::from_bytes(b"not \xff UTF-8");
    for name in [odd, OsStr::new(&long("a")), OsStr::new(&long("b"))] {
        let path = folder.join(name);
        let enumerate = |force: &[&str]| {
            Command::new(PROGRAM)
                .args(["enumerate", "KvK", "-o"])
                .arg(&path)
                .args(force)
                .output()
                .unwrap()
        };
        let output = enumerate(&[]);
        assert!(output.status.success(), "{output:?}");
        assert!(enumerate(&["--force"]).status.success());
        assert!(path.exists());
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3);
}

#[test]
fn what_is_no_file_is_not_to_be_replaced() {
    let (status, message) = failure(&["enumerate", "KvK", "-o", "/dev/null"]);
    assert_eq!(status, 1);
    assert!(message.contains("/dev/null: it is a device"), "{message}");
    assert!(!message.contains("--force"), "{message}");
}

#[test]
fn messages_are_not_among_the_results() {
    let temp = Temp::new();
    let [first, second] = ["first", "second"].map(|name| temp.path(name));
    let line = "8/8/8/8/8/8/1Q6/K6k b - -\n";
    let output = with_input(&["encode", "KQvK", "-", "-o", &first], line);
    assert_eq!(output.stdout, b"");
    assert!(errors(&output).contains("wrote 1 index to "), "{output:?}");
    for (args, expected) in [
        (
            vec!["reduce", &first, "-o", &second],
            "reduced 1 index to 1 in ",
        ),
        (
            vec!["union", &first, &first, "-o", &second],
            "of 2 indices in 2 files",
        ),
        (
            vec!["union", &second, "-o", &first],
            "union of 1 index in 1 file: ",
        ),
        (
            vec![
                "transform",
                &first,
                "-o",
                &second,
                "--symmetry",
                "rotate_90",
            ],
            "wrote 1 index to ",
        ),
    ] {
        let output = tbindex(&[&args[..], &["--force"]].concat());
        assert_eq!(output.stdout, b"", "{args:?}");
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    }
    let shared = tbindex(&["squares", "KvK", "0"]);
    assert_eq!(shared.stdout, b"a1,a1\n");
    assert!(errors(&shared).contains("no FEN of it"));
    let output = with_input(&["fairy", "classify", "-"], "xx");
    assert_eq!(errors(&output).matches("a diagram has 5 rows").count(), 1);
}

#[test]
fn two_things_are_not_printed_at_once() {
    for args in [
        &["fairy", "classify", "N"][..],
        &["fairy", "distances", "N"],
        &["fairy", "mate", "N"],
        &["fairy", "census", "--mates"],
    ] {
        let (status, message) = failure(&[args, &["--json", "--svg", "-"]].concat());
        assert_eq!(status, 2, "{message}");
        assert!(message.contains("--svg - and --json"), "{message}");
    }
}

#[test]
fn lines_of_the_other_side_fit_when_they_are_turned_round() {
    let temp = Temp::new();
    let out = temp.path("out");
    let lines = "8/8/8/8/8/1q6/1Q6/K6k w - -\n8/8/8/8/8/1q6/1Q6/K6k b - -\n";
    let args = ["encode", "KQvKQ", "-", "-o", &out, "--side", "white"];
    let refused = with_input(&args, lines);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        errors(&refused).contains("give --swap-colors"),
        "{refused:?}"
    );
    let output = with_input(&[&args[..], &["--swap-colours", "--json"]].concat(), lines);
    assert!(output.status.success(), "{}", errors(&output));
    let counts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&counts["count"], &counts["turned_round"]),
        (&2.into(), &1.into())
    );
    let decoded = stdout(&["decode", &out]);
    assert_eq!(
        decoded.lines().nth(1),
        Some("k6K/1q6/1Q6/8/8/8/8/8 w - - 0 1")
    );
}

#[test]
fn every_backend_gives_the_same_file() {
    let temp = Temp::new();
    let [raw, out] = ["raw", "out"].map(|name| temp.path(name));
    stdout(&["enumerate", "KRvK", "-o", &raw]);
    let mut files = Vec::new();
    for backend in tbindex::batch::Backend::available() {
        let backend = ["--force", "--backend", backend.name()];
        stdout(&[&["reduce", &raw, "-o", &out][..], &backend].concat());
        files.push(fs::read(&out).unwrap());
        stdout(&["verify", &out, "--backend", backend[2]]);
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
    let (status, message) = failure(&["verify", &out, "--backend", "abacus"]);
    assert_eq!(status, 2);
    assert!(message.contains("is not a backend"), "{message}");
}

/// One answer and several have the same shape.
#[test]
fn answers_in_json_are_always_arrays() {
    let temp = Temp::new();
    let out = temp.path("out");
    stdout(&["enumerate", "KvK", "--reduce", "-o", &out]);
    for (args, key) in [
        (&["canonical", "KvK", "0"][..], "positions"),
        (&["canonical", "KvK", "0", "1"], "positions"),
        (&["find", &out, "0"], "indices"),
        (&["find", &out, "0", "1"], "indices"),
        (&["estimate", "KQvK"], "materials"),
        (&["estimate", "KQvK", "KRvK"], "materials"),
    ] {
        let answer = json(&[args, &["--json"]].concat());
        let asked = args[1..].len() - usize::from(args[0] != "estimate");
        assert_eq!(answer[key].as_array().unwrap().len(), asked, "{args:?}");
    }
}

/// Writes a copy of a file whose header claims more, with the right checksum.
fn claim(from: &str, flags: u8, to: &str) {
    let mut bytes = fs::read(from).unwrap();
    bytes[15] |= flags;
    let sum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&sum.to_le_bytes());
    fs::write(to, bytes).unwrap();
}

#[test]
fn a_false_claim_does_not_go_into_another_file() {
    const CANONICAL: u8 = 1;
    const SORTED_AND_DISTINCT: u8 = 6;
    let temp = Temp::new();
    let [plain, compact, good, turned, twice, crafted, out] = [
        "plain", "compact", "good", "turned", "twice", "crafted", "out",
    ]
    .map(|name| temp.path(name));
    let enumerate = ["enumerate", "KRvK", "--stage", "legal", "-o"];
    stdout(&[&enumerate[..], &[&plain]].concat());
    stdout(&[&enumerate[..], &[&compact, "--compress"]].concat());
    stdout(&[&enumerate[..], &[&good, "--reduce"]].concat());
    stdout(&["transform", &good, "-o", &turned, "--symmetry", "rotate_90"]);
    let line = "8/8/8/8/8/8/1R6/K6k w - -\n";
    let encode = ["encode", "KRvK", "-", "-o", &twice, "--side", "white"];
    assert!(with_input(&encode, &line.repeat(2)).status.success());

    for (from, flags, fault) in [
        (&plain, CANONICAL, "is not canonical"),
        (&compact, CANONICAL, "is not canonical"),
        (&turned, CANONICAL, "is not canonical"),
        (&turned, SORTED_AND_DISTINCT, "comes after"),
        (&twice, SORTED_AND_DISTINCT, "comes after"),
    ] {
        claim(from, flags, &crafted);
        let sorted = from != &turned || flags == SORTED_AND_DISTINCT;
        for (args, relies_on_it) in [
            (&["union", &crafted, &good][..], sorted),
            (&["union", &crafted, &crafted, "--compress"], sorted),
            (&["difference", &crafted, &good], sorted),
            (&["intersect", &plain, &crafted], sorted),
            // These are right whatever the file claims of its order.
            (&["reduce", &crafted], false),
            (&["convert", &crafted, "--numbering", "natural"], false),
            (&["convert", &crafted, "--numbering", "alternate"], false),
            (&["transform", &crafted, "--symmetry", "identity"], false),
        ] {
            let output = tbindex(&[args, &["-o", &out, "--force"]].concat());
            if output.status.success() {
                assert!(!relies_on_it, "{args:?} {fault}");
                stdout(&["verify", &out]);
            } else {
                let message = errors(&output);
                let unsorted = message.contains("does not say that its indices are sorted");
                assert!(
                    message.contains("crafted: ") && (unsorted || message.contains(fault)),
                    "{args:?}: {message}"
                );
            }
        }
        if flags == SORTED_AND_DISTINCT && from == &turned {
            let (status, message) = failure(&["find", &crafted, "0o777000"]);
            assert!(status == 1 && message.contains(fault), "{message}");
        }
    }
    // What both have is canonical.
    claim(&plain, CANONICAL, &crafted);
    stdout(&["intersect", &crafted, &good, "-o", &out, "--force"]);
    stdout(&["verify", &out]);
    assert_eq!(fs::read(&out).unwrap(), fs::read(&good).unwrap());
}

#[test]
fn help_says_which_positions_encode_refuses() {
    for command in ["transform", "squares", "index", "decode"] {
        let help = stdout(&[command, "--help"]).replace("\n", " ");
        assert!(help.contains("first or last rank"), "{help}");
    }
}
