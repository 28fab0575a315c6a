//! Mistakes in the kernels of bitbases: operations that do something else than they should.
//!
//! Every operation on [lanes](super::feeds) comes by here and is counted. One of them may be replaced by a
//! mistake, as if the kernel's author had made it.

use std::cell::Cell;

/// Which of the mistakes that an operation allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    First,
    Second,
    Third,
}

impl Choice {
    pub(crate) const ALL: [Choice; 3] = [Choice::First, Choice::Second, Choice::Third];
}

/// A mistake: the number of the operation in a run, and which of those that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) operation: u32,
    pub(crate) choice: Choice,
}

thread_local! {
    static MISTAKE: Cell<Option<Mistake>> = const { Cell::new(None) };
    static OPERATIONS: Cell<u32> = const { Cell::new(0) };
    static MADE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Makes this mistake in the next run, or none.
pub(crate) fn make(mistake: Option<Mistake>) {
    MISTAKE.set(mistake);
    OPERATIONS.set(0);
    MADE.set(None);
}

/// The number of operations since then.
pub(crate) fn operations() -> u32 {
    OPERATIONS.get()
}

/// What the mistake was, if it changed the result of its operation.
pub(crate) fn made() -> Option<&'static str> {
    MADE.get()
}

/// The result of an operation, or what one of its mistakes gives in its place.
pub(crate) fn operation<T: PartialEq>(
    right: T,
    wrong: impl FnOnce(Choice) -> Option<(&'static str, T)>,
) -> T {
    let number = OPERATIONS.get();
    OPERATIONS.set(number + 1);
    let Some(mistake) = MISTAKE.get().filter(|mistake| mistake.operation == number) else {
        return right;
    };
    match wrong(mistake.choice) {
        Some((name, result)) if result != right => {
            MADE.set(Some(name));
            result
        }
        _ => right,
    }
}
