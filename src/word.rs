//! The integers that hold an index.

use std::fmt::{Debug, Display, LowerHex, Octal};
use std::hash::Hash;
use std::ops::{
    Add, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr, Sub,
};

/// Declares a trait of the words `u32` and `u64` by its operations, each with the call that does it. So the code of the calls
/// is compiled here and not in the crates that use a word.
macro_rules! word_trait {
    (
        $(#[$attribute:meta])* pub trait $trait:ident: $super:path;
        $(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? = $call:expr;)*
    ) => {
        $(#[$attribute])*
        #[allow(missing_docs, reason = "hidden: functions that are documented call these")]
        pub trait $trait: $super {
            $(#[doc(hidden)] fn $name($($argument: $type),*) $(-> $result)?;)*
        }

        impl $trait for u32 {
            $(fn $name($($argument: $type),*) $(-> $result)? { $call })*
        }

        impl $trait for u64 {
            $(fn $name($($argument: $type),*) $(-> $result)? { $call })*
        }
    };
}
pub(crate) use word_trait;

/// A trait that safe code cannot implement, so that [`Word`] is sealed.
///
/// # Safety
/// Loops with pointers trust a word's constants and the methods of its vectors. Only tools/prove has words of its
/// own, and it calls none of these loops.
#[expect(unsafe_code, reason = "a promise that other unsafe code relies on")]
pub unsafe trait Sealed {}

/// The masks that depend on the number of pieces alone.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Masks<W> {
    /// Bit 0 of every low digit.
    pub ones: W,
    /// Every bit of the low half, `LOW` = 2^(3n) − 1.
    pub low: W,
    /// Every bit of the high half, `HIGH` = `LOW` << 3n.
    pub high: W,
}

/// An unsigned integer that holds an index: `u32` up to 5 pieces, `u64` up to 10, `u128` up to 21.
///
/// The smallest word that suffices is the fastest: most of them fit into a register or a cache line.
/// The trait is sealed:
///
/// ```compile_fail,E0200
/// struct Mine(u64);
/// impl tbindex::proofs::SealedWord for Mine {}
/// ```
pub trait Word:
    Sealed
    + bytemuck::Pod
    + Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Display
    + LowerHex
    + Octal
    + Default
    + Send
    + Sync
    + From<u8>
    + Into<u128>
    + TryFrom<u128, Error: Debug>
    + TryInto<usize, Error: Debug>
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The word's width in bits.
    const BITS: u32;
    /// The most pieces whose index fits: 6 bits each.
    const MAX_PIECES: usize;
    /// The word 0.
    #[doc(hidden)]
    const ZERO: Self;
    /// The word 1.
    #[doc(hidden)]
    const ONE: Self;
    /// The word that stands for a position without a slot in a batch of ranks: all bits set.
    const NO_SLOT: Self;
    /// The masks for 0 to [`MAX_PIECES`](Word::MAX_PIECES) pieces, by the number of pieces.
    #[doc(hidden)]
    const MASKS: &'static [Masks<Self>];

    /// All bits set where `bit` is 1, none where it is 0: a condition spread over the word.
    #[doc(hidden)]
    #[must_use]
    fn spread(bit: Self) -> Self;

    /// The low eight bits.
    #[doc(hidden)]
    #[must_use]
    fn low_byte(self) -> u8;

    /// The word with this value, bits above its width cut off.
    #[doc(hidden)]
    #[must_use]
    fn truncate(value: u128) -> Self;

    /// The low 64 bits of the word's value, all of it except for a `u128`.
    ///
    /// ```
    /// # use tbindex::Word;
    /// assert_eq!(0o4562u32.to_u64(), 0o4562);
    /// assert_eq!(((1u128 << 64) + 7).to_u64(), 7);
    /// ```
    #[must_use]
    fn to_u64(self) -> u64;

    /// The word plus the product of two others, bits above its width cut off.
    #[doc(hidden)]
    #[must_use]
    fn add_product(self, a: Self, b: Self) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        // SAFETY: this is the word that all code is written for.
        #[expect(unsafe_code, reason = "see the trait")]
        unsafe impl Sealed for $word {}

        impl Word for $word {
            const BITS: u32 = <$word>::BITS;
            const MAX_PIECES: usize = Self::BITS as usize / 6;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const NO_SLOT: Self = Self::MAX;
            const MASKS: &'static [Masks<Self>] = &{
                let none = Masks {
                    ones: 0,
                    low: 0,
                    high: 0,
                };
                let mut all = [none; <$word>::BITS as usize / 6 + 1];
                let mut n = 1;
                while n < all.len() {
                    let ones = all[n - 1].ones << 3 | 1;
                    let low = 7 * ones;
                    all[n] = Masks {
                        ones,
                        low,
                        high: low << (3 * n),
                    };
                    n += 1;
                }
                all
            };

            #[inline(always)]
            fn spread(bit: Self) -> Self {
                bit.wrapping_neg()
            }

            #[inline(always)]
            fn low_byte(self) -> u8 {
                self as u8
            }

            #[inline(always)]
            fn truncate(value: u128) -> Self {
                value as $word
            }

            #[inline(always)]
            #[allow(
                clippy::cast_lossless,
                reason = "it loses the upper half of the widest word"
            )]
            fn to_u64(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn add_product(self, a: Self, b: Self) -> Self {
                self.wrapping_add(a.wrapping_mul(b))
            }
        }
    };
}

word!(u32);
word!(u64);
word!(u128);
