//! The commands of README, run in the order in which it shows them: they print what it says.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The command of README that serves until it is stopped. It is not run.
const SERVES: &str = "cargo run --release -p tbserve";

/// The commands of a page's `console` blocks, each with the lines that it prints according to the page.
fn commands_of(page: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside && let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), String::new()));
        } else if inside {
            let (_, printed) = commands.last_mut().expect("the command comes first");
            *printed += &format!("{line}\n");
        }
    }
    commands
}

/// The text that a command of the shell prints on both streams, with the program on the path.
fn printed(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_tbindex"));
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = program.parent().map(Path::to_owned).into_iter();
    let path = env::join_paths(folders.chain(env::split_paths(&path))).unwrap();
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}; }} 2>&1")])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{command}: {text}");
    text
}

/// The text without the lines about needs, which depend on the number of processors.
fn without_needs(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| !line.starts_with("needs at most"))
        .collect()
}

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let page = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut run = 0;
    for (command, expected) in commands_of(&page) {
        if command == SERVES {
            continue;
        }
        let command = command.replace("cargo run --release -- ", "tbindex ");
        let found = printed(&command, folder.path());
        assert_eq!(without_needs(&found), without_needs(&expected), "{command}");
        run += 1;
    }
    assert!(run >= 10, "{run} commands");
}
