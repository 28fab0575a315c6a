//! The small vector trait that every kernel is written against, and its portable implementations.
//!
//! A vector is a few words side by side. What can be done with it reads as it does with one word:
//! `x >> half | (x & low) << half`. A vector exists only where the processor has the instructions
//! its methods compile to: it takes a token to make one from words, and the tokens of
//! [`x86`](super::x86) are made by detection alone.
//!
//! `wide` chooses its instructions when it is compiled, so in a default build it is SSE2 code on
//! x86-64 even inside a function for AVX-512. It serves as the portable backend and nowhere else.

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use bytemuck::{Pod, Zeroable};

use super::rows::Bytes;
use crate::index::Word;

/// A cache line, the unit in which slices are walked: whole lines of the destination, words one by
/// one before the first and after the last.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line(pub [u8; LINE_BYTES]);

/// The bytes of a [`Line`].
pub(super) const LINE_BYTES: usize = 64;

/// How many words a line holds.
#[must_use]
pub(super) const fn line_words<W>() -> usize {
    LINE_BYTES / size_of::<W>()
}

/// Vectors of words. All words are valid indices or masks of them; the two highest bits of a word
/// may be taken for granted to be zero in [`min`](Lanes::min) and nowhere else.
pub trait Lanes<W: Word>:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<Self::Shift, Output = Self>
    + Shr<Self::Shift, Output = Self>
{
    /// The proof that the processor has the instructions.
    type Isa: Copy;
    /// A number of bits to shift by, ready for use.
    type Shift: Copy;
    /// A condition for each word.
    type Mask: Copy;

    /// How many words a vector holds.
    const COUNT: usize;
    /// How many vectors fill a line.
    const PER_LINE: usize = line_words::<W>() / Self::COUNT;

    /// Whether [`merge`](Lanes::merge) and its like are one instruction.
    const MERGES: bool = false;

    /// The same word in every place.
    fn splat(isa: Self::Isa, word: W) -> Self;
    /// Makes a shift by `bits` ready.
    fn shift(isa: Self::Isa, bits: u32) -> Self::Shift;
    /// The first `COUNT` words of the slice.
    fn load(isa: Self::Isa, from: &[W]) -> Self;
    /// Puts the vector into the first `COUNT` words of the slice.
    fn store(self, to: &mut [W]);
    /// Vector number `part` of the line.
    fn load_line(isa: Self::Isa, from: &Line, part: usize) -> Self;
    /// Puts the vector in place `part` of the line.
    fn store_line(self, to: &mut Line, part: usize);
    /// As [`store_line`](Lanes::store_line), but past the caches where the processor can.
    #[inline(always)]
    fn stream_line(self, to: &mut Line, part: usize) {
        self.store_line(to, part);
    }
    /// The first `COUNT` bytes of the slice, one a word.
    fn load_bytes(isa: Self::Isa, from: &[u8]) -> Self;
    /// Puts the low byte of each word into the first `COUNT` bytes of the slice.
    fn store_bytes(self, to: &mut [u8]);

    /// All words shifted to the left by one bit: as a sum, which more ports can do than a shift.
    fn twice(self) -> Self;
    /// The smaller word in each place.
    fn min(self, other: Self) -> Self;
    /// Bit by bit: `self` where `mask` has the bit, `other` where it has not.
    #[inline(always)]
    fn merge(self, mask: Self, other: Self) -> Self {
        (self & mask) | (other & !mask)
    }
    /// Bit by bit: `self` where `mask` has the bit, the opposite of `other` where it has not.
    #[inline(always)]
    fn merge_not(self, mask: Self, other: Self) -> Self {
        (self & mask) | !(other | mask)
    }
    /// `self ^ mask` in the places where any bit of `bits` is set in `condition`.
    fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self;
    /// `x >> half | x << half & high`: exchanges the halves of valid indices.
    #[inline(always)]
    fn exchange_halves(self, isa: Self::Isa, half: u32, high: W) -> Self {
        let half = Self::shift(isa, half);
        self >> half | self << half & Self::splat(isa, high)
    }
    /// For 15-bit halves that begin at bits 1 and 16, each with its highest bit zero: the smaller of
    /// the word and the word with its halves exchanged.
    #[inline(always)]
    fn least_exchange(self, isa: Self::Isa) -> Self {
        let half = Self::shift(isa, 15);
        let exchanged = (self >> half | self << half) & Self::splat(isa, W::truncate(0x7fff_ffff));
        self.min(exchanged)
    }
    /// Bit by bit: where `mask` has the bit, whether the two differ; elsewhere, whether they are
    /// not both set.
    #[inline(always)]
    fn differ_or_not_both(self, other: Self, mask: Self) -> Self {
        (self ^ other).merge(mask, !(self & other))
    }
    /// The smaller of every 16 bits, as numbers without sign.
    fn min_of_16(self, other: Self) -> Self;
    /// The upper half of the product of every 16 bits, as numbers without sign.
    fn high_product_of_16(self, other: Self) -> Self;
    /// In every 32 bits the sum of the products of the two 16 bits, all of them below 2^15.
    fn sum_of_products_of_16(self, other: Self) -> Self;
    /// Where the words are equal.
    fn equal(self, other: Self) -> Self::Mask;
    /// Where `self` is less than `other`.
    fn less(self, other: Self) -> Self::Mask;
    /// `self` where the condition holds, `other` elsewhere.
    fn select(self, condition: Self::Mask, other: Self) -> Self;
    /// Either condition.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The condition as bits, the first word's the lowest.
    fn bits(condition: Self::Mask) -> u64;
}

/// Words that batches are made of: `u32` and `u64`. The trait is sealed; `u128` stays scalar.
pub trait Vectors: Word + Lanes<Self, Isa = (), Shift = u32, Mask = bool> {
    /// The vectors of the portable backend.
    type Portable: Lanes<Self, Isa = Portable>;
    /// The vectors of AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Self, Isa = super::x86::Avx2>;
    /// The vectors of AVX-512.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Lanes<Self, Isa = super::x86::Avx512>;
}

/// A set of instructions, and the proof that the processor has it.
pub trait Isa: Copy {
    /// Its vectors of words `W`.
    type Of<W: Vectors>: Lanes<W, Isa = Self>;
    /// Its vectors of 64-bit words, which are also vectors of bytes.
    type Bytes: Bytes<Isa = Self>;
    /// Whether [`stream_line`](Lanes::stream_line) does what it is named for.
    const STREAMS: bool = false;
    /// Asks for the line that holds this address, wherever it points.
    #[inline(always)]
    fn prefetch<T>(self, _at: *const T) {}
    /// Orders all streaming stores of this thread before what it stores next.
    #[inline(always)]
    fn fence(self) {}
}

/// What is to be done, over whatever vectors the instruction set has. Everything on the way from
/// [`run`](Work::run) to the vectors' methods must be inlined, or it is compiled without them.
pub trait Work {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// The token of the portable backend: every processor has what the build was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Portable;

impl Isa for Portable {
    type Of<W: Vectors> = W::Portable;
    type Bytes = Wide64;
}

impl Portable {
    #[inline(never)]
    pub(super) fn run<T: Work>(self, work: T) -> T::Output {
        work.run(self)
    }
}

/// A single word is a vector of one: this is what heads and tails of slices are done with.
macro_rules! single {
    ($word:ty) => {
        impl Lanes<$word> for $word {
            type Isa = ();
            type Shift = u32;
            type Mask = bool;

            const COUNT: usize = 1;

            #[inline(always)]
            fn splat((): (), word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn shift((): (), bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn load((): (), from: &[$word]) -> Self {
                from[0]
            }
            #[inline(always)]
            fn store(self, to: &mut [$word]) {
                to[0] = self;
            }
            #[inline(always)]
            fn load_line((): (), from: &Line, part: usize) -> Self {
                bytemuck::cast::<_, [$word; line_words::<$word>()]>(*from)[part]
            }
            #[inline(always)]
            fn store_line(self, to: &mut Line, part: usize) {
                bytemuck::cast_mut::<_, [$word; line_words::<$word>()]>(to)[part] = self;
            }
            #[inline(always)]
            fn load_bytes((): (), from: &[u8]) -> Self {
                from[0].into()
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                to[0] = self as u8;
            }
            #[inline(always)]
            fn twice(self) -> Self {
                self << 1
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Ord::min(self, other)
            }
            #[inline(always)]
            fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
                self ^ if condition & bits != 0 { mask } else { 0 }
            }
            #[inline(always)]
            fn min_of_16(self, other: Self) -> Self {
                by_16(self, other, |a, b| Ord::min(a, b))
            }
            #[inline(always)]
            fn high_product_of_16(self, other: Self) -> Self {
                by_16(self, other, |a, b| a * b >> 16)
            }
            #[inline(always)]
            fn sum_of_products_of_16(self, other: Self) -> Self {
                let mut sums = 0;
                for at in (0..<$word>::BITS).step_by(32) {
                    let part = |x: $word, up: u32| x >> (at + up) & 0xffff;
                    let sum = part(self, 0) * part(other, 0) + part(self, 16) * part(other, 16);
                    sums |= sum << at;
                }
                sums
            }
            #[inline(always)]
            fn equal(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
            }
            #[inline(always)]
            fn select(self, condition: bool, other: Self) -> Self {
                if condition { self } else { other }
            }
            #[inline(always)]
            fn either(a: bool, b: bool) -> bool {
                a | b
            }
            #[inline(always)]
            fn bits(condition: bool) -> u64 {
                u64::from(condition)
            }
        }
    };
}

single!(u32);
single!(u64);

/// The function of every 16 bits of two words.
#[inline(always)]
fn by_16<W: Word>(a: W, b: W, f: impl Fn(u32, u32) -> u32) -> W {
    let part = |x: W, at: u32| {
        let (low, high) = ((x >> at).low_byte(), (x >> (at + 8)).low_byte());
        u32::from(low) | u32::from(high) << 8
    };
    (0..W::BITS).step_by(16).fold(W::ZERO, |all, at| {
        all | W::truncate(f(part(a, at), part(b, at)).into()) << at
    })
}

macro_rules! portable {
    ($name:ident, $word:ty, $wide:ty, $count:literal, $min:expr) => {
        /// Words in a vector of `wide`.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($wide);

        portable!(@op $name, BitAnd, bitand, &);
        portable!(@op $name, BitOr, bitor, |);
        portable!(@op $name, BitXor, bitxor, ^);
        portable!(@shift $name, Shl, shl, <<);
        portable!(@shift $name, Shr, shr, >>);

        impl Not for $name {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl Lanes<$word> for $name {
            type Isa = Portable;
            type Shift = u32;
            type Mask = $wide;

            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(_: Portable, word: $word) -> Self {
                Self(<$wide>::splat(word))
            }
            #[inline(always)]
            fn shift(_: Portable, bits: u32) -> u32 {
                bits
            }
            #[inline(always)]
            fn load(_: Portable, from: &[$word]) -> Self {
                let mut words = [0; $count];
                words.copy_from_slice(&from[..$count]);
                Self(words.into())
            }
            #[inline(always)]
            fn store(self, to: &mut [$word]) {
                to[..$count].copy_from_slice(&self.0.to_array());
            }
            #[inline(always)]
            fn load_line(_: Portable, from: &Line, part: usize) -> Self {
                const BYTES: usize = size_of::<$wide>();
                let mut bytes = [0; BYTES];
                bytes.copy_from_slice(&from.0[part * BYTES..][..BYTES]);
                Self(bytemuck::cast(bytes))
            }
            #[inline(always)]
            fn store_line(self, to: &mut Line, part: usize) {
                let bytes: [u8; size_of::<$wide>()] = bytemuck::cast(self.0);
                to.0[part * bytes.len()..][..bytes.len()].copy_from_slice(&bytes);
            }
            #[inline(always)]
            fn load_bytes(_: Portable, from: &[u8]) -> Self {
                let mut words = [0; $count];
                for (word, &byte) in words.iter_mut().zip(&from[..$count]) {
                    *word = byte.into();
                }
                Self(words.into())
            }
            #[inline(always)]
            fn store_bytes(self, to: &mut [u8]) {
                for (byte, word) in to[..$count].iter_mut().zip(self.0.to_array()) {
                    *byte = word as u8;
                }
            }
            #[inline(always)]
            fn twice(self) -> Self {
                Self(self.0 + self.0)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self($min(self.0, other.0))
            }
            #[inline(always)]
            fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self {
                let none = (condition.0 & bits.0).simd_eq(<$wide>::splat(0));
                Self(self.0 ^ (!none & mask.0))
            }
            #[inline(always)]
            fn min_of_16(self, other: Self) -> Self {
                let (a, b): (wide::u16x8, wide::u16x8) =
                    (bytemuck::cast(self.0), bytemuck::cast(other.0));
                // SSE2 has no such minimum, but the difference that stops at zero.
                Self(bytemuck::cast(a - a.saturating_sub(b)))
            }
            #[inline(always)]
            fn high_product_of_16(self, other: Self) -> Self {
                let (a, b): (wide::u16x8, wide::u16x8) =
                    (bytemuck::cast(self.0), bytemuck::cast(other.0));
                Self(bytemuck::cast(a.mul_keep_high(b)))
            }
            #[inline(always)]
            fn sum_of_products_of_16(self, other: Self) -> Self {
                let (a, b): (wide::i16x8, wide::i16x8) =
                    (bytemuck::cast(self.0), bytemuck::cast(other.0));
                Self(bytemuck::cast(a.dot(b)))
            }
            #[inline(always)]
            fn equal(self, other: Self) -> $wide {
                self.0.simd_eq(other.0)
            }
            #[inline(always)]
            fn less(self, other: Self) -> $wide {
                self.0.simd_lt(other.0)
            }
            #[inline(always)]
            fn select(self, condition: $wide, other: Self) -> Self {
                Self((condition & self.0) | (!condition & other.0))
            }
            #[inline(always)]
            fn either(a: $wide, b: $wide) -> $wide {
                a | b
            }
            #[inline(always)]
            fn bits(condition: $wide) -> u64 {
                u64::from(condition.to_bitmask())
            }
        }
    };
    (@op $name:ident, $trait:ident, $method:ident, $op:tt) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
    };
    (@shift $name:ident, $trait:ident, $method:ident, $op:tt) => {
        impl $trait<u32> for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, bits: u32) -> Self {
                Self(self.0 $op bits)
            }
        }
    };
}

portable!(Wide32, u32, wide::u32x4, 4, smaller_u32);
portable!(Wide64, u64, wide::u64x2, 2, smaller_u64);

// Positive floating-point numbers are ordered as their bits are, and an index is a positive number:
// its highest bits are zero, so it is neither infinite nor none. SSE2 has this minimum; of the
// integers' it has neither.
#[inline(always)]
fn smaller_u32(a: wide::u32x4, b: wide::u32x4) -> wide::u32x4 {
    let (a, b): (wide::f32x4, wide::f32x4) = (bytemuck::cast(a), bytemuck::cast(b));
    bytemuck::cast(a.fast_min(b))
}

#[inline(always)]
fn smaller_u64(a: wide::u64x2, b: wide::u64x2) -> wide::u64x2 {
    let (a, b): (wide::f64x2, wide::f64x2) = (bytemuck::cast(a), bytemuck::cast(b));
    bytemuck::cast(a.fast_min(b))
}

impl Bytes for Wide64 {
    type Halves = Wide32;

    #[inline(always)]
    fn fold_halves(self, other: Self) -> Wide32 {
        // An invalid word must not spill into its neighbour.
        let low = Self::splat(Portable, u64::MAX >> 32);
        Wide32(bytemuck::cast((self & low | other << 32).0))
    }
    #[inline(always)]
    fn unfold_halves(isa: Portable, halves: Wide32) -> (Self, Self) {
        let both = Self(bytemuck::cast(halves.0));
        (both & Self::splat(isa, u64::MAX >> 32), both >> 32)
    }

    type Shuffle = usize;

    #[inline(always)]
    fn shuffle(_: Portable, stride: usize) -> usize {
        stride
    }
    #[inline(always)]
    fn load_rows(_: Portable, stride: usize, from: &[u8]) -> Self {
        // The second row begins where the slice surely has eight bytes more.
        let stride = stride.clamp(1, 8);
        let second = from.get(stride..).and_then(|rest| rest.first_chunk::<8>());
        let (Some(first), Some(second)) = (from.first_chunk::<8>(), second) else {
            return Self::splat(Portable, 0);
        };
        let rows = [u64::from_le_bytes(*first), u64::from_le_bytes(*second)];
        Self(rows.into()) & Self::splat(Portable, u64::MAX >> (64 - 8 * stride as u32))
    }
    #[inline(always)]
    fn store_rows(self, stride: usize, to: &mut [u8]) {
        let [first, second] = self.0.to_array();
        to[..8].copy_from_slice(&first.to_le_bytes());
        to[stride.min(8)..][..8].copy_from_slice(&second.to_le_bytes());
    }
    #[inline(always)]
    fn load_narrow(_: Portable, from: &[u32]) -> Self {
        Self([from[0].into(), from[1].into()].into())
    }
    #[inline(always)]
    fn narrow(self, other: Self) -> Wide32 {
        let ([a, b], [c, d]) = (self.0.to_array(), other.0.to_array());
        Wide32([a as u32, b as u32, c as u32, d as u32].into())
    }
}

impl Vectors for u32 {
    type Portable = Wide32;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = super::x86::Ymm32;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = super::x86::Zmm32;
}

impl Vectors for u64 {
    type Portable = Wide64;
    #[cfg(target_arch = "x86_64")]
    type Avx2 = super::x86::Ymm64;
    #[cfg(target_arch = "x86_64")]
    type Avx512 = super::x86::Zmm64;
}
