//! Vectors as bytes, by which rows of squares become words, and words rows.

use super::Lanes;
use crate::word::Word;

/// Vectors of 64-bit words whose words are also seen as eight bytes each.
pub trait Bytes: Lanes<u64> {
    /// Vectors of as many bytes, seen as words of 32 bits.
    type Words32: Lanes<u32, Isa = Self::Isa>;

    /// One vector with the low halves of both vectors' words, whose upper halves must be zero.
    fn fold_halves(self, other: Self) -> Self::Words32;
    /// Undoes [`fold_halves`](Bytes::fold_halves).
    fn unfold_halves(isa: Self::Isa, halves: Self::Words32) -> (Self, Self);

    /// The bytes of the slice, as many as the vector has.
    #[inline(always)]
    fn load_all(isa: Self::Isa, from: &[u8]) -> Self {
        let mut words = [0; 8];
        let bytes = bytemuck::cast_slice_mut::<u64, u8>(&mut words);
        bytes[..8 * Self::COUNT].copy_from_slice(&from[..8 * Self::COUNT]);
        Self::load(isa, &words)
    }
    /// Puts the vector's bytes into the slice, which has as many.
    #[inline(always)]
    fn store_all(self, to: &mut [u8]) {
        let mut words = [0; 8];
        self.store(&mut words);
        let to = &mut to[..8 * Self::COUNT];
        to.copy_from_slice(&bytemuck::cast_slice(&words)[..8 * Self::COUNT]);
    }

    /// The constants that bring rows of one length into words and back.
    type Shuffle: Copy;

    /// The constants for rows of `stride` bytes, 1 to 8.
    fn shuffle(isa: Self::Isa, stride: usize) -> Self::Shuffle;

    /// The rows at the beginning of the slice, one in each word. The first byte of a row is the lowest of
    /// its word, and the bytes after its last are zero. The slice has at least eight bytes for each row.
    fn load_rows(isa: Self::Isa, shuffle: Self::Shuffle, from: &[u8]) -> Self;

    /// Puts the first bytes of each word into a row at the beginning of the slice. The slice has at least
    /// eight bytes for each row; its bytes after the last row are unspecified.
    fn store_rows(self, shuffle: Self::Shuffle, to: &mut [u8]);

    /// The constants that bring words into rows of nine or ten bytes.
    type Long: Copy;

    /// The constants for rows of nine or ten bytes.
    fn long(isa: Self::Isa, pieces: usize) -> Self::Long;

    /// Writes rows at the beginning of the slice: eight bytes from each word, and the others from the low bytes of
    /// the words of `rest`. The slice has 16 bytes from the beginning of each row on; its bytes after the last row
    /// are unspecified.
    fn store_long(self, rest: Self, long: Self::Long, to: &mut [u8]);

    /// The constants that bring rows of two to five bytes into words of 32 bits.
    type Short: Copy;

    /// The constants for rows of so many bytes, and for indices of 64 bits if they are `wide`.
    fn short(isa: Self::Isa, pieces: usize, wide: bool) -> Self::Short;

    /// Rows of two to four bytes, one to each word of 32 bits, whose other bytes are zero. The slice holds
    /// as many rows as a vector has words of 32 bits, and no more. For wide indices the rows are in an order that
    /// [`store_wide`](Bytes::store_wide) undoes.
    fn load_fours(isa: Self::Isa, short: Self::Short, from: &[u8]) -> Self::Words32;

    /// As [`load_fours`](Bytes::load_fours), for rows of five bytes. The first vector has the first
    /// four bytes of each row; the second has the fifth as the second and the highest byte of every word.
    /// The other two bytes of these words are any bytes of the slice, or zero.
    fn load_fives(
        isa: Self::Isa,
        short: Self::Short,
        from: &[u8],
    ) -> (Self::Words32, Self::Words32);

    /// Puts the indices of rows that were loaded for wide indices into as many words.
    #[inline(always)]
    fn store_wide(isa: Self::Isa, indices: Self::Words32, to: &mut [u64]) {
        let mut narrow = [0; 16];
        indices.store(&mut narrow);
        for (to, words) in to
            .chunks_exact_mut(Self::COUNT)
            .zip(narrow.chunks_exact(Self::COUNT))
        {
            Self::load_narrow(isa, words).store(to);
        }
    }

    /// The constants that bring indices of 32 bits into rows of three to five bytes.
    type SpreadShort: Copy;

    /// The constants for indices of so many pieces; the digits of their codes are exchanged if `turned`. It
    /// is `None` where [`codes_of_index`](Bytes::codes_of_index) is as fast, or the rows are too short.
    fn spread_short(isa: Self::Isa, pieces: usize, turned: bool) -> Option<Self::SpreadShort>;

    /// Writes the codes of indices into the rows at the beginning of the slice. The slice has at least six
    /// bytes for each row; its bytes after the last row are unspecified. `FIVE` tells whether a row has
    /// five bytes.
    fn store_short<const FIVE: bool>(
        isa: Self::Isa,
        spread: Self::SpreadShort,
        indices: Self::Words32,
        to: &mut [u8],
    );

    /// Whether [`look_up`](Bytes::look_up) takes few instructions.
    const LOOKS_UP: bool = false;

    /// For each byte the table's entry for its low four bits, or zero if its highest bit is set.
    #[inline(always)]
    fn look_up(self, isa: Self::Isa, table: &[u8; 16]) -> Self {
        let mut words = [0; 8];
        self.store(&mut words);
        for byte in bytemuck::cast_slice_mut::<u64, u8>(&mut words) {
            *byte = if *byte < 128 {
                table[usize::from(*byte & 15)]
            } else {
                0
            };
        }
        Self::load(isa, &words)
    }

    /// As many words of 32 bits as the vector has words, each widened to 64 bits.
    fn load_narrow(isa: Self::Isa, from: &[u32]) -> Self;

    /// The low halves of this vector's words, and then of the other's.
    fn narrow(self, other: Self) -> Self::Words32;

    /// The low three bits of the eight bytes of each word, side by side, the first byte's the lowest.
    #[inline(always)]
    fn gather_digits(self, isa: Self::Isa) -> Self {
        let x = self & Self::splat(isa, 0x0707_0707_0707_0707);
        let x = (x | x >> Self::shift(isa, 5)) & Self::splat(isa, 0x003f_003f_003f_003f);
        let x = x.sum_of_products_of_16(Self::splat(isa, 0x0040_0001_0040_0001));
        (x | x >> Self::shift(isa, 20)) & Self::splat(isa, 0x00ff_ffff)
    }

    /// The natural index of up to eight codes, which are a byte each. `half` is the layout's.
    #[inline(always)]
    fn index_of_codes(self, isa: Self::Isa, half: u32) -> Self {
        let high = (self >> Self::shift(isa, 3)).gather_digits(isa);
        self.gather_digits(isa) | high << Self::shift(isa, half)
    }

    /// The constants that turn indices into codes.
    type Spread: Copy;

    /// The constants for indices of up to ten pieces. The digits of their codes are exchanged if
    /// `turned`, which is asked only of vectors that [look up](Bytes::LOOKS_UP).
    fn spread(isa: Self::Isa, pieces: usize, turned: bool) -> Self::Spread;

    /// The codes of an index's first eight pieces, a byte each. If there are fewer pieces, the other bytes
    /// are unspecified.
    fn codes_of_index(self, isa: Self::Isa, spread: Self::Spread) -> Self;

    /// The lowest eight digits of each word, a byte each.
    #[inline(always)]
    fn spread_digits(self, isa: Self::Isa) -> Self {
        let x = self & Self::splat(isa, 0x00ff_ffff);
        let x = (x | x << Self::shift(isa, 20)) & Self::splat(isa, 0x0000_0fff_0000_0fff);
        let x = (x | x << Self::shift(isa, 10)) & Self::splat(isa, 0x003f_003f_003f_003f);
        (x | x << Self::shift(isa, 5)) & Self::splat(isa, 0x0707_0707_0707_0707)
    }
}

/// The bits that are set in any byte of the vector.
#[inline(always)]
pub(crate) fn any_byte<W: Word, V: Lanes<W>>(isa: V::Isa, bytes: V) -> u8 {
    let mut all = 0;
    for up in (0..W::BITS).step_by(8) {
        let mut low = [0; 16];
        (bytes >> V::shift(isa, up)).store_bytes(&mut low);
        all |= low.into_iter().fold(0, |a, b| a | b);
    }
    all
}
