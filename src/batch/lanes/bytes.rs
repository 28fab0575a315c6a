//! Vectors as bytes: rows of squares to words and back.

use super::Lanes;
use crate::index::Word;

/// Vectors of 64-bit words that are also looked at as eight bytes a word.
pub(crate) trait Bytes: Lanes<u64> {
    /// Vectors of as many bytes, seen as words of 32 bits.
    type Halves: Lanes<u32, Isa = Self::Isa>;

    /// The low halves of both vectors' words, whose upper halves are zero, in one vector.
    fn fold_halves(self, other: Self) -> Self::Halves;
    /// Undoes [`fold_halves`](Bytes::fold_halves).
    fn unfold_halves(isa: Self::Isa, halves: Self::Halves) -> (Self, Self);

    /// How rows of some length are brought into words and back.
    type Shuffle: Copy;

    /// Makes rows of `stride` bytes ready, 1 to 8.
    fn shuffle(isa: Self::Isa, stride: usize) -> Self::Shuffle;

    /// The rows at the beginning of the slice, one a word, its first byte the lowest. The slice has
    /// at least eight bytes a row; a word's bytes after its row's last are zero.
    fn load_rows(isa: Self::Isa, shuffle: Self::Shuffle, from: &[u8]) -> Self;

    /// Puts the words' first bytes into the rows at the beginning of the slice, which has at least
    /// eight bytes a row; its bytes after the last row are unspecified.
    fn store_rows(self, shuffle: Self::Shuffle, to: &mut [u8]);

    /// How rows of five bytes are brought into words.
    type Fives: Copy;

    /// Makes rows of five bytes ready, for indices of 64 bits or of 32.
    fn fives(isa: Self::Isa, wide: bool) -> Self::Fives;

    /// Of as many rows of five bytes as a vector has words of 32 bits, all that the slice holds: the
    /// first four bytes of each, and the fifth in the highest byte, and in the second where bytes are
    /// translated by an instruction; the others being squares or zero. For indices of 64 bits the rows are in whatever
    /// order [`store_fives`](Bytes::store_fives) undoes.
    fn load_fives(isa: Self::Isa, fives: Self::Fives, from: &[u8]) -> (Self::Halves, Self::Halves);

    /// Puts the indices of rows that were loaded for 64 bits into as many words.
    #[inline(always)]
    fn store_fives(isa: Self::Isa, indices: Self::Halves, to: &mut [u64]) {
        let mut narrow = [0; 16];
        indices.store(&mut narrow);
        for (to, words) in to
            .chunks_exact_mut(Self::COUNT)
            .zip(narrow.chunks_exact(Self::COUNT))
        {
            Self::load_narrow(isa, words).store(to);
        }
    }

    /// As many words of 32 bits, made wider.
    fn load_narrow(isa: Self::Isa, from: &[u32]) -> Self;

    /// The low halves of this vector's words and then of the other's.
    fn narrow(self, other: Self) -> Self::Halves;

    /// The low three bits of the eight bytes side by side, the first byte's lowest.
    #[inline(always)]
    fn gather_digits(self, isa: Self::Isa) -> Self {
        let x = self & Self::splat(isa, 0x0707_0707_0707_0707);
        let x = (x | x >> Self::shift(isa, 5)) & Self::splat(isa, 0x003f_003f_003f_003f);
        let x = (x | x >> Self::shift(isa, 10)) & Self::splat(isa, 0x0000_0fff_0000_0fff);
        (x | x >> Self::shift(isa, 20)) & Self::splat(isa, 0x00ff_ffff)
    }

    /// The natural index of up to eight codes, a byte each; `half` is the layout's.
    #[inline(always)]
    fn index_of_codes(self, isa: Self::Isa, half: u32) -> Self {
        let high = (self >> Self::shift(isa, 3)).gather_digits(isa);
        self.gather_digits(isa) | high << Self::shift(isa, half)
    }

    /// The codes of an index's first eight pieces, a byte each; the bytes of pieces that there are
    /// not are unspecified.
    #[inline(always)]
    fn codes_of_index(self, isa: Self::Isa, half: u32) -> Self {
        let high = (self >> Self::shift(isa, half)).spread_digits(isa);
        self.spread_digits(isa) | high << Self::shift(isa, 3)
    }

    /// The lowest eight digits, a byte each.
    #[inline(always)]
    fn spread_digits(self, isa: Self::Isa) -> Self {
        let x = self & Self::splat(isa, 0x00ff_ffff);
        let x = (x | x << Self::shift(isa, 20)) & Self::splat(isa, 0x0000_0fff_0000_0fff);
        let x = (x | x << Self::shift(isa, 10)) & Self::splat(isa, 0x003f_003f_003f_003f);
        (x | x << Self::shift(isa, 5)) & Self::splat(isa, 0x0707_0707_0707_0707)
    }
}

/// The bits that any byte of the vector has.
#[inline(always)]
pub(in crate::batch) fn any_byte<W: Word, V: Lanes<W>>(isa: V::Isa, bytes: V) -> u8 {
    let mut all = 0;
    for up in (0..W::BITS).step_by(8) {
        let mut low = [0; 16];
        (bytes >> V::shift(isa, up)).store_bytes(&mut low);
        all |= low.into_iter().fold(0, |a, b| a | b);
    }
    all
}
