//! Terms: what a computation on symbols builds instead of numbers.
//!
//! A term is a word of some bits as a function of variables. Equal terms are one entry of a table, which each
//! thread has for itself. Operations on constants are done at once. Apart from that, terms are simplified only
//! where masks and shifts by themselves make bits zero, so that little has to be trusted here.

use std::cell::RefCell;
use std::collections::HashMap;

use indexmap::IndexSet;

/// A term: the number of its entry in this thread's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Term(pub(crate) u32);

/// The parts of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A number.
    Constant(u128),
    /// The variable with this number.
    Variable(u32),
    /// Bit by bit.
    Not(Term),
    /// Bit by bit.
    And(Term, Term),
    /// Bit by bit.
    Or(Term, Term),
    /// Bit by bit.
    Xor(Term, Term),
    /// Shifted to the left.
    Left(Term, u32),
    /// Shifted to the right; zeros come in.
    Right(Term, u32),
    /// The sum without its carry.
    Add(Term, Term),
    /// The difference without its borrow.
    Subtract(Term, Term),
    /// The lower half of the product.
    Multiply(Term, Term),
    /// The second where the first, a single bit, is set; else the third.
    Choose(Term, Term, Term),
    /// One bit: whether two words are equal.
    Equal(Term, Term),
    /// One bit: whether the first word is less than the second, both without sign.
    Less(Term, Term),
    /// The bits from this one on, as many as the width says.
    Part(Term, u32),
    /// The first above the second.
    Join(Term, Term),
    /// Repeats the highest bit above the word, up to the width.
    SignExtend(Term),
}

#[derive(Default)]
struct Table {
    entries: IndexSet<(Node, u32)>,
    /// The number of variables.
    variables: u32,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

fn all_ones(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn entry(node: Node, width: u32) -> Term {
    assert!((1..=128).contains(&width), "a width of {width} bits");
    let number = TABLE.with_borrow_mut(|table| table.entries.insert_full((node, width)).0);
    Term(u32::try_from(number).expect("fewer than 2^32 terms"))
}

/// Two words that shall be equal wherever the assumption, one bit, holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Equation {
    pub(crate) assumption: Term,
    pub(crate) found: Term,
    pub(crate) expected: Term,
}

impl Term {
    /// The parts of the term.
    pub(crate) fn node(self) -> Node {
        TABLE.with_borrow(|table| table.entries[self.0 as usize].0)
    }

    /// How many bits it has.
    pub(crate) fn width(self) -> u32 {
        TABLE.with_borrow(|table| table.entries[self.0 as usize].1)
    }

    /// Panics unless it has so many bits.
    #[inline(never)]
    pub(crate) fn assert_width(self, width: u32) {
        assert_eq!(self.width(), width);
    }

    /// Its value if it is a constant.
    pub(crate) fn value(self) -> Option<u128> {
        match self.node() {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn is_zero(self) -> bool {
        self.value() == Some(0)
    }

    fn is_ones(self) -> bool {
        self.value() == Some(all_ones(self.width()))
    }
}

/// Forgets all terms and variables of this thread.
pub(crate) fn forget() {
    TABLE.with_borrow_mut(|table| *table = Table::default());
}

/// A new variable of so many bits.
pub(crate) fn variable(width: u32) -> Term {
    let number = TABLE.with_borrow_mut(|table| {
        table.variables += 1;
        table.variables - 1
    });
    entry(Node::Variable(number), width)
}

pub(crate) fn constant(value: u128, width: u32) -> Term {
    entry(Node::Constant(value & all_ones(width)), width)
}

fn same_width(a: Term, b: Term) -> u32 {
    assert_eq!(a.width(), b.width(), "words of different widths");
    a.width()
}

pub(crate) fn not(a: Term) -> Term {
    match a.node() {
        Node::Constant(value) => constant(!value, a.width()),
        Node::Not(b) => b,
        _ => entry(Node::Not(a), a.width()),
    }
}

/// The result of an operation on two constants.
fn folded(a: Term, b: Term, f: impl Fn(u128, u128) -> u128) -> Option<Term> {
    let width = same_width(a, b);
    Some(constant(f(a.value()?, b.value()?), width))
}

pub(crate) fn and(a: Term, b: Term) -> Term {
    match folded(a, b, |x, y| x & y) {
        Some(constant) => constant,
        None if a.is_zero() || b.is_ones() || a == b => a,
        None if b.is_zero() || a.is_ones() => b,
        None => entry(Node::And(a.min(b), a.max(b)), a.width()),
    }
}

pub(crate) fn or(a: Term, b: Term) -> Term {
    match folded(a, b, |x, y| x | y) {
        Some(constant) => constant,
        None if a.is_zero() || b.is_ones() || a == b => b,
        None if b.is_zero() || a.is_ones() => a,
        None => entry(Node::Or(a.min(b), a.max(b)), a.width()),
    }
}

pub(crate) fn xor(a: Term, b: Term) -> Term {
    match folded(a, b, |x, y| x ^ y) {
        Some(constant) => constant,
        None if a.is_zero() => b,
        None if b.is_zero() => a,
        None if a == b => constant(0, a.width()),
        None => entry(Node::Xor(a.min(b), a.max(b)), a.width()),
    }
}

/// A shift. Like that of a processor, it gives zero for a count past the width.
fn shift(a: Term, by: u32, shifted: fn(u128, u32) -> u128, node: fn(Term, u32) -> Node) -> Term {
    let width = a.width();
    match a.value() {
        _ if by >= width => constant(0, width),
        Some(value) => constant(shifted(value, by), width),
        None if by == 0 => a,
        None => entry(node(a, by), width),
    }
}

pub(crate) fn left(a: Term, by: u32) -> Term {
    shift(a, by, |value, by| value << by, Node::Left)
}

pub(crate) fn right(a: Term, by: u32) -> Term {
    shift(a, by, |value, by| value >> by, Node::Right)
}

pub(crate) fn add(a: Term, b: Term) -> Term {
    let width = same_width(a, b);
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => constant(x.wrapping_add(y), width),
        (Some(0), _) => b,
        (_, Some(0)) => a,
        _ => entry(Node::Add(a, b), width),
    }
}

pub(crate) fn subtract(a: Term, b: Term) -> Term {
    let width = same_width(a, b);
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => constant(x.wrapping_sub(y), width),
        (_, Some(0)) => a,
        _ => entry(Node::Subtract(a, b), width),
    }
}

pub(crate) fn multiply(a: Term, b: Term) -> Term {
    let width = same_width(a, b);
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => constant(x.wrapping_mul(y), width),
        (Some(0), _) | (_, Some(1)) => a,
        (_, Some(0)) | (Some(1), _) => b,
        _ => entry(Node::Multiply(a, b), width),
    }
}

pub(crate) fn choose(condition: Term, a: Term, b: Term) -> Term {
    assert_eq!(condition.width(), 1, "a condition is one bit");
    let width = same_width(a, b);
    match condition.value() {
        Some(1) => a,
        Some(_) => b,
        None if a == b => a,
        None => entry(Node::Choose(condition, a, b), width),
    }
}

pub(crate) fn equal(a: Term, b: Term) -> Term {
    same_width(a, b);
    if a == b {
        return constant(1, 1);
    }
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => constant(u128::from(x == y), 1),
        _ => entry(Node::Equal(a.min(b), a.max(b)), 1),
    }
}

pub(crate) fn less(a: Term, b: Term) -> Term {
    same_width(a, b);
    if a == b {
        return constant(0, 1);
    }
    match (a.value(), b.value()) {
        (Some(x), Some(y)) => constant(u128::from(x < y), 1),
        _ => entry(Node::Less(a, b), 1),
    }
}

/// The `width` bits from `from` on.
pub(crate) fn part(a: Term, from: u32, width: u32) -> Term {
    assert!(from + width <= a.width(), "bits past the word's end");
    if width == a.width() {
        return a;
    }
    match a.node() {
        Node::Constant(value) => constant(value >> from, width),
        Node::Part(b, at) => part(b, at + from, width),
        Node::Join(_, low) if from + width <= low.width() => part(low, from, width),
        Node::Join(high, low) if from >= low.width() => part(high, from - low.width(), width),
        _ => entry(Node::Part(a, from), width),
    }
}

/// The first above the second.
pub(crate) fn join(high: Term, low: Term) -> Term {
    let width = high.width() + low.width();
    match (high.node(), low.node()) {
        (Node::Constant(x), Node::Constant(y)) => constant(x << low.width() | y, width),
        (Node::Part(a, from), Node::Part(b, at)) if a == b && from == at + low.width() => {
            part(a, at, width)
        }
        _ => entry(Node::Join(high, low), width),
    }
}

/// The word with zeros above it.
pub(crate) fn widen(a: Term, width: u32) -> Term {
    if a.width() == width {
        a
    } else {
        join(constant(0, width - a.width()), a)
    }
}

/// The word with its highest bit repeated above it.
pub(crate) fn sign_extend(a: Term, width: u32) -> Term {
    if a.width() == width {
        return a;
    }
    match a.value() {
        Some(value) if value >> (a.width() - 1) == 0 => constant(value, width),
        Some(value) => constant(value | u128::MAX << a.width(), width),
        None => entry(Node::SignExtend(a), width),
    }
}

/// The smaller of two words.
pub(crate) fn least(a: Term, b: Term) -> Term {
    choose(less(b, a), b, a)
}

/// One bit of a word, with what masks and shifts say about it worked out.
pub(crate) fn bit(a: Term, k: u32) -> Term {
    match a.node() {
        Node::Not(b) => not(bit(b, k)),
        Node::And(b, c) => and(bit(b, k), bit(c, k)),
        Node::Or(b, c) => or(bit(b, k), bit(c, k)),
        Node::Xor(b, c) => xor(bit(b, k), bit(c, k)),
        Node::Left(_, by) if k < by => constant(0, 1),
        Node::Left(b, by) => bit(b, k - by),
        Node::Right(b, by) if k + by >= b.width() => constant(0, 1),
        Node::Right(b, by) => bit(b, k + by),
        Node::Choose(c, x, y) => choose(c, bit(x, k), bit(y, k)),
        Node::Part(b, from) => bit(b, k + from),
        Node::Join(_, low) if k < low.width() => bit(low, k),
        Node::Join(high, low) => bit(high, k - low.width()),
        _ => part(a, k, 1),
    }
}

/// The value of a term where the variables have these values, by number.
pub(crate) fn evaluate(term: Term, variables: &[u128]) -> u128 {
    let mut values: HashMap<Term, u128> = HashMap::new();
    value_of(term, variables, &mut values)
}

fn value_of(term: Term, variables: &[u128], values: &mut HashMap<Term, u128>) -> u128 {
    if let Some(&value) = values.get(&term) {
        return value;
    }
    let width = term.width();
    let mut of = |a: Term| value_of(a, variables, values);
    let value = match term.node() {
        Node::Constant(value) => value,
        Node::Variable(number) => variables.get(number as usize).copied().unwrap_or(0),
        Node::Not(a) => !of(a),
        Node::And(a, b) => of(a) & of(b),
        Node::Or(a, b) => of(a) | of(b),
        Node::Xor(a, b) => of(a) ^ of(b),
        Node::Left(a, by) => of(a) << by,
        Node::Right(a, by) => of(a) >> by,
        Node::Add(a, b) => of(a).wrapping_add(of(b)),
        Node::Subtract(a, b) => of(a).wrapping_sub(of(b)),
        Node::Multiply(a, b) => of(a).wrapping_mul(of(b)),
        Node::Choose(c, a, b) => {
            if of(c) == 1 {
                of(a)
            } else {
                of(b)
            }
        }
        Node::Equal(a, b) => u128::from(of(a) == of(b)),
        Node::Less(a, b) => u128::from(of(a) < of(b)),
        Node::Part(a, from) => of(a) >> from,
        Node::Join(a, b) => of(a) << b.width() | of(b),
        Node::SignExtend(a) => {
            let value = of(a);
            let sign = value >> (a.width() - 1) & 1;
            if sign == 1 {
                value | u128::MAX << a.width()
            } else {
                value
            }
        }
    };
    let value = value & all_ones(width);
    values.insert(term, value);
    value
}
