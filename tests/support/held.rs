//! Programs that a test holds at a named point of theirs.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};

/// A program that waits at a fail point, until [`go_on`](Held::go_on) or its end.
#[derive(Debug)]
pub struct Held {
    /// The program itself.
    pub child: Child,
    errors: BufReader<ChildStderr>,
}

impl Held {
    /// Starts the program and returns when it waits at the point, which it has passed `passes` times before.
    ///
    /// # Panics
    /// Panics with all that the program wrote to standard error, if it ends and has not come to the point.
    pub fn at(point: &str, passes: u32, command: &mut Command) -> Held {
        let child = command
            .env(
                "FAILPOINTS",
                format!("{point}={passes}*off->1*return(wait)->off"),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the program can be started");
        let mut errors = BufReader::new(child.stderr.take().expect("piped"));
        let (mut all, expected) = (String::new(), format!("waiting at {point}\n"));
        while !all.ends_with(&expected) {
            let read = errors.read_line(&mut all).expect("UTF-8");
            assert!(read > 0, "the program did not come to {point}: {all}");
        }
        Held { child, errors }
    }

    /// Lets the program go on, and returns how it ended and the rest of what it wrote to standard error.
    pub fn go_on(mut self) -> (ExitStatus, String) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        self.errors.read_to_string(&mut rest).expect("UTF-8");
        (self.child.wait().expect("started here"), rest)
    }
}
