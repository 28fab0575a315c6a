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
use crate::mistakes::counted;

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

    /// Every word shifted towards higher bits, or towards lower ones if the distance is negative.
    fn shifted(&self, by: i32) -> Feeds {
        let of = |to| usize::try_from(to as i32 - by).ok();
        self.moved(|to| of(to).filter(|&from| from < 64))
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

    fn joined(&self, other: &Feeds) -> Feeds {
        self.zip(other, or)
    }

    fn masked(&self, other: &Feeds) -> Feeds {
        self.zip(other, and)
    }

    fn constant(word: u64) -> Feeds {
        Feeds([bits_of(word); 8])
    }

    fn is_constant(&self) -> bool {
        self.0.as_flattened().iter().all(|&bit| bit <= ONE)
    }

    /// A mirror, which exchanges ranks (56) or files (7), with the mistakes that it allows.
    fn mirrored(self, bits: usize) -> Feeds {
        counted(
            self.moved(|to| Some(to ^ bits)),
            &[
                ("squares stay as they are", &|| self),
                ("the other mirror is taken", &|| {
                    self.moved(|to| Some(to ^ bits ^ 63))
                }),
            ],
        )
    }

    /// A shift or a move between lanes, with the mistakes that it allows.
    fn moved_or_mistake(&self, moved: fn(&Feeds, i32) -> Feeds, by: i32) -> Feeds {
        counted(
            moved(self, by),
            &[
                ("a move goes one place too far", &|| {
                    moved(self, by + by.signum())
                }),
                ("a move goes one place too short", &|| {
                    moved(self, by - by.signum())
                }),
                ("a move goes the other way", &|| moved(self, -by)),
            ],
        )
    }
}

impl BitAnd for Feeds {
    type Output = Feeds;

    fn bitand(self, other: Feeds) -> Feeds {
        counted(
            self.masked(&other),
            &[
                ("and is or", &|| self.joined(&other)),
                ("and lacks its second operand", &|| self),
                ("and lacks its first operand", &|| other),
            ],
        )
    }
}

impl BitOr for Feeds {
    type Output = Feeds;

    fn bitor(self, other: Feeds) -> Feeds {
        counted(
            self.joined(&other),
            &[
                ("or is and", &|| self.masked(&other)),
                ("or lacks its second operand", &|| self),
                ("or lacks its first operand", &|| other),
            ],
        )
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
        let right = Feeds(row.0.map(bits_of));
        // Only rows of constants are part of a kernel; the others are its input.
        if !right.is_constant() {
            return right;
        }
        counted(
            right,
            &[
                ("a row is in the next lanes", &|| right.lanes(1)),
                ("a row is one bit up", &|| right.shifted(1)),
                ("a row is that of another file or rank", &|| right.lanes(-1)),
            ],
        )
    }

    fn store(self, row: &mut Row) {
        row.0 = self.0.map(word_of);
    }

    fn splat(_: Symbols, word: u64) -> Feeds {
        let less = word & word.wrapping_sub(1);
        let more = word | word.wrapping_add(1);
        let high = word.checked_ilog2().map_or(0, |bit| 1 << bit);
        counted(
            Feeds::constant(word),
            &[
                ("a mask lacks its lowest bit", &|| Feeds::constant(less)),
                ("a mask has a bit too many", &|| Feeds::constant(more)),
                ("a mask lacks its highest bit", &|| {
                    Feeds::constant(word ^ high)
                }),
            ],
        )
    }

    fn without(self, other: Feeds) -> Feeds {
        let inverse = Feeds(other.0.map(|word| word.map(not)));
        counted(
            self.masked(&inverse),
            &[
                ("what shall go stays", &|| self.masked(&other)),
                ("nothing is taken away", &|| self),
            ],
        )
    }

    fn or_and(self, a: Feeds, b: Feeds) -> Feeds {
        counted(
            self.joined(&a.masked(&b)),
            &[
                ("a mask is forgotten", &|| self.joined(&b)),
                ("what was there is forgotten", &|| a.masked(&b)),
                ("nothing is added", &|| self),
            ],
        )
    }

    fn shift(self, _: Symbols, by: i32) -> Feeds {
        self.moved_or_mistake(Feeds::shifted, by)
    }

    fn lanes_up<const N: usize>(self) -> Feeds {
        self.moved_or_mistake(Feeds::lanes, N as i32)
    }

    fn lanes_down<const N: usize>(self) -> Feeds {
        self.moved_or_mistake(Feeds::lanes, -(N as i32))
    }

    fn reverse_lanes(self) -> Feeds {
        let mut right = self;
        right.0.reverse();
        counted(right, &[("lanes stay as they are", &|| self)])
    }

    fn flip_vertical(self) -> Feeds {
        self.mirrored(56)
    }

    fn flip_horizontal(self, _: Symbols) -> Feeds {
        self.mirrored(7)
    }

    /// Whether no bit can be set. Kernels ask this to save work alone: what they leave out for registers
    /// without bits would add nothing to the result, and take nothing from it.
    fn is_zero(self) -> bool {
        self.0.as_flattened().iter().all(|&bit| bit == ZERO)
    }
}
