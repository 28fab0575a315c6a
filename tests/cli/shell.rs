//! What the program gives the shell and `man`: completions and manual pages, judged by the programs that
//! read them, where the machine has these.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::skipped::skipped;

fn tbindex(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .output()
        .expect("the program runs")
}

fn stdout(args: &[&str]) -> String {
    let output = tbindex(args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that the help of a command lists.
fn subcommands(path: &[&str]) -> BTreeSet<String> {
    let help = stdout(&[path, &["--help"]].concat());
    help.lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect()
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
        let script = stdout(&["completions", shell]);
        for command in subcommands(&[]) {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        for command in subcommands(&["fairy"]) {
            assert!(script.contains(&command), "{shell}: fairy {command}");
        }
    }
    let wrong = tbindex(&["completions", "abacus"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("bash"));
}

#[test]
fn bash_completes_commands_options_and_values() {
    if !has("bash") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tbindex.bash");
    std::fs::write(&script, stdout(&["completions", "bash"])).unwrap();
    let complete = |words: &[&str]| completed_by_bash(&script, words);

    assert!(complete(&["tbindex", ""]).is_superset(&subcommands(&[])));
    assert_eq!(
        complete(&["tbindex", "can"]),
        ["canonical".to_owned()].into()
    );
    assert!(complete(&["tbindex", "fairy", ""]).is_superset(&subcommands(&["fairy"])));
    let options = complete(&["tbindex", "flip", "--"]);
    assert!(
        options.contains("--symmetry") && options.contains("--json"),
        "{options:?}"
    );
    let shells = complete(&["tbindex", "completions", ""]);
    assert!(
        shells.contains("bash") && shells.contains("fish"),
        "{shells:?}"
    );
}

#[test]
fn other_shells_can_read_their_completions() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["zsh", "fish"] {
        if !has(shell) {
            continue;
        }
        let script = folder.path().join(shell);
        std::fs::write(&script, stdout(&["completions", shell])).unwrap();
        let output = Command::new(shell).arg("-n").arg(&script).output().unwrap();
        assert!(output.status.success(), "{shell}: {output:?}");
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    let dir = pages.to_str().unwrap();
    stdout(&["man", "--dir", dir]);
    let mut expected = BTreeSet::from(["tbindex.1".to_owned()]);
    for command in subcommands(&[]) {
        expected.insert(format!("tbindex-{command}.1"));
        for below in subcommands(&[&command]) {
            expected.insert(format!("tbindex-{command}-{below}.1"));
        }
    }
    let found: BTreeSet<_> = std::fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);

    // One page is what the same page in the folder is.
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert_eq!(stdout(&["man"]), page("tbindex.1"));
    assert_eq!(
        stdout(&["man", "fairy", "census"]),
        page("tbindex-fairy-census.1")
    );
    for command in subcommands(&[]) {
        assert!(
            page("tbindex.1").contains(&format!("tbindex\\-{command}(1)")),
            "{command}"
        );
    }
    assert!(page("tbindex-flip.1").contains("tbindex flip KQvKR 0o00270327"));

    // Pages are files like others: not replaced unasked.
    let again = tbindex(&["man", "--dir", dir]);
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8(again.stderr).unwrap().contains("--force"));
    stdout(&["man", "--dir", dir, "--force"]);
    let unknown = tbindex(&["man", "fairy", "sensus"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("census")
    );
}

#[test]
fn manual_pages_give_no_warnings() {
    let folder = tempfile::tempdir().unwrap();
    stdout(&["man", "--dir", folder.path().to_str().unwrap()]);
    let (man, groff) = (has("man"), has("groff"));
    for entry in std::fs::read_dir(&folder).unwrap() {
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
            let text =
                silent(Command::new("groff").args(["-ww", "-man", "-Kutf8", "-Tutf8", "-P-cbou"]));
            assert!(text.contains("SYNOPSIS"), "{}", path.display());
        }
        if man {
            silent(
                Command::new("man")
                    .args(["--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l"])
                    .env("LC_ALL", "C.UTF-8")
                    .env("MANROFFSEQ", ""),
            );
        }
    }
}
