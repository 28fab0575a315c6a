//! Vectors of 64 bytes.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::asm;
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::tokens::Avx512;
use super::{Boards, Bytes, Lanes};

macro_rules! avx512 {
    (
        $name:ident: [$word:ty; $count:literal], $mask:ty, $splat:ident as $int:ty, $wide:ident => $widen:expr,
        $x:ident => $narrow:expr,
        $add:ident, $shl:ident, $shr:ident, $equal:ident, $less:ident, $test:ident, $mask_xor:ident, $blend:ident,
        $min:ident, $product:ident, $exchange:ident
    ) => {
        /// Words in a register of AVX-512.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(pub(super) __m512i);

        operators!(
            $name, _mm512_set1_epi8(-1);
            BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512,
            BitXor bitxor _mm512_xor_si512, Shl shl $shl, Shr shr $shr
        );

        impl Lanes<$word> for $name {
            type Mask = $mask;

            const CHOOSES_BITS: bool = true;
            const TRANSLATES: bool = true;

            memory!(
                Avx512, __m512i, [$word; $count], _mm512_loadu_si512, _mm512_storeu_si512,
                $splat as $int, $wide => $widen, $x => $narrow
            );

            methods! {
                twice(x) = $add(x, x);
                min(x, other) = $min(x, other);
                choose_bits(x, mask, other) = _mm512_ternarylogic_epi64::<0xca>(mask, x, other);
                choose_bits_not(x, mask, other) = _mm512_ternarylogic_epi64::<0xc5>(mask, x, other);
                differ_or_not_both(x, other, mask) = _mm512_ternarylogic_epi64::<0x3d>(x, other, mask);
                xor_where(x, mask, condition, bits) = $mask_xor(x, $test(condition, bits), x, mask);
                min_of_16(x, other) = _mm512_min_epu16(x, other);
                high_product_of_16(x, other) = _mm512_mulhi_epu16(x, other);
                low_product_of_16(x, other) = _mm512_mullo_epi16(x, other);
                sum_of_products_of_16(x, other) = _mm512_madd_epi16(x, other);
                sum_of_products_of_16_or(x, other, others) = add_sum_of_products(others, x, other);
                sum_of_products_of_8(x, other) = _mm512_maddubs_epi16(x, other);
                product(x, other) = $product(x, other);
            }

            #[inline(always)]
            fn exchange_halves(self, isa: Avx512, half: u32, high: $word) -> Self {
                let (high, count) = (Self::splat(isa, high), Self::shift(isa, half));
                // SAFETY: the vectors exist.
                Self(unsafe { $exchange(self.0, half, high.0, count.0) })
            }
            #[inline(always)]
            fn take_bytes(self, _: Avx512, from: [u32; 4]) -> Self {
                let control = from.into_iter().rev().fold(0, |all, bit| all << 8 | u64::from(bit));
                // The instruction counts bits within 64.
                let control = control | (control + 0x2020_2020) << 32;
                // SAFETY: the vector exists.
                Self(unsafe {
                    _mm512_multishift_epi64_epi8(_mm512_set1_epi64(control as i64), self.0)
                })
            }
            #[inline(always)]
            fn translate_bytes(self, _: Avx512, table: &[u8; 64]) -> Self {
                // SAFETY: the table is as long as the vector, which exists.
                Self(unsafe {
                    let table = _mm512_loadu_si512(table.as_ptr().cast());
                    _mm512_permutexvar_epi8(self.0, table)
                })
            }
            #[inline(always)]
            fn equal(self, other: Self) -> $mask {
                // SAFETY: the vectors exist.
                unsafe { $equal(self.0, other.0) }
            }
            #[inline(always)]
            fn less(self, other: Self) -> $mask {
                // SAFETY: the vectors exist.
                unsafe { $less(self.0, other.0) }
            }
            #[inline(always)]
            fn select(self, condition: $mask, other: Self) -> Self {
                // SAFETY: the vectors exist.
                Self(unsafe { $blend(condition, other.0, self.0) })
            }
            #[inline(always)]
            fn either(a: $mask, b: $mask) -> $mask {
                a | b
            }
            #[inline(always)]
            fn bits(condition: $mask) -> u64 {
                condition.into()
            }
        }
    };
}

avx512!(
    Zmm32: [u32; 16],
    __mmask16,
    _mm512_set1_epi32 as i32,
    x => _mm512_cvtepu8_epi32(bytemuck::cast(x)),
    x => bytemuck::cast::<__m128i, _>(_mm512_cvtepi32_epi8(x)),
    _mm512_add_epi32,
    _mm512_sllv_epi32,
    _mm512_srlv_epi32,
    _mm512_cmpeq_epu32_mask,
    _mm512_cmplt_epu32_mask,
    _mm512_test_epi32_mask,
    _mm512_mask_xor_epi32,
    _mm512_mask_blend_epi32,
    _mm512_min_epu32,
    _mm512_madd_epi16,
    exchange_halves_of_16
);
avx512!(
    Zmm64: [u64; 8],
    __mmask8,
    _mm512_set1_epi64 as i64,
    x => _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(i64::from_le_bytes(x))),
    x => _mm_cvtsi128_si64(_mm512_cvtepi64_epi8(x)).to_le_bytes(),
    _mm512_add_epi64,
    _mm512_sllv_epi64,
    _mm512_srlv_epi64,
    _mm512_cmpeq_epu64_mask,
    _mm512_cmplt_epu64_mask,
    _mm512_test_epi64_mask,
    _mm512_mask_xor_epi64,
    _mm512_mask_blend_epi64,
    _mm512_min_epu64,
    product_of_u64,
    exchange_halves_of_8
);

/// A control word for the instruction that takes bytes out of a word at any bit: its bytes are the numbers
/// from `first` on, eight apart, and `last` in place of greater ones.
#[inline(always)]
fn windows(first: u64, last: u64) -> u64 {
    (0..8).fold(0, |all, byte| {
        all | Ord::min(first + 8 * byte, last) << (8 * byte)
    })
}

/// Exchanges the halves of words of 32 bits. Port 5 can shift to the right, by taking bytes from higher
/// bits, so the two shifts do not wait for one another.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn exchange_halves_of_16(x: __m512i, half: u32, high: __m512i, count: __m512i) -> __m512i {
    // The bytes that hold the low half come from above and the others stay, so that all come from their own
    // word. The highest bits are zero, and the rest is not used.
    let mut control = 0;
    for byte in 0..4 {
        let from = if 8 * byte < half {
            half + 8 * byte
        } else {
            8 * byte
        };
        control |= u64::from(from) << (8 * byte);
    }
    let control = _mm512_set1_epi64((control | (control + 0x2020_2020) << 32) as i64);
    let low = _mm512_multishift_epi64_epi8(control, x);
    _mm512_ternarylogic_epi32::<0xca>(high, _mm512_sllv_epi32(x, count), low)
}

/// Exchanges the halves of words of 64 bits. For up to five pieces, a product makes a second copy of the
/// low half above the high one, and one instruction takes both from there. For more, this works as
/// [`exchange_halves_of_16`].
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512ifma")]
fn exchange_halves_of_8(x: __m512i, half: u32, high: __m512i, count: __m512i) -> __m512i {
    let half = u64::from(half);
    if half <= 15 {
        // The product has 52 bits, with the low half at the top and the whole index right below it.
        let copies = _mm512_set1_epi64(1 << (52 - half) | 1 << (52 - 3 * half));
        let both = _mm512_madd52lo_epu64(_mm512_setzero_si512(), x, copies);
        let control = _mm512_set1_epi64(windows(52 - 2 * half, 54) as i64);
        _mm512_multishift_epi64_epi8(control, both)
    } else {
        let control = _mm512_set1_epi64(windows(half, 56) as i64);
        let low = _mm512_multishift_epi64_epi8(control, x);
        _mm512_ternarylogic_epi64::<0xca>(high, _mm512_sllv_epi64(x, count), low)
    }
}

product_of_u64!(__m512i, zmm_reg, "avx512f");

/// Writes `VPDPWSSD` as assembly. Of the intrinsic the compiler makes a product and a sum, one instruction
/// more, unless it compiles for a processor on which it holds `VPDPWSSD` to be fast enough.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_sum_of_products(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the instruction is there, and touches nothing but its operands.
    unsafe {
        asm!(
            "vpdpwssd {sum}, {a}, {b}",
            sum = inout(zmm_reg) sum,
            a = in(zmm_reg) a,
            b = in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

/// Implements `compress` and `expand` of rows for entries of a size, of which a register holds so many.
macro_rules! entries {
    (
        $compress:ident, $expand:ident, $entry:ty, $count:literal, $mask:ty,
        $pack:ident, $unpack:ident, $load:ident, $store:ident
    ) => {
        #[inline(always)]
        pub(super) fn $compress(_: Avx512, row: &[$entry; 64], mask: u64, to: &mut [$entry]) {
            let mut to = &mut to[..mask.count_ones() as usize];
            for (k, row) in row.chunks_exact($count).enumerate() {
                let mask = (mask >> ($count * k)) as $mask;
                let (own, rest) = to.split_at_mut(mask.count_ones() as usize);
                // SAFETY: as many entries are written as the slice has; the token proves AVX-512.
                unsafe {
                    let row = _mm512_loadu_si512(row.as_ptr().cast());
                    let there = _bzhi_u64(u64::MAX, own.len() as u32) as $mask;
                    $store(own.as_mut_ptr().cast(), there, $pack(mask, row));
                }
                to = rest;
            }
        }
        #[inline(always)]
        pub(super) fn $expand(_: Avx512, from: &[$entry], mask: u64, row: &mut [$entry; 64]) {
            let mut from = &from[..mask.count_ones() as usize];
            for (k, row) in row.chunks_exact_mut($count).enumerate() {
                let mask = (mask >> ($count * k)) as $mask;
                let (own, rest) = from.split_at(mask.count_ones() as usize);
                // SAFETY: as many entries are read as the slice has; the token proves AVX-512.
                unsafe {
                    let there = _bzhi_u64(u64::MAX, own.len() as u32) as $mask;
                    let own = $load(there, own.as_ptr().cast());
                    let all = $unpack(_mm512_loadu_si512(row.as_ptr().cast()), mask, own);
                    _mm512_storeu_si512(row.as_mut_ptr().cast(), all);
                }
                from = rest;
            }
        }
    };
}

entries!(
    compress_bytes,
    expand_bytes,
    u8,
    64,
    u64,
    _mm512_maskz_compress_epi8,
    _mm512_mask_expand_epi8,
    _mm512_maskz_loadu_epi8,
    _mm512_mask_storeu_epi8
);
entries!(
    compress_pairs,
    expand_pairs,
    u16,
    32,
    u32,
    _mm512_maskz_compress_epi16,
    _mm512_mask_expand_epi16,
    _mm512_maskz_loadu_epi16,
    _mm512_mask_storeu_epi16
);

impl Bytes for Zmm64 {
    type Words32 = Zmm32;

    #[inline(always)]
    fn fold_halves(self, other: Self) -> Zmm32 {
        // The odd places get the other vector's even words. SAFETY: the vectors exist.
        Zmm32(unsafe { _mm512_mask_shuffle_epi32::<0b10_10_00_00>(self.0, 0xaaaa, other.0) })
    }
    #[inline(always)]
    fn unfold_halves(_: Avx512, halves: Zmm32) -> (Self, Self) {
        // SAFETY: the vector exists.
        unsafe {
            let low = _mm512_maskz_mov_epi32(0x5555, halves.0);
            (Self(low), Self(_mm512_srli_epi64::<32>(halves.0)))
        }
    }

    /// The places to which the bytes of rows go, a mask of the bytes that a word has, and the places from
    /// which they come.
    type Shuffle = (__m512i, u64, __m512i);

    #[inline(always)]
    fn shuffle(_: Avx512, stride: usize) -> Self::Shuffle {
        let stride = stride.min(8);
        let (mut apart, mut together) = ([0u8; 64], [0u8; 64]);
        for (at, (row, byte)) in (0..8)
            .flat_map(|row| (0..stride).map(move |byte| (row, byte)))
            .enumerate()
        {
            // All of these exist, but the compiler does not see it.
            if let (Some(apart), Some(together)) =
                (apart.get_mut(8 * row + byte), together.get_mut(at))
            {
                *apart = at as u8;
                *together = (8 * row + byte) as u8;
            }
        }
        let used = 0x0101_0101_0101_0101 * ((1 << stride) - 1);
        (bytemuck::cast(apart), used, bytemuck::cast(together))
    }
    #[inline(always)]
    fn load_rows(isa: Avx512, (apart, used, _): Self::Shuffle, from: &[u8]) -> Self {
        let Some(from) = from.first_chunk::<64>() else {
            return Self::splat(isa, 0);
        };
        // SAFETY: there are 64 bytes; the token proves AVX-512.
        Self(unsafe {
            let rows = _mm512_loadu_si512(from.as_ptr().cast());
            _mm512_maskz_permutexvar_epi8(used, apart, rows)
        })
    }
    #[inline(always)]
    fn store_rows(self, (_, _, together): Self::Shuffle, to: &mut [u8]) {
        let Some(to) = to.first_chunk_mut::<64>() else {
            return;
        };
        // SAFETY: there are 64 bytes; the vector exists.
        unsafe {
            let rows = _mm512_permutexvar_epi8(together, self.0);
            _mm512_storeu_si512(to.as_mut_ptr().cast(), rows);
        }
    }
    /// The places from which the first 64 bytes of the rows come and those of the others, and whether rows have ten
    /// bytes.
    type Long = ([__m512i; 2], bool);

    #[inline(always)]
    fn long(_: Avx512, pieces: usize) -> Self::Long {
        let [first, others] = &LONG[usize::from(pieces == 10)];
        let places = [bytemuck::cast(*first), bytemuck::cast(*others)];
        (places, pieces == 10)
    }
    #[inline(always)]
    fn store_long(self, rest: Self, ([first, others], ten): Self::Long, to: &mut [u8]) {
        let Some((to, more)) = to.split_first_chunk_mut::<64>() else {
            return;
        };
        // SAFETY: there are 64 bytes; the vectors exist.
        let others = unsafe {
            let rows = _mm512_permutex2var_epi8(self.0, first, rest.0);
            _mm512_storeu_si512(to.as_mut_ptr().cast(), rows);
            _mm512_castsi512_si128(_mm512_permutex2var_epi8(self.0, others, rest.0))
        };
        if ten {
            let Some(to) = more.first_chunk_mut::<16>() else {
                return;
            };
            // SAFETY: there are 16 bytes; the vector exists.
            unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), others) };
        } else {
            let Some(to) = more.first_chunk_mut::<8>() else {
                return;
            };
            // SAFETY: there are 8 bytes; the vector exists.
            unsafe { _mm_storeu_si64(to.as_mut_ptr(), others) };
        }
    }
    /// The places from which the first four bytes of each row come, those for the fifth, and a mask: of the
    /// bytes that there are or, if a row has five, of those that come from the second eight rows.
    type Short = ([__m512i; 2], u64);

    #[inline(always)]
    fn short(_: Avx512, pieces: usize, wide: bool) -> Self::Short {
        let (fours, fifths, mask) = SHORT[pieces.min(5)][usize::from(wide)];
        // If the compiler knew the mask, it would replace these two instructions by one that takes three
        // micro-operations in place of two.
        let mask = std::hint::black_box(mask);
        ([bytemuck::cast(fours), bytemuck::cast(fifths)], mask)
    }
    #[inline(always)]
    fn load_fours(_: Avx512, ([fours, _], used): Self::Short, from: &[u8]) -> Zmm32 {
        let there = u64::MAX
            .checked_shr(64 - from.len().min(64) as u32)
            .unwrap_or(0);
        // SAFETY: no more bytes are loaded than the slice has; the token proves AVX-512.
        Zmm32(unsafe {
            let rows = _mm512_maskz_loadu_epi8(there, from.as_ptr().cast());
            _mm512_maskz_permutexvar_epi8(used, fours, rows)
        })
    }
    #[inline(always)]
    fn load_fives(isa: Avx512, (places, second): Self::Short, from: &[u8]) -> (Zmm32, Zmm32) {
        let Some(from) = from.first_chunk::<{ 16 * 5 }>() else {
            let none = Zmm32::splat(isa, 0);
            return (none, none);
        };
        // SAFETY: both slices hold 64 bytes; the token proves AVX-512.
        unsafe {
            let first = _mm512_loadu_si512(from[..64].as_ptr().cast());
            let last = _mm512_loadu_si512(from[16..].as_ptr().cast());
            let [fours, fifths] = places;
            let four = _mm512_permutexvar_epi8(fours, first);
            let fifth = _mm512_permutexvar_epi8(fifths, first);
            (
                Zmm32(_mm512_mask_permutexvar_epi8(four, second, fours, last)),
                Zmm32(_mm512_mask_permutexvar_epi8(fifth, second, fifths, last)),
            )
        }
    }
    #[inline(always)]
    fn store_wide(isa: Avx512, indices: Zmm32, to: &mut [u64]) {
        let (first, second) = Self::unfold_halves(isa, indices);
        let (to, rest) = to.split_at_mut(8);
        first.store(to);
        second.store(rest);
    }
    type SpreadShort = ();

    #[inline(always)]
    fn spread_short(_: Avx512, _: usize, _: bool) -> Option<()> {
        None
    }
    #[inline(always)]
    fn store_short<const FIVE: bool>(_: Avx512, (): (), _: Zmm32, _: &mut [u8]) {}
    #[inline(always)]
    fn load_narrow(_: Avx512, from: &[u32]) -> Self {
        // SAFETY: the slice holds eight words; the token proves AVX-512.
        Self(unsafe { _mm512_cvtepu32_epi64(_mm256_loadu_si256(from[..8].as_ptr().cast())) })
    }
    #[inline(always)]
    fn narrow(self, other: Self) -> Zmm32 {
        // SAFETY: the vectors exist.
        Zmm32(unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            _mm512_permutex2var_epi32(self.0, even, other.0)
        })
    }
    /// Products with 1 and 8 join digits in pairs, and products with 1 and 64 join pairs in fours.
    #[inline(always)]
    fn gather_digits(self, isa: Avx512) -> Self {
        let x = self & Self::splat(isa, 0x0707_0707_0707_0707);
        let (pairs, fours) = (
            Self::splat(isa, 0x0801_0801_0801_0801),
            Self::splat(isa, 0x0040_0001_0040_0001),
        );
        // SAFETY: the vectors exist.
        let x = Self(unsafe { _mm512_madd_epi16(_mm512_maddubs_epi16(x.0, pairs.0), fours.0) });
        (x | x >> Self::shift(isa, 20)) & Self::splat(isa, 0x00ff_ffff)
    }
    /// The layout's half.
    type Spread = u32;

    #[inline(always)]
    fn spread(_: Avx512, pieces: usize, _: bool) -> u32 {
        3 * pieces as u32
    }
    /// A byte can be taken from any eight bits of a word. For each piece two bytes are taken: one begins
    /// with its low digit, and the other has its high digit three bits up.
    #[inline(always)]
    fn codes_of_index(self, isa: Avx512, half: u32) -> Self {
        let steps = 0x1512_0f0c_0906_0300;
        let ends = steps + 0x0101_0101_0101_0101 * u64::from(half - 3);
        let take = |from: u64| {
            // SAFETY: the vector exists.
            Self(unsafe { _mm512_multishift_epi64_epi8(Self::splat(isa, from).0, self.0) })
        };
        let low = Self::splat(isa, 0x0707_0707_0707_0707);
        take(steps).choose_bits(low, take(ends)) & Self::splat(isa, 0x3f3f_3f3f_3f3f_3f3f)
    }
}

impl Boards for Zmm64 {
    #[inline(always)]
    fn up(self, by: usize, below: Self) -> Self {
        // SAFETY: the vectors exist.
        Self(unsafe {
            match by {
                1 => _mm512_alignr_epi64::<7>(self.0, below.0),
                2 => _mm512_alignr_epi64::<6>(self.0, below.0),
                _ => _mm512_alignr_epi64::<4>(self.0, below.0),
            }
        })
    }
    #[inline(always)]
    fn down(self, by: usize, above: Self) -> Self {
        // SAFETY: the vectors exist.
        Self(unsafe {
            match by {
                1 => _mm512_alignr_epi64::<1>(above.0, self.0),
                2 => _mm512_alignr_epi64::<2>(above.0, self.0),
                _ => _mm512_alignr_epi64::<4>(above.0, self.0),
            }
        })
    }
    methods! {
        reverse_words(x) = _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), x);
        flip_vertical(x) = {
            let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            let order = _mm512_setr_epi64(low, high, low, high, low, high, low, high);
            _mm512_shuffle_epi8(x, order)
        };
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: the vector exists.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
    }
}

/// For rows of nine and of ten bytes, the places from which the first 64 bytes come and those of the others. The first
/// eight bytes of a row are those of a word; places from 64 on are those of a second vector, which has the others.
static LONG: [[[u8; 64]; 2]; 2] = {
    let mut tables = [[[0; 64]; 2]; 2];
    let mut pieces = 9;
    while pieces <= 10 {
        let mut at = 0;
        while at < 8 * pieces {
            let (row, byte) = (at / pieces, at % pieces);
            let place = 8 * row + if byte < 8 { byte } else { 64 + byte - 8 };
            tables[pieces - 9][at / 64][at % 64] = place as u8;
            at += 1;
        }
        pieces += 1;
    }
    tables
};

/// The places of the first four bytes of rows, those of the fifth, and a mask of bytes.
type ShortRows = ([u8; 64], [u8; 64], u64);

/// The [`ShortRows`] by the number of bytes in a row, for narrow and for wide indices, which put rows into
/// words of 32 bits. The mask has the bytes that there are or, if a row has five, those that come from the
/// second eight rows.
static SHORT: [[ShortRows; 2]; 6] = {
    let mut tables = [[([0; 64], [0; 64], 0); 2]; 6];
    let mut pieces = 2;
    while pieces <= 5 {
        let mut wide = 0;
        while wide < 2 {
            // The second eight of wide indices are made in the upper halves of the first eight.
            let second = [u64::MAX << 32, 0xf0f0_f0f0_f0f0_f0f0][wide];
            // The second eight rows of five are the last 40 of 80 bytes, of which the last 64 are loaded.
            let to_second = if pieces == 5 { 40 - 16 } else { 8 * pieces };
            let (mut fours, mut fifths) = ([0; 64], [0; 64]);
            let mut byte = 0;
            while byte < 64 {
                let row = [byte / 4 % 8, byte / 8][wide];
                let first = pieces * row
                    + if second >> byte & 1 == 1 {
                        to_second
                    } else {
                        0
                    };
                fours[byte] = (first + byte % 4) as u8;
                // This fills all bytes, as those that are not needed may be any square.
                fifths[byte] = (first + 4) as u8;
                byte += 1;
            }
            let used = 0x1111_1111_1111_1111 * (((1 << pieces) - 1) & 0xf);
            tables[pieces][wide] = (fours, fifths, if pieces == 5 { second } else { used });
            wide += 1;
        }
        pieces += 1;
    }
    tables
};
