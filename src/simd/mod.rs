//! The small vector trait on which every kernel is written, and its implementations.
//!
//! A vector is a few words side by side. Formulas read as for one word: `x >> half | (x & low) << half`. A
//! vector exists only where the processor has the instructions to which its methods compile: it takes a
//! token to make one from words, and only detection makes [tokens].
//!
//! `wide` chooses its instructions when it is compiled. So in a default build it is SSE2 code on x86-64,
//! even inside a function for AVX-512. It serves the portable backend and products of single words.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unnameable_types,
        reason = "the values of associated types of traits that tools/prove implements"
    )
)]

use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use bytemuck::{Pod, Zeroable};

use crate::word::Word;

mod bytes;
mod entries;
mod in_out;
mod isa;
mod portable;
mod single;
pub(crate) mod tokens;
#[cfg(target_arch = "x86_64")]
#[macro_use]
mod x86;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

pub use bytes::Bytes;
pub(crate) use bytes::any_byte;
pub(crate) use entries::permute;
pub(crate) use in_out::InOut;
pub(crate) use isa::Streaming;
pub use isa::{Isa, Vectors};

/// A cache line. Loops write whole lines of the destination.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line(pub [u8; LINE_BYTES]);

/// The bytes of a [`Line`].
pub const LINE_BYTES: usize = 64;

/// The number of words that a line holds.
#[must_use]
pub(crate) const fn line_words<W>() -> usize {
    LINE_BYTES / size_of::<W>()
}

/// Vectors of words. All words are valid indices or masks of them. [`min`](Lanes::min) and [`less`](Lanes::less) may
/// rely on the highest bit of a word being zero, as AVX2 takes it for a sign (AVX-512 and single words do not); no
/// other method may rely on any bit.
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
    /// A number of bits by which to shift, in the form that the shift needs.
    type Shift: Copy;
    /// A condition for each word.
    type Mask: Copy;

    /// The number of words that a vector holds.
    const COUNT: usize;

    /// Whether [`choose_bits`](Lanes::choose_bits) and the methods like it are one instruction each.
    const CHOOSES_BITS: bool = false;
    /// Whether [`take_bytes`](Lanes::take_bytes) and [`translate_bytes`](Lanes::translate_bytes)
    /// are one instruction each. Where they are not, they are slow.
    const TRANSLATES: bool = false;

    /// A vector with the same word in every place.
    fn splat(isa: Self::Isa, word: W) -> Self;
    /// The shift by `bits`, in the form that the operators `<<` and `>>` take.
    fn shift(isa: Self::Isa, bits: u32) -> Self::Shift;
    /// The first `COUNT` words of the slice.
    fn load(isa: Self::Isa, from: &[W]) -> Self;
    /// Puts the vector into the first `COUNT` words of the slice.
    fn store(self, to: &mut [W]);
    /// The first `COUNT` bytes of the slice, one in each word.
    fn load_bytes(isa: Self::Isa, from: &[u8]) -> Self;
    /// Puts the low byte of each word into the first `COUNT` bytes of the slice.
    fn store_bytes(self, to: &mut [u8]);

    /// All words shifted to the left by one bit. This is done as a sum, as more ports can add than shift.
    fn twice(self) -> Self;
    /// The smaller word in each place.
    fn min(self, other: Self) -> Self;
    /// Bit by bit `self` where the bit is set in `mask`, and `other` elsewhere.
    #[inline(always)]
    fn choose_bits(self, mask: Self, other: Self) -> Self {
        (self & mask) | (other & !mask)
    }
    /// Bit by bit `self` where the bit is set in `mask`, and the opposite of `other` elsewhere.
    #[inline(always)]
    fn choose_bits_not(self, mask: Self, other: Self) -> Self {
        (self & mask) | !(other | mask)
    }
    /// `self ^ mask` in the places where any bit of `bits` is set in `condition`.
    fn xor_where(self, mask: Self, condition: Self, bits: Self) -> Self;
    /// Valid indices with their halves exchanged, `x >> half | x << half & high`.
    #[inline(always)]
    fn exchange_halves(self, isa: Self::Isa, half: u32, high: W) -> Self {
        let half = Self::shift(isa, half);
        self >> half | self << half & Self::splat(isa, high)
    }
    /// Bit by bit whether the two differ where the bit is set in `mask`, and elsewhere whether they are not
    /// both set.
    #[inline(always)]
    fn differ_or_not_both(self, other: Self, mask: Self) -> Self {
        (self ^ other).choose_bits(mask, !(self & other))
    }
    /// The smaller of every two numbers of 16 bits without sign.
    fn min_of_16(self, other: Self) -> Self;
    /// The upper half of the product of every two numbers of 16 bits without sign.
    fn high_product_of_16(self, other: Self) -> Self;
    /// The lower half of the product of every two numbers of 16 bits.
    fn low_product_of_16(self, other: Self) -> Self;
    /// In every 32 bits the sum of the products of two pairs of numbers of 16 bits with sign.
    fn sum_of_products_of_16(self, other: Self) -> Self;
    /// The [sum of products](Lanes::sum_of_products_of_16), joined with the bits of `others`, which has no
    /// bit that the sum has.
    #[inline(always)]
    fn sum_of_products_of_16_or(self, other: Self, others: Self) -> Self {
        self.sum_of_products_of_16(other) | others
    }
    /// The product of every two words, both less than 2^15 if words have 32 bits, and less than 2^32 if they have 64.
    fn product(self, other: Self) -> Self;
    /// In every 16 bits the sum of the products of two pairs of bytes. This vector's bytes have no sign,
    /// the other's have one. The sum must be a number of 16 bits with sign.
    fn sum_of_products_of_8(self, other: Self) -> Self;
    /// In every 32 bits the four bytes that begin at these bits. A byte that ends past the 32 bits is
    /// unspecified.
    #[inline(always)]
    fn take_bytes(self, isa: Self::Isa, from: [u32; 4]) -> Self {
        let mut bytes = Self::splat(isa, W::ZERO);
        for (k, from) in (0..).zip(from) {
            let byte = W::truncate(0x0000_00ff_0000_00ff << (8 * k));
            let byte = Self::splat(isa, byte);
            bytes = bytes
                | byte
                    & if from > 8 * k {
                        self >> Self::shift(isa, from - 8 * k)
                    } else {
                        self << Self::shift(isa, 8 * k - from)
                    };
        }
        bytes
    }
    /// For each byte the table's entry for its low six bits.
    #[inline(always)]
    fn translate_bytes(self, isa: Self::Isa, table: &[u8; 64]) -> Self {
        let mut words = [W::ZERO; 16];
        self.store(&mut words);
        for byte in bytemuck::cast_slice_mut::<W, u8>(&mut words) {
            *byte = table[usize::from(*byte & 63)];
        }
        Self::load(isa, &words)
    }
    /// The mask of the places where the words are equal.
    fn equal(self, other: Self) -> Self::Mask;
    /// The mask of the places where `self` is less than `other`.
    fn less(self, other: Self) -> Self::Mask;
    /// `self` where the condition holds, `other` elsewhere.
    fn select(self, condition: Self::Mask, other: Self) -> Self;
    /// The mask of the places where either condition holds.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The condition as bits, the first word's the lowest.
    fn bits(condition: Self::Mask) -> u64;
}

/// Vectors of 64-bit words that are boards: a square is a bit, a1 the lowest.
pub trait Boards: Lanes<u64> {
    /// The words moved up by so many places, less than there are. The last words of `below` come into the first places.
    fn up(self, by: usize, below: Self) -> Self;
    /// The words moved down by so many places, less than there are. The first words of `above` come into the last
    /// places.
    fn down(self, by: usize, above: Self) -> Self;
    /// The words in the opposite order.
    fn reverse_words(self) -> Self;
    /// Every board with its ranks mirrored.
    fn flip_vertical(self) -> Self;
    /// Every board with its files mirrored.
    #[inline(always)]
    fn flip_horizontal(self, isa: Self::Isa) -> Self {
        // Exchanges neighbouring bits, then pairs, then nibbles.
        let mut x = self;
        for (by, mask) in [
            (1, 0x5555_5555_5555_5555),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
        ] {
            let (by, mask) = (Self::shift(isa, by), Self::splat(isa, mask));
            x = x >> by & mask | (x & mask) << by;
        }
        x
    }
    /// Whether no bit is set.
    fn is_zero(self) -> bool;
}
