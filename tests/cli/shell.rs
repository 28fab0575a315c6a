//! What the program gives the shell and `man`: completions and manual pages.

use std::collections::BTreeSet;
use std::process::Command;

use crate::program::{Folder, commands, run, stdout};
use crate::support::folder::names;
use crate::support::skipped::skipped;

#[test]
fn completions_name_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&format!("completions {shell}"));
        for command in commands("").into_iter().chain(commands("fairy")) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        folder.write(shell, script);
        match (Command::new(shell).arg("-n").arg(folder.path(shell))).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(error) => skipped(shell, &error.to_string()),
        }
    }
    let wrong = run("completions abacus").failure(2);
    assert!(wrong.contains("bash"), "{wrong}");
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
        assert!(page("tbindex.1").contains(&named), "{command}");
    }
    assert!(page("tbindex-flip.1").contains("tbindex flip KQvKR 0o00270327"));

    // Pages are files like others: not replaced unasked.
    let again = folder.run("man --dir man1").failure(1);
    assert!(again.contains("--force"), "{again}");
    folder.stdout("man --dir man1 --force");
    let unknown = run("man fairy sensus").failure(2);
    assert!(unknown.contains("census"), "{unknown}");

    for name in pages {
        let mut groff = Command::new("groff");
        groff.args(["-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou"]);
        match groff.arg(folder.path("man1").join(&name)).output() {
            Ok(output) => {
                assert!(
                    output.status.success() && output.stderr.is_empty(),
                    "{output:?}"
                );
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(text.contains("SYNOPSIS"), "{name}");
            }
            Err(error) => return skipped("groff", &error.to_string()),
        }
    }
}
