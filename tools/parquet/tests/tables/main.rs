//! The program as people run it.

mod index_files;
mod positions;
#[path = "../../../../tests/support/thorough.rs"]
pub mod thorough;

use std::process::{Command, Output};

/// Runs the program with the words of a call.
fn run(call: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tbindex-parquet"));
    program.args(call.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs the program, which has to succeed, and returns what it prints.
fn succeed(call: &str) -> String {
    let output = run(call);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{call}: {errors}");
    text(&output.stdout)
}

/// Runs the program, which has to end with a status and to say something, and returns its messages.
fn fail(status: i32, says: &str, call: &str) -> String {
    let output = run(call);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{call}: {errors}");
    assert!(errors.contains(says), "{call}: {errors}");
    errors
}

/// A folder, and its path as text.
fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}
