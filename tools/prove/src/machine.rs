//! The operations that kernels do on symbols, with the mistakes that each allows: a shift by one bit more, a mask
//! with a bit less, a comparison the other way round.
//!
//! Definitions are made of the functions of [`term`](crate::term). Kernels come here.

use std::cell::RefCell;
use std::collections::HashSet;
use std::panic::Location;

use crate::mistakes;
use crate::term::{self, Term, choose, constant};

/// An operation that allows mistakes.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) number: u64,
    /// Where it is in the source.
    pub(crate) place: String,
    /// The number of mistakes.
    pub(crate) mistakes: usize,
}

thread_local! {
    /// The operations so far, if they are noted.
    static NOTED: RefCell<Option<Vec<Operation>>> = const { RefCell::new(None) };
}

/// The different operations of a run.
pub(crate) fn noted(run: impl FnOnce()) -> Vec<Operation> {
    NOTED.set(Some(Vec::new()));
    run();
    let mut noted = NOTED.take().unwrap_or_default();
    let mut seen = HashSet::new();
    noted.retain(|operation| seen.insert(operation.number));
    noted
}

type Wrong<'a> = mistakes::Wrong<'a, Term>;

/// An operation, which gives `right`, or one of these instead.
#[track_caller]
fn operation(right: Term, wrong: &[Wrong<'_>]) -> Term {
    let place = Location::caller();
    // The same place with the same result is the same operation, on whichever path and in whichever word of a slice: a loop may
    // compute a word twice, so that a mistake in one of the two changes nothing.
    let number = u64::from(place.line()) << 40 | u64::from(place.column()) << 32;
    let number = number | u64::from(right.0);
    NOTED.with_borrow_mut(|noted| {
        if let Some(noted) = noted {
            noted.push(Operation {
                number,
                place: format!("{}:{}:{}", place.file(), place.line(), place.column()),
                mistakes: wrong.len(),
            });
        }
    });
    mistakes::operation(number, right, wrong)
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

type Shift = fn(Term, u32) -> Term;

#[track_caller]
fn shift(a: Term, by: u32, own: Shift, other: Shift, other_way: &'static str) -> Term {
    operation(
        own(a, by),
        &[
            ("a shift goes one bit too far", &|| own(a, by + 1)),
            ("a shift goes one bit too short", &|| {
                own(a, by.saturating_sub(1))
            }),
            (other_way, &|| other(a, by)),
        ],
    )
}

#[track_caller]
pub(crate) fn left(a: Term, by: u32) -> Term {
    shift(a, by, term::left, term::right, "a shift goes to the right")
}

#[track_caller]
pub(crate) fn right(a: Term, by: u32) -> Term {
    shift(a, by, term::right, term::left, "a shift goes to the left")
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
