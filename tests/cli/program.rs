//! The program, run as a user runs it.

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) fn tbindex(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .output()
        .expect("the program runs")
}

pub(crate) fn stdout(args: &[&str]) -> String {
    let output = tbindex(args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// The exit status and the message of a call that must fail.
pub(crate) fn failure(args: &[&str]) -> (i32, String) {
    let output = tbindex(args);
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

pub(crate) fn with_input(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    match child.stdin.take().unwrap().write_all(input.as_bytes()) {
        // A program that refuses its arguments or a line does not read the rest.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
}

/// Sends a signal, by the name that `kill` takes, such as `-TERM`.
#[cfg(unix)]
pub(crate) fn signal(child: &std::process::Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([name, &id]).status();
    assert!(sent.expect("kill can be started").success());
}

/// A path in a directory that goes away with the test.
pub(crate) struct Temp(pub(crate) tempfile::TempDir);

impl Temp {
    pub(crate) fn new() -> Temp {
        Temp(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}
