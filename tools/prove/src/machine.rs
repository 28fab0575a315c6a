//! The operations that kernels do on symbols, with a place for mistakes.
//!
//! Definitions are made of the functions of [`term`](crate::term). Kernels come here, where each operation is
//! counted. One of them may be replaced by a mistake: a shift by one bit more, a mask with a bit less, a
//! comparison the other way round. A proof that is worth something fails then.

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::Location;

use crate::term::{self, Term, choose, constant};

/// A mistake: the number of the operation, and which of the mistakes that it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    pub(crate) operation: usize,
    pub(crate) variant: usize,
}

/// An operation that allows mistakes.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// Where it is in the source.
    pub(crate) place: String,
    /// The mistakes in words.
    pub(crate) mistakes: Vec<String>,
    /// What it gives without a mistake.
    result: Term,
}

#[derive(Default)]
struct Machine {
    /// The number of the next operation.
    next: usize,
    mistake: Option<Mistake>,
    /// Whether the mistake changed anything.
    changed: bool,
    /// The operations so far, if they are noted.
    noted: Option<Vec<Operation>>,
}

thread_local! {
    static MACHINE: RefCell<Machine> = RefCell::default();
}

/// Makes this mistake from now on, or none, and counts operations from zero.
pub(crate) fn make(mistake: Option<Mistake>) {
    MACHINE.with_borrow_mut(|machine| {
        *machine = Machine {
            mistake,
            ..Machine::default()
        };
    });
}

/// Notes operations from now on.
pub(crate) fn note() {
    MACHINE.with_borrow_mut(|machine| machine.noted = Some(Vec::new()));
}

/// Returns the operations noted, by number. Those that repeat an earlier one on the same words are left out.
pub(crate) fn noted() -> Vec<(usize, Operation)> {
    let noted = MACHINE.with_borrow_mut(|machine| machine.noted.take().unwrap_or_default());
    let mut seen = HashSet::new();
    noted
        .into_iter()
        .enumerate()
        .filter(|(_, operation)| seen.insert((operation.place.clone(), operation.result)))
        .collect()
}

/// Returns whether the mistake was made and changed anything.
pub(crate) fn mistake_changed() -> bool {
    MACHINE.with_borrow(|machine| machine.changed)
}

/// Returns the number of the next operation.
pub(crate) fn next() -> usize {
    MACHINE.with_borrow(|machine| machine.next)
}

/// Goes on with this number, as the same function begins once more or ends.
pub(crate) fn go_on(next: usize) {
    MACHINE.with_borrow_mut(|machine| machine.next = next);
}

type Wrong<'a> = (&'a str, &'a dyn Fn() -> Term);

/// An operation, which gives `right`, or one of these instead.
#[track_caller]
fn operation(right: Term, wrong: &[Wrong<'_>]) -> Term {
    let place = Location::caller();
    let mistake = MACHINE.with_borrow_mut(|machine| {
        let number = machine.next;
        machine.next += 1;
        if let Some(noted) = &mut machine.noted
            && noted.len() == number
        {
            noted.push(Operation {
                place: format!("{}:{}:{}", place.file(), place.line(), place.column()),
                mistakes: wrong.iter().map(|(name, _)| (*name).to_owned()).collect(),
                result: right,
            });
        }
        machine
            .mistake
            .filter(|mistake| mistake.operation == number)
    });
    let Some((_, made)) = mistake.and_then(|mistake| wrong.get(mistake.variant)) else {
        return right;
    };
    let result = made();
    if result != right {
        MACHINE.with_borrow_mut(|machine| machine.changed = true);
    }
    result
}

/// The masks that differ from this one in its lowest set bit, its highest, and the one above that.
fn wrong_masks(mask: Term) -> [Term; 3] {
    let width = mask.width();
    let value = mask.value().unwrap_or(0);
    let (lowest, highest) = match value {
        0 => (0, 0),
        _ => (value.trailing_zeros(), 127 - value.leading_zeros()),
    };
    let above = (highest + 1) % width;
    [lowest, highest, above].map(|bit| constant(value ^ 1 << bit, width))
}

/// An operation on a word and a mask, or on two words, with these mistakes besides those of the mask.
#[track_caller]
fn masked(
    of: fn(Term, Term) -> Term,
    a: Term,
    b: Term,
    words: &[Wrong<'_>],
    masks: &[Wrong<'_>],
) -> Term {
    let (mask, x) = match (a.value(), b.value()) {
        (None, None) => return operation(of(a, b), words),
        (Some(_), _) => (a, b),
        _ => (b, a),
    };
    let [low, high, above] = wrong_masks(mask);
    let of_masks: [Wrong<'_>; 3] = [
        ("a mask lacks its lowest bit", &|| of(low, x)),
        ("a mask lacks its highest bit", &|| of(high, x)),
        ("a mask has a bit above it", &|| of(above, x)),
    ];
    operation(of(a, b), &[&of_masks, masks].concat())
}

#[track_caller]
pub(crate) fn and(a: Term, b: Term) -> Term {
    let or: Wrong<'_> = ("and is or", &|| term::or(a, b));
    let words: [Wrong<'_>; 3] = [
        or,
        ("and lacks its second word", &|| a),
        ("and lacks its first word", &|| b),
    ];
    let word = if a.value().is_some() { b } else { a };
    masked(
        term::and,
        a,
        b,
        &words,
        &[("a mask is forgotten", &|| word), or],
    )
}

#[track_caller]
pub(crate) fn or(a: Term, b: Term) -> Term {
    operation(
        term::or(a, b),
        &[
            ("or is and", &|| term::and(a, b)),
            ("or lacks its second word", &|| a),
            ("or lacks its first word", &|| b),
        ],
    )
}

#[track_caller]
pub(crate) fn xor(a: Term, b: Term) -> Term {
    let or: Wrong<'_> = ("xor is or", &|| term::or(a, b));
    let words: [Wrong<'_>; 3] = [
        or,
        ("xor lacks its second word", &|| a),
        ("xor lacks its first word", &|| b),
    ];
    masked(term::xor, a, b, &words, &[or])
}

#[track_caller]
pub(crate) fn not(a: Term) -> Term {
    operation(term::not(a), &[("not is forgotten", &|| a)])
}

#[track_caller]
pub(crate) fn left(a: Term, by: u32) -> Term {
    operation(
        term::left(a, by),
        &[
            ("a shift goes one bit too far", &|| term::left(a, by + 1)),
            ("a shift goes one bit too short", &|| {
                term::left(a, by.saturating_sub(1))
            }),
            ("a shift goes to the right", &|| term::right(a, by)),
        ],
    )
}

#[track_caller]
pub(crate) fn right(a: Term, by: u32) -> Term {
    operation(
        term::right(a, by),
        &[
            ("a shift goes one bit too far", &|| term::right(a, by + 1)),
            ("a shift goes one bit too short", &|| {
                term::right(a, by.saturating_sub(1))
            }),
            ("a shift goes to the left", &|| term::left(a, by)),
        ],
    )
}

#[track_caller]
pub(crate) fn add(a: Term, b: Term) -> Term {
    operation(
        term::add(a, b),
        &[
            ("a sum is a difference", &|| term::subtract(a, b)),
            ("a sum is one too great", &|| {
                term::add(term::add(a, b), constant(1, a.width()))
            }),
        ],
    )
}

#[track_caller]
pub(crate) fn subtract(a: Term, b: Term) -> Term {
    operation(
        term::subtract(a, b),
        &[("a difference is a sum", &|| term::add(a, b))],
    )
}

#[track_caller]
pub(crate) fn least(a: Term, b: Term) -> Term {
    operation(
        term::least(a, b),
        &[
            ("the greater is taken for the smaller", &|| {
                choose(term::less(b, a), a, b)
            }),
            ("the first is taken for the smaller", &|| a),
            ("the second is taken for the smaller", &|| b),
        ],
    )
}

#[track_caller]
pub(crate) fn greatest(a: Term, b: Term) -> Term {
    operation(
        choose(term::less(b, a), a, b),
        &[("the smaller is taken for the greater", &|| {
            term::least(a, b)
        })],
    )
}

#[track_caller]
pub(crate) fn less(a: Term, b: Term) -> Term {
    operation(
        term::less(a, b),
        &[
            ("less is greater", &|| term::less(b, a)),
            ("less is less or equal", &|| term::not(term::less(b, a))),
            ("less is greater or equal", &|| term::not(term::less(a, b))),
        ],
    )
}

#[track_caller]
pub(crate) fn equal(a: Term, b: Term) -> Term {
    operation(
        term::equal(a, b),
        &[
            ("equal is different", &|| term::not(term::equal(a, b))),
            ("equal is less or equal", &|| term::not(term::less(b, a))),
        ],
    )
}

#[track_caller]
pub(crate) fn select(condition: Term, a: Term, b: Term) -> Term {
    operation(
        choose(condition, a, b),
        &[
            ("a choice is the other", &|| choose(condition, b, a)),
            ("a choice is always the first", &|| a),
            ("a choice is always the second", &|| b),
        ],
    )
}

/// Returns whether any bit of a word is set.
#[track_caller]
pub(crate) fn any(a: Term) -> Term {
    operation(
        term::not(term::equal(a, constant(0, a.width()))),
        &[("a condition is the opposite", &|| {
            term::equal(a, constant(0, a.width()))
        })],
    )
}
