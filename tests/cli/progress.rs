//! Progress bars are drawn on standard error, and only where that is a terminal.

use std::fs;
use std::process::{Command, Stdio};

use crate::program::{Temp, stdout};
use crate::skipped::skipped;

/// Whether there is the `script` of util-linux, which gives a command a terminal.
fn has_script() -> bool {
    let version = Command::new("script").arg("--version").output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux"))
}

#[test]
fn on_a_narrow_terminal_there_are_numbers_and_no_bar() {
    if !has_script() {
        skipped(
            "on_a_narrow_terminal_there_are_numbers_and_no_bar",
            "it needs the script command of util-linux",
        );
        return;
    }
    let program = env!("CARGO_BIN_EXE_tbindex");
    let temp = Temp::new();
    let set = temp.path("set.tbi");
    stdout(&["enumerate", "KQvKR", "--reduce", "-o", &set]);
    let written = on_terminal(&format!("stty rows 24 cols 50; {program} verify {set}"));
    assert!(
        written.contains("% of bytes (ETA ") && !written.contains('░'),
        "{written}"
    );
}

/// What a command of the shell writes to its terminal.
fn on_terminal(command: &str) -> String {
    let output = Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command}: {written}");
    written
}

fn has_bar(text: &str) -> bool {
    text.contains("(ETA ")
}

#[test]
fn bars_are_drawn_on_standard_error_and_only_on_a_terminal() {
    if !has_script() {
        skipped(
            "bars_are_drawn_on_standard_error_and_only_on_a_terminal",
            "it needs the script command of util-linux",
        );
        return;
    }
    let temp = Temp::new();
    let [set, out, other] = ["set.tbi", "out.tbi", "other"].map(|name| temp.path(name));
    stdout(&["enumerate", "KQvKR", "--reduce", "-o", &set]);
    for command in [
        format!("enumerate KQvKR --reduce -o {out} --force"),
        format!("reduce {set} -o {out} --force"),
        format!("convert {set} --numbering alternate -o {out} --force"),
        format!("union {set} {set} -o {out} --force"),
        format!("info {set}"),
        format!("verify {set}"),
    ] {
        let program = format!("{} {command}", env!("CARGO_BIN_EXE_tbindex"));
        let elsewhere = || fs::read_to_string(&other).unwrap();
        // Results to a file, messages to the terminal.
        assert!(
            has_bar(&on_terminal(&format!("{program} > {other}"))),
            "{command}"
        );
        assert!(!has_bar(&elsewhere()), "{command}");
        // The other way round.
        assert!(
            !has_bar(&on_terminal(&format!("{program} 2> {other}"))),
            "{command}"
        );
        assert!(!has_bar(&elsewhere()), "{command}");
    }
}
