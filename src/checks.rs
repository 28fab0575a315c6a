//! Checks of arguments, whose messages name the function and both figures.

use std::fmt::Display;

/// Panics if a slice that a function was given has not the length that goes with the others.
#[track_caller]
#[inline]
pub(crate) fn check_length(function: &str, found: usize, expected: usize) {
    assert!(
        found == expected,
        "{function}: a slice of {found}, expected {expected}"
    );
}

/// Panics if a number that a function was given is not below its end.
#[track_caller]
#[inline]
pub(crate) fn check_below<N: PartialOrd + Display>(function: &str, what: &str, found: N, end: N) {
    if found >= end {
        not_below(function, what, &found, &end);
    }
}

/// Apart, so that functions that call it stay short enough to be inlined.
#[cold]
#[inline(never)]
#[track_caller]
fn not_below(function: &str, what: &str, found: &dyn Display, end: &dyn Display) -> ! {
    panic!("{function}: {what} {found}, expected one below {end}");
}
