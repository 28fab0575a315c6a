//! Lanes that note for every bit which bits of the input feed it.
//!
//! A bit is the union of some bits of the input (it is set if any of them is) or the complement of such a union.
//! The union of none is 0, and its complement is 1. This is closed under what the kernels do with unions:
//! joining two of them, masking one, and moving bits about. Anything else, as where two unions that are not
//! constant meet in an AND, makes a bit *mixed*, and a mixed bit equals nothing that a theorem expects. So a run
//! without mixed bits proves that the kernel is a homomorphism of unions, and gives all of its relation.
//!
//! Registers go through memory as rows of numbers: [`input`] and [`complement`] make them, and the word at a
//! number is looked up in the thread. All other words are constants.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr};

use tbindex::bitbase::Row;
use tbindex::proofs::bitbases::{EightBoards, HasBoards};

use super::sets::{self, Sets};

/// A bit: the number of a set of inputs, doubled; one more for the complement of their union.
pub(crate) type Bit = u32;

/// The bit 0.
pub(crate) const ZERO: Bit = sets::EMPTY << 1;
/// The bit 1.
pub(crate) const ONE: Bit = ZERO | 1;
/// A bit that is neither a union nor the complement of one.
pub(crate) const MIXED: Bit = Bit::MAX;

/// The upper halves of words that stand for symbols: inputs, complements of inputs, and words that were stored.
const INPUT: u64 = 0x5ebb_a5e1;
const COMPLEMENT: u64 = 0x5ebb_a5e2;
const STORED: u64 = 0x5ebb_a5e3;

/// The word of memory that stands for 64 inputs, of which the lowest bit is number 64 · `word`.
pub(crate) fn input(word: usize) -> u64 {
    INPUT << 32 | word as u64
}

/// The word of memory that stands for the complements of these inputs.
pub(crate) fn complement(word: usize) -> u64 {
    COMPLEMENT << 32 | word as u64
}

thread_local! {
    static STORED_WORDS: RefCell<Vec<[Bit; 64]>> = const { RefCell::new(Vec::new()) };
}

/// Forgets all words that were stored, and the sets of inputs if there are many.
pub(crate) fn forget() {
    STORED_WORDS.with_borrow_mut(Vec::clear);
    sets::with(Sets::forget_many);
}

/// The bits that a word of memory stands for.
pub(crate) fn bits_of(word: u64) -> [Bit; 64] {
    let number = word as u32;
    match word >> 32 {
        INPUT => sets::with(|sets| std::array::from_fn(|k| single(sets, number, k))),
        COMPLEMENT => sets::with(|sets| std::array::from_fn(|k| single(sets, number, k) | 1)),
        STORED => STORED_WORDS.with_borrow(|words| words[number as usize]),
        _ => std::array::from_fn(|k| (word >> k & 1) as Bit),
    }
}

fn single(sets: &mut Sets, word: u32, bit: usize) -> Bit {
    sets.of(&[64 * word + bit as u32]) << 1
}

/// The word of memory that stands for bits.
fn word_of(bits: [Bit; 64]) -> u64 {
    if bits.iter().all(|&bit| bit <= ONE) {
        let word = (0..64).fold(0, |word, k| word | u64::from(bits[k]) << k);
        assert!(!matches!(word >> 32, INPUT | COMPLEMENT | STORED));
        return word;
    }
    STORED_WORDS.with_borrow_mut(|words| {
        words.push(bits);
        STORED << 32 | (words.len() as u64 - 1)
    })
}

pub(crate) fn not(a: Bit) -> Bit {
    if a == MIXED { a } else { a ^ 1 }
}

pub(crate) fn or(sets: &mut Sets, a: Bit, b: Bit) -> Bit {
    if a == b || b == ZERO || a == ONE {
        a
    } else if a == ZERO || b == ONE {
        b
    } else if (a | b) & 1 == 0 {
        sets.union(a >> 1, b >> 1) << 1
    } else {
        MIXED
    }
}

pub(crate) fn and(sets: &mut Sets, a: Bit, b: Bit) -> Bit {
    not(or(sets, not(a), not(b)))
}

/// Eight words of such bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feeds([[Bit; 64]; 8]);

impl Feeds {
    #[inline(never)]
    fn zip(&self, other: &Feeds, f: impl Fn(&mut Sets, Bit, Bit) -> Bit) -> Feeds {
        sets::with(|sets| {
            let mut all = *self;
            let others = other.0.as_flattened();
            for (a, b) in all.0.as_flattened_mut().iter_mut().zip(others) {
                *a = f(sets, *a, *b);
            }
            all
        })
    }

    /// In every word the bits in another order: `of` tells where each comes from, if from anywhere.
    #[inline(never)]
    fn moved(&self, of: impl Fn(usize) -> Option<usize>) -> Feeds {
        let mut all = Feeds([[ZERO; 64]; 8]);
        for to in 0..64 {
            if let Some(from) = of(to) {
                for lane in 0..8 {
                    all.0[lane][to] = self.0[lane][from];
                }
            }
        }
        all
    }

    /// The words in other lanes.
    fn lanes(&self, by: i32) -> Feeds {
        let mut all = Feeds([[ZERO; 64]; 8]);
        for (to, word) in all.0.iter_mut().enumerate() {
            if let Some(from) = self.0.get((to as i32 - by) as usize) {
                *word = *from;
            }
        }
        all
    }
}

impl BitAnd for Feeds {
    type Output = Feeds;

    fn bitand(self, other: Feeds) -> Feeds {
        self.zip(&other, and)
    }
}

impl BitOr for Feeds {
    type Output = Feeds;

    fn bitor(self, other: Feeds) -> Feeds {
        self.zip(&other, or)
    }
}

/// The token of these lanes, which need no instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbols;

impl HasBoards for Symbols {
    type Boards = Feeds;
}

impl EightBoards for Feeds {
    type Isa = Symbols;

    fn load(_: Symbols, row: &Row) -> Feeds {
        Feeds(row.0.map(bits_of))
    }

    fn store(self, row: &mut Row) {
        row.0 = self.0.map(word_of);
    }

    fn splat(_: Symbols, word: u64) -> Feeds {
        Feeds([bits_of(word); 8])
    }

    fn without(self, other: Feeds) -> Feeds {
        self & Feeds(other.0.map(|word| word.map(not)))
    }

    fn or_and(self, a: Feeds, b: Feeds) -> Feeds {
        self | (a & b)
    }

    fn shift(self, _: Symbols, by: i32) -> Feeds {
        let from = |to| usize::try_from(to as i32 - by).ok();
        self.moved(|to| from(to).filter(|&from| from < 64))
    }

    fn lanes_up<const N: usize>(self) -> Feeds {
        self.lanes(N as i32)
    }

    fn lanes_down<const N: usize>(self) -> Feeds {
        self.lanes(-(N as i32))
    }

    fn reverse_lanes(mut self) -> Feeds {
        self.0.reverse();
        self
    }

    fn flip_vertical(self) -> Feeds {
        self.moved(|to| Some(to ^ 56))
    }

    fn flip_horizontal(self, _: Symbols) -> Feeds {
        self.moved(|to| Some(to ^ 7))
    }

    /// Whether no bit can be set. Kernels ask this to save work alone: what they leave out for registers
    /// without bits would add nothing to the result, and take nothing from it.
    fn is_zero(self) -> bool {
        self.0.as_flattened().iter().all(|&bit| bit == ZERO)
    }
}
