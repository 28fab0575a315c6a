//! Words of symbols, on which the library's scalar code runs.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{
    Add, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr, Sub,
};

use bytemuck::{Pod, Zeroable};
use tbindex::Masks;
use tbindex::Word;
use tbindex::proofs::SealedWord;

use crate::machine;
use crate::paths::holds;
use crate::term::{self, Term, constant};

/// A word whose value is a term.
pub(crate) trait SymbolicWord: Word {
    fn of(term: Term) -> Self;
    fn term(self) -> Term;
}

macro_rules! symbolic {
    ($name:ident, $word:ty) => {
        /// A word of as many bits, a constant or a term.
        #[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
        #[repr(C)]
        pub(crate) struct $name {
            /// The value, if it is a constant.
            value: [u64; 2],
            /// One more than the term's number, or zero if the word is a constant.
            term: u64,
        }

        impl $name {
            const fn number(value: u128) -> Self {
                let value = value & (<$word>::MAX as u128);
                $name {
                    value: [value as u64, (value >> 64) as u64],
                    term: 0,
                }
            }

            const fn value(self) -> Option<u128> {
                match self.term {
                    0 => Some(self.value[0] as u128 | (self.value[1] as u128) << 64),
                    _ => None,
                }
            }

            /// The values of two words, if they are constants.
            fn values(self, other: Self) -> Option<(u128, u128)> {
                Some((self.value()?, other.value()?))
            }
        }

        impl SymbolicWord for $name {
            fn of(term: Term) -> Self {
                assert_eq!(term.width(), <$word>::BITS);
                match term.value() {
                    Some(value) => Self::number(value),
                    None => $name {
                        value: [0; 2],
                        term: u64::from(term.0) + 1,
                    },
                }
            }

            fn term(self) -> Term {
                match self.value() {
                    Some(value) => constant(value, <$word>::BITS),
                    None => Term((self.term - 1) as u32),
                }
            }
        }

        // SAFETY: proofs run operations on one index and kernels, none of which has pointers.
        #[expect(unsafe_code, reason = "the trait keeps words from safe code")]
        unsafe impl SealedWord for $name {}

        impl Word for $name {
            const BITS: u32 = <$word>::BITS;
            const MAX_PIECES: usize = <$word as Word>::MAX_PIECES;
            const ZERO: Self = Self::number(0);
            const ONE: Self = Self::number(1);
            const NO_SLOT: Self = Self::number(u128::MAX);
            const MASKS: &'static [Masks<Self>] = {
                // The operations of the word itself, which are thus the ones that proofs are about.
                const fn masks() -> [Masks<$name>; <$word>::BITS as usize / 6 + 1] {
                    let zero = $name::number(0);
                    let none = Masks {
                        ones: zero,
                        low: zero,
                        high: zero,
                    };
                    let mut all = [none; <$word>::BITS as usize / 6 + 1];
                    let mut n = 0;
                    while n < all.len() {
                        let masks = <$word as Word>::MASKS[n];
                        all[n] = Masks {
                            ones: $name::number(masks.ones as u128),
                            low: $name::number(masks.low as u128),
                            high: $name::number(masks.high as u128),
                        };
                        n += 1;
                    }
                    all
                }
                &masks()
            };

            #[track_caller]
            fn spread(bit: Self) -> Self {
                Self::ZERO - bit
            }

            fn low_byte(self) -> u8 {
                let term = self.term();
                (0..8).fold(0, |byte, k| {
                    byte | u8::from(holds(term::bit(term, k))) << k
                })
            }

            fn truncate(value: u128) -> Self {
                Self::number(value)
            }

            fn to_u64(self) -> u64 {
                self.value().expect("a constant") as u64
            }

            fn add_product(self, a: Self, b: Self) -> Self {
                let product = match a.values(b) {
                    Some((a, b)) => Self::number(a.wrapping_mul(b)),
                    None => Self::of(term::multiply(a.term(), b.term())),
                };
                self + product
            }
        }

        impl From<u8> for $name {
            fn from(value: u8) -> Self {
                Self::number(value.into())
            }
        }

        impl From<$name> for u128 {
            fn from(word: $name) -> u128 {
                word.value().expect("a constant")
            }
        }

        impl TryFrom<$name> for usize {
            type Error = std::num::TryFromIntError;
            fn try_from(word: $name) -> Result<usize, Self::Error> {
                u128::from(word).try_into()
            }
        }

        impl TryFrom<u128> for $name {
            type Error = ();
            fn try_from(value: u128) -> Result<Self, ()> {
                let word = Self::number(value);
                (word.value() == Some(value)).then_some(word).ok_or(())
            }
        }

        impl PartialEq for $name {
            #[track_caller]
            fn eq(&self, other: &Self) -> bool {
                match self.values(*other) {
                    Some((a, b)) => a == b,
                    None => holds(machine::equal(self.term(), other.term())),
                }
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
            #[track_caller]
            fn lt(&self, other: &Self) -> bool {
                match self.values(*other) {
                    Some((a, b)) => a < b,
                    None => holds(machine::less(self.term(), other.term())),
                }
            }
            #[track_caller]
            fn gt(&self, other: &Self) -> bool {
                other < self
            }
            #[track_caller]
            fn le(&self, other: &Self) -> bool {
                !(other < self)
            }
            #[track_caller]
            fn ge(&self, other: &Self) -> bool {
                !(self < other)
            }
        }

        impl Ord for $name {
            #[track_caller]
            fn cmp(&self, other: &Self) -> Ordering {
                if self < other {
                    Ordering::Less
                } else if self == other {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                }
            }
            #[track_caller]
            fn min(self, other: Self) -> Self {
                match self.values(other) {
                    Some((a, b)) => Self::number(a.min(b)),
                    None => Self::of(machine::least(self.term(), other.term())),
                }
            }
            #[track_caller]
            fn max(self, other: Self) -> Self {
                match self.values(other) {
                    Some((a, b)) => Self::number(a.max(b)),
                    None => Self::of(machine::greatest(self.term(), other.term())),
                }
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                // Equality depends on the path, so all words have the same hash.
                0.hash(state);
            }
        }

        symbolic!(@op $name, Add add, u128::wrapping_add, machine::add);
        symbolic!(@op $name, Sub sub, u128::wrapping_sub, machine::subtract);
        symbolic!(@op $name, BitAnd bitand, BitAnd::bitand, machine::and);
        symbolic!(@op $name, BitOr bitor, BitOr::bitor, machine::or);
        symbolic!(@op $name, BitXor bitxor, BitXor::bitxor, machine::xor);
        symbolic!(@assign $name, BitAndAssign bitand_assign &);
        symbolic!(@assign $name, BitOrAssign bitor_assign |);
        symbolic!(@assign $name, BitXorAssign bitxor_assign ^);

        impl Not for $name {
            type Output = Self;
            #[track_caller]
            fn not(self) -> Self {
                match self.value() {
                    Some(value) => Self::number(!value),
                    None => Self::of(machine::not(self.term())),
                }
            }
        }

        symbolic!(@shift $name, Shl shl <<, machine::left);
        symbolic!(@shift $name, Shr shr >>, machine::right);
        symbolic!(@format $name, Display, LowerHex, Octal);
    };
    (@op $name:ident, $trait:ident $method:ident, $numbers:expr, $terms:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[track_caller]
            fn $method(self, other: Self) -> Self {
                match self.values(other) {
                    Some((a, b)) => Self::number($numbers(a, b)),
                    None => Self::of($terms(self.term(), other.term())),
                }
            }
        }
    };
    (@shift $name:ident, $trait:ident $method:ident $op:tt, $terms:expr) => {
        impl $trait<u32> for $name {
            type Output = Self;
            #[track_caller]
            fn $method(self, bits: u32) -> Self {
                match self.value() {
                    Some(value) => Self::number(value $op bits),
                    None => Self::of($terms(self.term(), bits)),
                }
            }
        }
    };
    (@assign $name:ident, $trait:ident $method:ident $op:tt) => {
        impl $trait for $name {
            #[track_caller]
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    };
    (@format $name:ident, $($trait:ident),*) => {$(
        impl fmt::$trait for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.value() {
                    Some(value) => fmt::$trait::fmt(&value, f),
                    None => f.write_str("a symbol"),
                }
            }
        }
    )*};
}

symbolic!(Symbolic32, u32);
symbolic!(Symbolic64, u64);
symbolic!(Symbolic128, u128);
