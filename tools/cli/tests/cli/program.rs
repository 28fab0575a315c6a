//! The program, run as a user runs it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::process::{Command, ExitStatus, Output, Stdio};

use serde_json::Value;

pub(crate) use crate::support::folder::Folder;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tbindex");

/// The words of a command line, as a shell divides it: at blanks, but what is in quotes is one word.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let quoted = |(at, part): (usize, _)| match at % 2 {
        0 => str::split_whitespace(part).collect(),
        _ => vec![part],
    };
    line.split('\'').enumerate().flat_map(quoted).collect()
}

/// How a program ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) errors: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Ended {
        Ended {
            status: output.status,
            stdout: String::from_utf8(output.stdout).unwrap(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Its output, if it succeeded.
    pub(crate) fn success(self) -> String {
        assert!(self.status.success(), "{self:?}");
        self.stdout
    }

    /// The JSON that it printed, if it succeeded.
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.success()).unwrap()
    }

    /// Its message, if it failed with this status and without a result.
    pub(crate) fn failure(self, status: i32) -> String {
        let found = (self.status.code(), &self.stdout[..]);
        assert_eq!(found, (Some(status), ""), "{self:?}");
        self.errors
    }
}

/// The program runs in a folder, so that command lines name files as users do.
impl Folder {
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with a line of arguments.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words(line)).current_dir(self.path(""));
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ended {
        Ended::of(self.command(line).output().expect("the program runs"))
    }

    pub(crate) fn stdout(&self, line: &str) -> String {
        self.run(line).success()
    }

    pub(crate) fn json(&self, line: &str) -> Value {
        self.run(&format!("{line} --json")).json()
    }

    pub(crate) fn with_input(&self, line: &str, input: &str) -> Ended {
        let mut command = self.command(line);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        match child.stdin.take().unwrap().write_all(input.as_bytes()) {
            // A program that refuses its arguments or a line does not read the rest.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        Ended::of(child.wait_with_output().unwrap())
    }
}

/// The program with a line of arguments, where no files matter.
pub(crate) fn run(line: &str) -> Ended {
    Ended::of(Command::new(PROGRAM).args(words(line)).output().unwrap())
}

pub(crate) fn stdout(line: &str) -> String {
    run(line).success()
}

pub(crate) fn json(line: &str) -> Value {
    run(&format!("{line} --json")).json()
}

/// The commands that the help of a command lists.
pub(crate) fn commands(of: &str) -> Vec<String> {
    let help = stdout(&format!("{of} --help"));
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Deeper lines are the wrapped tails of descriptions.
    let lines = lines.take_while(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}
