//! Mistakes in kernels: operations that do something else than they should.
//!
//! Every operation that a kernel does on symbols comes by here and has a number. All operations of one number may be
//! replaced by a mistake, as if the kernel's author had made it. A proof that is worth something fails then.

use std::cell::Cell;

/// A mistake: the number of the operation in a run, and which of those that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) operation: u64,
    pub(crate) choice: usize,
}

thread_local! {
    static MISTAKE: Cell<Option<Mistake>> = const { Cell::new(None) };
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
    static MADE: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Makes this mistake in the next run, or none.
pub(crate) fn make(mistake: Option<Mistake>) {
    MISTAKE.set(mistake);
    OPERATIONS.set(0);
    MADE.set(None);
}

/// The number of operations that were counted since then.
pub(crate) fn operations() -> u64 {
    OPERATIONS.get()
}

/// The mistake, if it changed the result of its operation.
pub(crate) fn made() -> Option<&'static str> {
    MADE.get()
}

/// A mistake in words, and the result of the operation with it.
pub(crate) type Wrong<'a, T> = (&'static str, &'a dyn Fn() -> T);

/// The result of an operation, whose number is the count of those before it, or that of one of its mistakes.
pub(crate) fn counted<T: PartialEq>(right: T, wrong: &[Wrong<'_, T>]) -> T {
    let number = OPERATIONS.get();
    OPERATIONS.set(number + 1);
    operation(number, right, wrong)
}

/// The result of an operation of this number, or that of one of its mistakes.
pub(crate) fn operation<T: PartialEq>(number: u64, right: T, wrong: &[Wrong<'_, T>]) -> T {
    let mistake = MISTAKE.get().filter(|mistake| mistake.operation == number);
    let Some((name, result)) = mistake.and_then(|mistake| wrong.get(mistake.choice)) else {
        return right;
    };
    let result = result();
    if result != right {
        MADE.set(Some(name));
    }
    result
}
