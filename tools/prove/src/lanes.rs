//! A set of instructions whose words are symbols.
//!
//! Vectors do what the traits `Lanes` and `Bytes` say, word by word, and no more: where a trait leaves bits
//! unspecified they are new variables, so that nothing can depend on them. Memory holds numbers of terms in
//! place of values, 32 bits in each cell of 32 bits, and a byte for a term of eight bits.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use tbindex::Word;
use tbindex::proofs::{Bytes, Isa, Lanes, Vectors};

use crate::definition::look_up;
use crate::machine;
use crate::paths::holds;
use crate::term::{self, Term, choose, constant, join, part, variable, widen};

/// The instructions of symbols. The number tells which constants they share: 0 those of the portable backend,
/// 1 those of AVX2, 2 those of AVX-512.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbols<const KIND: u8>;

impl<const KIND: u8> Isa for Symbols<KIND> {
    type Of<W: Vectors> = Vector<W, 1, KIND>;
    type Bytes = Vector<u64, 1, KIND>;
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

#[derive(Default)]
struct Memory {
    bytes: Vec<Term>,
    /// Whether a vector has a second word, about which nothing is known.
    has_ghost: bool,
    /// Conditions of a vector's first word and of its second.
    ghosts: Vec<(Term, Term)>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Forgets all bytes. `has_ghost` says whether conditions are those of a vector with a second word besides, of
/// which nothing is known.
pub(crate) fn forget_memory(has_ghost: bool) {
    MEMORY.with_borrow_mut(|memory| {
        memory.bytes = vec![constant(0, 8)];
        memory.has_ghost = has_ghost;
    });
}

/// Forgets everything, as terms are forgotten.
pub(crate) fn forget() {
    MEMORY.with_borrow_mut(|memory| *memory = Memory::default());
}

/// The byte that stands for a term of eight bits in memory.
pub(crate) fn byte_of(term: Term) -> u8 {
    assert_eq!(term.width(), 8);
    MEMORY.with_borrow_mut(|memory| {
        let at = memory.bytes.iter().position(|&byte| byte == term);
        let at = at.unwrap_or_else(|| {
            memory.bytes.push(term);
            memory.bytes.len() - 1
        });
        u8::try_from(at).expect("at most 256 bytes of symbols")
    })
}

/// The term that a byte in memory stands for.
pub(crate) fn term_of_byte(byte: u8) -> Term {
    MEMORY.with_borrow(|memory| memory.bytes[usize::from(byte)])
}

/// The word that stands for a term in memory.
pub(crate) fn word_of<W: Word>(term: Term) -> W {
    assert_eq!(term.width(), W::BITS);
    let mut word = 0;
    for at in (0..W::BITS).step_by(32) {
        word |= u128::from(part(term, at, 32).0) << at;
    }
    W::truncate(word)
}

/// The term that a word in memory stands for.
pub(crate) fn term_of<W: Word>(word: W) -> Term {
    let word: u128 = word.into();
    (0..W::BITS)
        .step_by(32)
        .map(|at| Term((word >> at) as u32))
        .reduce(|low, high| join(high, low))
        .expect("a word has bits")
}

/// A vector of `N` words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<W, const N: usize, const KIND: u8> {
    terms: [Term; N],
    word: PhantomData<W>,
}

impl<W: Vectors, const N: usize, const KIND: u8> Vector<W, N, KIND> {
    fn of(terms: [Term; N]) -> Self {
        for term in terms {
            term.assert_width(W::BITS);
        }
        Vector {
            terms,
            word: PhantomData,
        }
    }

    /// The vector with every `width` bits replaced by a function of these of two vectors.
    fn by(self, other: Self, width: u32, f: impl Fn(Term, Term) -> Term) -> Self {
        let word = |(a, b)| {
            (0..W::BITS)
                .step_by(width as usize)
                .map(|at| f(part(a, at, width), part(b, at, width)))
                .reduce(|low, high| join(high, low))
                .expect("a word has bits")
        };
        Self::of(std::array::from_fn(|k| {
            word((self.terms[k], other.terms[k]))
        }))
    }
}

/// An operation on each word of two vectors: a loop, in which its place is that of the kernel, unlike in a closure.
macro_rules! each {
    ($function:ident, $a:expr, $b:expr) => {{
        let mut all = $a;
        for (a, b) in all.iter_mut().zip($b) {
            *a = machine::$function(*a, b);
        }
        all
    }};
}

macro_rules! operators {
    ($($trait:ident $method:ident $function:ident),*) => {$(
        impl<W: Vectors, const N: usize, const KIND: u8> $trait for Vector<W, N, KIND> {
            type Output = Self;
            #[track_caller]
            fn $method(self, other: Self) -> Self {
                Self::of(each!($function, self.terms, other.terms))
            }
        }
    )*};
}

operators!(BitAnd bitand and, BitOr bitor or, BitXor bitxor xor);

macro_rules! shifts {
    ($($trait:ident $method:ident $function:ident),*) => {$(
        impl<W: Vectors, const N: usize, const KIND: u8> $trait<u32> for Vector<W, N, KIND> {
            type Output = Self;
            #[track_caller]
            fn $method(self, bits: u32) -> Self {
                Self::of(each!($function, self.terms, [bits; N]))
            }
        }
    )*};
}

shifts!(Shl shl left, Shr shr right);

impl<W: Vectors, const N: usize, const KIND: u8> Not for Vector<W, N, KIND> {
    type Output = Self;
    #[track_caller]
    fn not(mut self) -> Self {
        for a in &mut self.terms {
            *a = machine::not(*a);
        }
        self
    }
}

/// The product of two numbers of 16 bits with 32 bits, extended as the function says.
fn product(a: Term, b: Term, extend: impl Fn(Term, u32) -> Term) -> Term {
    term::multiply(extend(a, 32), extend(b, 32))
}

impl<W: Vectors, const N: usize, const KIND: u8> Lanes<W> for Vector<W, N, KIND> {
    type Isa = Symbols<KIND>;
    type Shift = u32;
    type Mask = [Term; N];

    const COUNT: usize = N;
    const CHOOSES_BITS: bool = KIND == 2;
    const TRANSLATES: bool = KIND == 2;

    fn splat(_: Symbols<KIND>, word: W) -> Self {
        Self::of([constant(word.into(), W::BITS); N])
    }
    fn shift(_: Symbols<KIND>, bits: u32) -> u32 {
        bits
    }
    fn load(_: Symbols<KIND>, from: &[W]) -> Self {
        Self::of(std::array::from_fn(|k| term_of(from[k])))
    }
    fn store(self, to: &mut [W]) {
        to[..N].copy_from_slice(&self.terms.map(word_of));
    }
    fn load_bytes(_: Symbols<KIND>, from: &[u8]) -> Self {
        Self::of(std::array::from_fn(|k| {
            widen(term_of_byte(from[k]), W::BITS)
        }))
    }
    fn store_bytes(self, to: &mut [u8]) {
        to[..N].copy_from_slice(&self.terms.map(|term| byte_of(part(term, 0, 8))));
    }
    #[track_caller]
    fn twice(self) -> Self {
        self << 1
    }
    #[track_caller]
    fn min(self, other: Self) -> Self {
        Self::of(each!(least, self.terms, other.terms))
    }
    #[track_caller]
    fn xor_where(mut self, mask: Self, condition: Self, bits: Self) -> Self {
        for (k, a) in self.terms.iter_mut().enumerate() {
            let condition = machine::any(machine::and(condition.terms[k], bits.terms[k]));
            let changed = machine::xor(*a, mask.terms[k]);
            *a = machine::select(condition, changed, *a);
        }
        self
    }
    fn min_of_16(self, other: Self) -> Self {
        self.by(other, 16, machine::least)
    }
    fn high_product_of_16(self, other: Self) -> Self {
        self.by(other, 16, |a, b| part(product(a, b, widen), 16, 16))
    }
    fn low_product_of_16(self, other: Self) -> Self {
        self.by(other, 16, |a, b| part(product(a, b, widen), 0, 16))
    }
    fn sum_of_products_of_16(self, other: Self) -> Self {
        self.by(other, 32, |a, b| {
            let of = |at| product(part(a, at, 16), part(b, at, 16), term::sign_extend);
            machine::add(of(0), of(16))
        })
    }
    fn product(self, other: Self) -> Self {
        self.by(other, W::BITS, term::multiply)
    }
    fn sum_of_products_of_8(self, other: Self) -> Self {
        self.by(other, 16, |a, b| {
            let of = |at| {
                let (a, b) = (part(a, at, 8), part(b, at, 8));
                term::multiply(widen(a, 16), term::sign_extend(b, 16))
            };
            machine::add(of(0), of(8))
        })
    }
    fn take_bytes(self, _: Symbols<KIND>, from: [u32; 4]) -> Self {
        self.by(self, 32, |word, _| {
            from.into_iter()
                .map(|from| match from + 8 <= 32 {
                    true => part(word, from, 8),
                    false => variable(8),
                })
                .reduce(|low, high| join(high, low))
                .expect("four bytes")
        })
    }
    fn translate_bytes(self, _: Symbols<KIND>, table: &[u8; 64]) -> Self {
        self.by(self, 8, |byte, _| look_up(part(byte, 0, 6), table, 8))
    }
    #[track_caller]
    fn equal(self, other: Self) -> [Term; N] {
        each!(equal, self.terms, other.terms)
    }
    #[track_caller]
    fn less(self, other: Self) -> [Term; N] {
        each!(less, self.terms, other.terms)
    }
    #[track_caller]
    fn select(mut self, condition: [Term; N], other: Self) -> Self {
        for (k, a) in self.terms.iter_mut().enumerate() {
            *a = machine::select(condition[k], *a, other.terms[k]);
        }
        self
    }
    #[track_caller]
    fn either(a: [Term; N], b: [Term; N]) -> [Term; N] {
        each!(or, a, b)
    }
    fn bits(conditions: [Term; N]) -> u64 {
        let all = conditions.into_iter().chain(ghost(conditions[0]));
        all.zip(0..).fold(0, |bits, (condition, k)| {
            bits | u64::from(holds(condition)) << k
        })
    }
}

/// The condition of the word after a vector's own, if there is one.
fn ghost(condition: Term) -> Option<Term> {
    MEMORY.with_borrow_mut(|memory| {
        if !memory.has_ghost {
            return None;
        }
        let known = memory.ghosts.iter().find(|(of, _)| *of == condition);
        let ghost = known.map_or_else(|| variable(1), |&(_, ghost)| ghost);
        memory.ghosts.push((condition, ghost));
        Some(ghost)
    })
}

/// A vector of two words of 32 bits.
type Pair<const KIND: u8> = Vector<u32, 2, KIND>;

/// A row of bytes as a word of this many bits, in which the bytes after the row are zero.
fn word_of_row(row: &[u8], width: u32) -> Term {
    let bytes = row.iter().map(|&byte| term_of_byte(byte));
    let row = bytes
        .reduce(|low, high| join(high, low))
        .expect("a row has bytes");
    widen(row, width)
}

/// The constants of a layout's codes: the number of pieces, and whether digits are exchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes {
    pieces: usize,
    turned: bool,
}

impl Codes {
    /// The byte of piece `k` of an index; past the pieces it is unspecified.
    fn byte(self, index: Term, k: usize) -> Term {
        if k >= self.pieces {
            return variable(8);
        }
        let low = part(index, 3 * k as u32, 3);
        let high = part(index, 3 * (self.pieces + k) as u32, 3);
        let code = if self.turned {
            join(low, high)
        } else {
            join(high, low)
        };
        widen(code, 8)
    }
}

impl<const KIND: u8> Bytes for Vector<u64, 1, KIND> {
    type Words32 = Pair<KIND>;

    fn fold_halves(self, other: Self) -> Pair<KIND> {
        Pair::of([self.terms[0], other.terms[0]].map(|word| part(word, 0, 32)))
    }
    fn unfold_halves(_: Symbols<KIND>, halves: Pair<KIND>) -> (Self, Self) {
        halves
            .terms
            .map(|word| Vector::of([widen(word, 64)]))
            .into()
    }

    fn load_all(_: Symbols<KIND>, from: &[u8]) -> Self {
        Vector::of([word_of_row(&from[..8], 64)])
    }
    fn store_all(self, to: &mut [u8]) {
        self.store_rows(8, to);
    }

    /// The number of bytes in a row.
    type Shuffle = usize;

    fn shuffle(_: Symbols<KIND>, stride: usize) -> usize {
        stride
    }
    fn load_rows(_: Symbols<KIND>, stride: usize, from: &[u8]) -> Self {
        assert!(from.len() >= 8, "eight bytes for each row");
        Vector::of([word_of_row(&from[..stride], 64)])
    }
    fn store_rows(self, stride: usize, to: &mut [u8]) {
        for (to, at) in to[..8].iter_mut().zip(0..) {
            *to = byte_of(match (at as usize) < stride {
                true => part(self.terms[0], 8 * at, 8),
                false => variable(8),
            });
        }
    }

    /// The number of bytes in a row.
    type Long = usize;

    fn long(_: Symbols<KIND>, pieces: usize) -> usize {
        assert!((9..=10).contains(&pieces));
        pieces
    }
    fn store_long(self, rest: Self, pieces: usize, to: &mut [u8]) {
        for (to, at) in to[..16].iter_mut().zip(0..) {
            *to = byte_of(match at {
                0..8 => part(self.terms[0], 8 * at, 8),
                _ if (at as usize) < pieces => part(rest.terms[0], 8 * (at - 8), 8),
                _ => variable(8),
            });
        }
    }

    type Short = usize;

    fn short(_: Symbols<KIND>, pieces: usize, _: bool) -> usize {
        pieces
    }
    fn load_fours(_: Symbols<KIND>, pieces: usize, from: &[u8]) -> Pair<KIND> {
        assert_eq!(from.len(), 2 * pieces, "as many rows as a vector has words");
        Pair::of([0, 1].map(|k| word_of_row(&from[k * pieces..][..pieces], 32)))
    }
    fn load_fives(_: Symbols<KIND>, _: usize, from: &[u8]) -> (Pair<KIND>, Pair<KIND>) {
        assert_eq!(from.len(), 10, "as many rows as a vector has words");
        let four = |k: usize| word_of_row(&from[5 * k..][..4], 32);
        let fifth = |k: usize| {
            let byte = term_of_byte(from[5 * k + 4]);
            let lower = join(byte, variable(8));
            join(join(byte, variable(8)), lower)
        };
        (Pair::of([0, 1].map(four)), Pair::of([0, 1].map(fifth)))
    }

    type SpreadShort = Codes;

    fn spread_short(_: Symbols<KIND>, pieces: usize, turned: bool) -> Option<Codes> {
        (KIND == 1 && (3..=5).contains(&pieces)).then_some(Codes { pieces, turned })
    }
    fn store_short<const FIVE: bool>(
        _: Symbols<KIND>,
        codes: Codes,
        indices: Pair<KIND>,
        to: &mut [u8],
    ) {
        assert_eq!(FIVE, codes.pieces == 5);
        assert!(to.len() >= 12, "six bytes for each row");
        let rows = indices.terms.into_iter();
        let mut bytes = rows.flat_map(|index| (0..codes.pieces).map(move |k| codes.byte(index, k)));
        for to in &mut to[..12] {
            *to = byte_of(bytes.next().unwrap_or_else(|| variable(8)));
        }
    }

    const LOOKS_UP: bool = KIND == 1;

    fn look_up(self, _: Symbols<KIND>, table: &[u8; 16]) -> Self {
        self.by(self, 8, |byte, _| {
            let is_low = term::equal(part(byte, 7, 1), constant(0, 1));
            choose(is_low, look_up(part(byte, 0, 4), table, 8), constant(0, 8))
        })
    }
    fn load_narrow(_: Symbols<KIND>, from: &[u32]) -> Self {
        Vector::of([widen(term_of(from[0]), 64)])
    }
    fn narrow(self, other: Self) -> Pair<KIND> {
        self.fold_halves(other)
    }

    type Spread = Codes;

    fn spread(_: Symbols<KIND>, pieces: usize, turned: bool) -> Codes {
        assert!(!turned || Self::LOOKS_UP);
        Codes { pieces, turned }
    }
    fn codes_of_index(self, _: Symbols<KIND>, codes: Codes) -> Self {
        let bytes = (0..8).map(|k| codes.byte(self.terms[0], k));
        let all = bytes.reduce(|low, high| join(high, low));
        Vector::of([all.expect("eight bytes")])
    }
}
