//! The program's gifts for the shell and `man`: completions and manual pages.

use std::collections::BTreeSet;
use std::process::Command;

use crate::program::{Ended, Folder, commands, run, stdout};
use crate::support::folder::names;
use crate::support::says::says;
use crate::support::skipped::skipped;

#[test]
fn completions_name_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&format!("completions {shell}"));
        for command in commands("").into_iter().chain(commands("fairy")) {
            says(&script, &[&command]);
        }
        folder.write(shell, script);
        match (Command::new(shell).arg("-n").arg(folder.path(shell))).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(error) => skipped(shell, &error.to_string()),
        }
    }
    says(run("completions abacus").failure(2), &["bash"]);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = Folder::new();
    folder.stdout("man --dir man1");
    let mut expected = BTreeSet::from(["tbindex.1".to_owned()]);
    for command in commands("") {
        expected.insert(format!("tbindex-{command}.1"));
        let below = commands(&command).into_iter();
        expected.extend(below.map(|below| format!("tbindex-{command}-{below}.1")));
    }
    let pages = names(&folder.path("man1"));
    assert!(pages.iter().eq(&expected));

    // One page is what the same page in the folder is.
    let page = |name: &str| folder.text(&format!("man1/{name}"));
    assert_eq!(stdout("man"), page("tbindex.1"));
    assert_eq!(stdout("man fairy census"), page("tbindex-fairy-census.1"));
    for command in commands("") {
        let named = format!("tbindex\\-{command}(1)");
        says(page("tbindex.1"), &[&named]);
    }
    let example = "tbindex flip KQvKR 0o00270327";
    says(page("tbindex-flip.1"), &[example]);

    // Pages are files like others: not replaced unasked.
    says(folder.run("man --dir man1").failure(1), &["--force"]);
    folder.stdout("man --dir man1 --force");
    says(run("man fairy sensus").failure(2), &["census"]);

    for name in pages {
        let mut groff = Command::new("groff");
        groff.args(["-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou"]);
        match groff.arg(folder.path("man1").join(&name)).output() {
            Ok(output) => {
                let ended = Ended::of(output);
                assert_eq!(ended.errors, "", "{name}");
                says(ended.success(), &["SYNOPSIS"]);
            }
            Err(error) => return skipped("groff", &error.to_string()),
        }
    }
}
