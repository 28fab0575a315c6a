//! Named points at which a test holds the program, to kill it, to interrupt it, or to change a file under it.
//!
//! Only test builds have them (the feature `failpoints`); elsewhere [`fail_point!`](crate::fail_point) does nothing.
//! `FAILPOINTS='NAME=3*off->1*return(wait)'` in the program's environment passes `NAME` three times and stops there
//! the fourth time: the program writes a line `waiting at NAME` to standard error, and goes on when its standard input
//! ends. A test reads this line, acts, and closes the pipe, so that it hopes for no moment. With `return(abort)` it ends
//! there at once, and `return(step)` waits at each passage for a line. All other [actions of `fail`](https://docs.rs/fail) are there, too.

use std::io::{BufRead, Read};
use std::sync::OnceLock;

/// Names a point in the program; [the module](crate::fail_points) says how tests stop there.
#[macro_export]
#[doc(hidden)]
macro_rules! fail_point {
    ($name:literal) => {
        $crate::fail_points::reached($name)
    };
}

/// Takes the action that the environment variable `FAILPOINTS` names for this point.
///
/// # Panics
///
/// Panics where the variable asks for a panic, cannot be understood, or returns something else than `wait`, `step` and `abort`.
pub fn reached(name: &'static str) {
    static CONFIGURED: OnceLock<()> = OnceLock::new();
    CONFIGURED.get_or_init(|| std::mem::forget(fail::FailScenario::setup()));
    let action = fail::eval(name, Option::unwrap_or_default);
    match action.as_deref() {
        None => {}
        Some("wait") => {
            eprintln!("waiting at {name}");
            let mut input = std::io::stdin().lock();
            let ended = input.read_to_end(&mut Vec::new());
            ended.expect("standard input can be read");
        }
        Some("step") => {
            eprintln!("waiting at {name}");
            let read = std::io::stdin().lock().read_line(&mut String::new());
            read.expect("standard input can be read");
        }
        // As a kill leaves it.
        Some("abort") => std::process::abort(),
        Some(other) => {
            panic!("{name}: expected return(wait), return(step) or return(abort), not {other}")
        }
    }
}
