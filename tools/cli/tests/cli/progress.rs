//! Progress bars are drawn on standard error, and only where that is a terminal.

use std::process::{Command, Stdio};

use crate::program::{Folder, PROGRAM};
use crate::support::skipped::skipped;

/// The text that a command of the shell writes to its terminal, by the `script` of util-linux, which gives it one.
fn on_terminal(folder: &Folder, command: &str) -> String {
    let output = Command::new("script")
        .args(["-qec", command, "/dev/null"])
        .env("TERM", "xterm")
        .current_dir(folder.path(""))
        .stdin(Stdio::null())
        .output()
        .expect("script runs");
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command}: {written}");
    written
}

#[test]
fn bars_are_drawn_on_standard_error_and_only_on_a_terminal() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux")) {
        let why = "it needs the script command of util-linux";
        return skipped("bars on a terminal", why);
    }
    let folder = Folder::new();
    folder.stdout("enumerate KQvKR --reduce -o set");
    let has_bar = |text: &str| text.contains("(ETA ");
    for line in [
        "enumerate KQvKR --reduce -o out --force",
        "reduce set -o out --force",
        "convert set --numbering alternate -o out --force",
        "union set set -o out --force",
        "info set",
        "verify set",
    ] {
        let bar_is_drawn = |redirection: &str| {
            let command = format!("{PROGRAM} {line} {redirection} other");
            let drawn = has_bar(&on_terminal(&folder, &command));
            assert!(!has_bar(&folder.text("other")), "{command}");
            drawn
        };
        // Results to a file, messages to the terminal, and the other way round.
        assert!(bar_is_drawn(">"), "{line}");
        assert!(!bar_is_drawn("2>"), "{line}");
    }
    // On a narrow terminal there are numbers and no bar.
    let narrow = format!("stty rows 24 cols 50; {PROGRAM} verify set");
    let written = on_terminal(&folder, &narrow);
    assert!(written.contains("% of bytes (ETA "), "{written}");
    assert!(!written.contains('░'), "{written}");
}
