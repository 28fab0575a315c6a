//! What the program gives the shell and `man`: completions and manual pages, judged by the programs that
//! read them, where the machine has these.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Folder, commands, run, stdout};
use crate::support::skipped::skipped;

/// The commands that the help of a command lists.
fn subcommands(of: &str) -> BTreeSet<String> {
    commands(of).into_iter().collect()
}

/// Whether a program is there.
fn has(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        skipped(program, "it is not on this machine");
    }
    found
}

/// Runs a script of bash and returns what it prints; no file of the user's is read.
fn bash(script: &str) -> String {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script])
        .output()
        .expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// What bash offers after these words, the last of them begun.
fn completed_by_bash(script: &Path, words: &[&str]) -> BTreeSet<String> {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    let offered = bash(&format!(
        "source '{}'
         function=$(complete -p tbindex); function=${{function##*-F }}; function=${{function%% *}}
         COMP_WORDS=({}); COMP_CWORD={}
         $function tbindex \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        quoted.join(" "),
        words.len() - 1,
    ));
    offered.lines().map(str::to_owned).collect()
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&format!("completions {shell}"));
        for command in commands("").into_iter().chain(commands("fairy")) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let wrong = run("completions abacus").failure(2);
    assert!(wrong.contains("bash"), "{wrong}");
}

#[test]
fn bash_completes_commands_options_and_values() {
    if !has("bash") {
        return;
    }
    let folder = Folder::new();
    folder.write("tbindex.bash", stdout("completions bash"));
    let script = folder.path("tbindex.bash");
    let complete = |words: &[&str]| completed_by_bash(&script, words);

    assert!(complete(&["tbindex", ""]).is_superset(&subcommands("")));
    assert!(complete(&["tbindex", "can"]).into_iter().eq(["canonical"]));
    assert!(complete(&["tbindex", "fairy", ""]).is_superset(&subcommands("fairy")));
    let options = complete(&["tbindex", "flip", "--"]);
    assert!(options.contains("--symmetry"), "{options:?}");
    assert!(options.contains("--json"), "{options:?}");
    let shells = complete(&["tbindex", "completions", ""]);
    assert!(shells.contains("bash"), "{shells:?}");
    assert!(shells.contains("fish"), "{shells:?}");
}

#[test]
fn other_shells_can_read_their_completions() {
    let folder = Folder::new();
    for shell in ["zsh", "fish"] {
        if !has(shell) {
            continue;
        }
        folder.write(shell, stdout(&format!("completions {shell}")));
        let mut command = Command::new(shell);
        let output = command.arg("-n").arg(folder.path(shell)).output().unwrap();
        assert!(output.status.success(), "{shell}: {output:?}");
    }
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
    let pages = folder.path("man1");
    assert!(
        crate::support::names::names(&pages)
            .into_iter()
            .eq(expected)
    );

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

    let (man, groff) = (has("man"), has("groff"));
    for entry in std::fs::read_dir(&pages).unwrap() {
        let path = entry.unwrap().path();
        let silent = |command: &mut Command| {
            let output = command.arg(&path).output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(
                output.status.success() && errors.is_empty(),
                "{command:?}: {errors}"
            );
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        if groff {
            let options = ["-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou"];
            let text = silent(Command::new("groff").args(options));
            assert!(text.contains("SYNOPSIS"), "{}", path.display());
        }
        if man {
            let options = ["--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l"];
            let mut man = Command::new("man");
            let man = man.args(options).env("LC_ALL", "C.UTF-8");
            silent(man.env("MANROFFSEQ", ""));
        }
    }
}
