//! The program where others are against it: files that shrink, limits of the system, endless input, odd names.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};

use crate::program::{Ended, Folder, PROGRAM, run, words};
use crate::support::held::Held;
use crate::support::says::says;

fn begin(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

/// The program under a limit of the shell, such as `-f 8`.
fn limited(folder: &Folder, limit: &str, line: &str) -> Ended {
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", &script, PROGRAM]).args(words(line));
    Ended::of(shell.current_dir(folder.path("")).output().unwrap())
}

/// A folder with a file of several blocks.
fn with_large_file() -> Folder {
    let folder = Folder::new();
    folder.stdout("enumerate KQvKR --stage legal --side white --reduce -o large");
    folder
}

fn shorten(folder: &Folder) {
    let file = File::options().write(true).open(folder.path("large"));
    file.unwrap().set_len(4096).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_mapped_file_that_is_shortened_is_an_error_with_its_name() {
    let folder = with_large_file();
    // The file is found by its address, and its name may have blanks.
    std::fs::hard_link(folder.path("large"), folder.path("a large one")).unwrap();
    // The program waits until someone reads what it prints.
    let mut child = begin(folder.command("decode").arg("a large one"));
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    printed.read_line(&mut String::new()).unwrap();
    shorten(&folder);
    printed.read_to_end(&mut Vec::new()).unwrap();
    let message = Ended::of(child.wait_with_output().unwrap()).failure(1);
    says(message, &["/a large one: a part of it is gone"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_is_shortened_under_a_writer_leaves_no_partial_file() {
    let folder = with_large_file();
    let mut convert = folder.command("convert large -o out --numbering alternate");
    let held = Held::at("store::writer_created", 0, &mut convert);
    assert_eq!(folder.names(), [".out.partial", "large"]);
    shorten(&folder);
    let (status, errors) = held.go_on();
    assert_eq!(status.code(), Some(1), "{errors}");
    says(errors, &["large: a part of it is gone"]);
    assert_eq!(folder.names(), ["large"]);
}

#[test]
fn a_file_that_may_not_grow_is_an_error() {
    let folder = Folder::new();
    let message = limited(&folder, "-f 8", "enumerate KQvK -o out").failure(1);
    says(message, &["out: can't write"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn without_descriptors_nothing_half_written_stays() {
    for most in 3..12 {
        let folder = Folder::new();
        let ended = limited(&folder, &format!("-n {most}"), "enumerate KvK -o out");
        match ended.status.success() {
            true => assert_eq!(folder.names(), ["out"]),
            false => assert_eq!(folder.names(), [""; 0], "{ended:?}"),
        }
    }
}

#[test]
fn without_threads_one_does_the_work() {
    let folder = Folder::new();
    let line = "enumerate KQvKR --stage legal --side white --reduce -o";
    folder.stdout(&format!("{line} in"));
    folder.stdout("reduce in -o out --threads 1");
    // No stack has room.
    let limit = "-v 4000000; export RUST_MIN_STACK=8000000000";
    limited(&folder, limit, "reduce in -o again --threads 8").success();
    limited(
        &folder,
        limit,
        "convert in -o converted --numbering alternate --threads 8",
    )
    .success();
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("again") == read("out"));
}

#[test]
fn input_without_line_ends_is_refused() {
    let folder = Folder::new();
    let endless = folder.run("encode KQvK /dev/zero -o out").failure(1);
    let reason = "/dev/zero: can't read it: line 1 is longer than 64 KiB";
    says(endless, &[reason]);
    let long = format!("\n8/8/8/8/8/8/8/{} w - -\n", "1".repeat(1 << 17));
    let blanks = " ".repeat(1 << 17);
    for (line, input, reason) in [
        (
            "encode KQvK - -o out",
            long,
            "standard input: can't read it: line 2 is",
        ),
        ("fairy classify -", blanks, "longer than 65536 bytes"),
    ] {
        says(folder.with_input(line, &input).failure(1), &[reason]);
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn all_pieces_are_listed_as_they_are_found() {
    for line in ["fairy list --json", "fairy list"] {
        let mut child = begin(Command::new(PROGRAM).args(words(line)));
        let mut some = vec![0; 1 << 20];
        let mut printed = child.stdout.take().unwrap();
        printed.read_exact(&mut some).unwrap();
        drop(printed);
        // A reader that has seen enough closes the pipe.
        assert!(child.wait().unwrap().success());
        let text = String::from_utf8(some).unwrap();
        assert!(text.lines().count() > 5000);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_nobody_reads_stop_nothing() {
    let folder = with_large_file();
    for (line, status) in [
        ("reduce large -o small", 0),
        ("index KQvKR a1", 2),
        ("info x", 1),
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(PROGRAM);
        let command = command.args(words(line)).current_dir(folder.path(""));
        let ended = command.stderr(full).status().unwrap();
        assert_eq!(ended.code(), Some(status), "{line}");
    }
    // Results that nobody reads are an error, which says so.
    for line in ["decode large", "info large", "fairy list"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(PROGRAM);
        let command = command.args(words(line)).current_dir(folder.path(""));
        let ended = Ended::of(command.stdout(full).output().unwrap());
        says(
            ended.failure(1),
            &["can't print the results: No space left"],
        );
    }
}

#[test]
fn long_work_says_how_long_it_takes() {
    let mut child = begin(Command::new(PROGRAM).args(words("enumerate KQRBNvKQRBN --threads 1")));
    let mut first = String::new();
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    messages.read_line(&mut first).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    says(first, &[" years of time"]);
}

#[test]
fn any_name_that_the_system_takes_may_be_that_of_a_file() {
    let folder = Folder::new();
    let long = ["a", "b"].map(|end| "x".repeat(254) + end);
    let odd = OsStr::from_bytes(b"not \xff UTF-8");
    for name in [odd, OsStr::new(&long[0]), OsStr::new(&long[1])] {
        for line in ["enumerate KvK -o", "enumerate KvK --force -o"] {
            let output = folder.command(line).arg(name).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        }
        assert!(folder.path("").join(name).exists());
    }
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 3);
}

#[test]
fn what_is_no_file_is_not_to_be_replaced() {
    let message = run("enumerate KvK -o /dev/null").failure(1);
    says(&message, &["/dev/null: it is a device"]);
    assert!(!message.contains("--force"), "{message}");
}
