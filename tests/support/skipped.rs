//! Checks that can't be made everywhere.

use std::io::Write;

/// Says what is not checked, and why. It is not `eprintln!`, whose text the test harness shows only of tests
/// that fail.
pub fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {what}: {why}");
}
