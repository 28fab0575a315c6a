//! Vectors of 32 bytes.

#![expect(
    unsafe_code,
    reason = "intrinsics: sound where the processor has them, which the tokens prove"
)]

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::tokens::Avx2;
use super::{Boards, Bytes, Lanes};

macro_rules! avx2 {
    (
        $name:ident: [$word:ty; $count:literal], $splat:ident as $int:ty, $wide:ident => $widen:expr, $narrow:ident,
        $add:ident, $shl:ident, $shr:ident, $equal:ident, $greater:ident, $min:ident, $product:ident, $x:ident => $bits:expr
    ) => {
        /// Words in a register of AVX2.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(__m256i);

        operators!(
            $name, _mm256_set1_epi8(-1);
            BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256,
            BitXor bitxor _mm256_xor_si256, Shl shl $shl, Shr shr $shr
        );

        impl Lanes<$word> for $name {
            type Mask = Self;

            memory!(
                Avx2, __m256i, [$word; $count], _mm256_loadu_si256, _mm256_storeu_si256,
                $splat as $int, $wide => $widen, x => $narrow(x)
            );

            methods! {
                twice(x) = $add(x, x);
                min(x, other) = $min(x, other);
                xor_where(x, mask, condition, bits) = {
                    let none = $equal(_mm256_and_si256(condition, bits), _mm256_setzero_si256());
                    _mm256_xor_si256(x, _mm256_andnot_si256(none, mask))
                };
                min_of_16(x, other) = _mm256_min_epu16(x, other);
                high_product_of_16(x, other) = _mm256_mulhi_epu16(x, other);
                low_product_of_16(x, other) = _mm256_mullo_epi16(x, other);
                sum_of_products_of_16(x, other) = _mm256_madd_epi16(x, other);
                sum_of_products_of_8(x, other) = _mm256_maddubs_epi16(x, other);
                product(x, other) = $product(x, other);
                equal(x, other) = $equal(x, other);
                // The comparison is signed; indices are positive.
                less(x, other) = $greater(other, x);
                select(x, condition, other) = _mm256_blendv_epi8(other, x, condition);
            }

            #[inline(always)]
            fn translate_bytes(self, _: Avx2, table: &[u8; 64]) -> Self {
                // SAFETY: a part of the table has as many bytes as are loaded; the vectors exist.
                Self(unsafe {
                    let places = _mm256_and_si256(self.0, _mm256_set1_epi8(63));
                    let mut bytes = _mm256_setzero_si256();
                    for (k, part) in table.chunks_exact(16).enumerate() {
                        let part = _mm256_broadcastsi128_si256(_mm_loadu_si128(part.as_ptr().cast()));
                        // Only places in this part stay below 128, and for others there comes a zero.
                        let own = _mm256_sub_epi8(places, _mm256_set1_epi8(16 * k as i8));
                        let own = _mm256_adds_epu8(own, _mm256_set1_epi8(0x70));
                        bytes = _mm256_or_si256(bytes, _mm256_shuffle_epi8(part, own));
                    }
                    bytes
                })
            }
            #[inline(always)]
            fn either(a: Self, b: Self) -> Self {
                a | b
            }
            #[inline(always)]
            fn bits(condition: Self) -> u64 {
                let $x = condition.0;
                // SAFETY: the vector exists.
                u64::from(unsafe { $bits } as u32)
            }
        }
    };
}

avx2!(
    Ymm32: [u32; 8],
    _mm256_set1_epi32 as i32,
    x => _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(x))),
    low_bytes_of_u32,
    _mm256_add_epi32,
    _mm256_sllv_epi32,
    _mm256_srlv_epi32,
    _mm256_cmpeq_epi32,
    _mm256_cmpgt_epi32,
    _mm256_min_epu32,
    _mm256_madd_epi16,
    x => _mm256_movemask_ps(_mm256_castsi256_ps(x))
);
avx2!(
    Ymm64: [u64; 4],
    _mm256_set1_epi64x as i64,
    x => _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(i32::from_le_bytes(x))),
    low_bytes_of_u64,
    _mm256_add_epi64,
    _mm256_sllv_epi64,
    _mm256_srlv_epi64,
    _mm256_cmpeq_epi64,
    _mm256_cmpgt_epi64,
    smaller_u64,
    product_of_u64,
    x => _mm256_movemask_pd(_mm256_castsi256_pd(x))
);

/// The smaller of every two words of 64 bits, whose highest bits are zero: the comparison is signed.
#[inline]
#[target_feature(enable = "avx2")]
fn smaller_u64(a: __m256i, b: __m256i) -> __m256i {
    _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
}

product_of_u64!(__m256i, ymm_reg, "avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn low_bytes_of_u32(x: __m256i) -> [u8; 8] {
    let low = _mm256_setr_epi8(
        0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let quads = _mm256_shuffle_epi8(x, low);
    let both = _mm256_permutevar8x32_epi32(quads, _mm256_setr_epi32(0, 4, 1, 1, 1, 1, 1, 1));
    _mm256_extract_epi64::<0>(both).to_le_bytes()
}

#[inline]
#[target_feature(enable = "avx2")]
fn low_bytes_of_u64(x: __m256i) -> [u8; 4] {
    let low = _mm256_setr_epi8(
        0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, 0, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let pairs = _mm256_shuffle_epi8(x, low);
    let both = _mm256_extract_epi32::<0>(pairs) | _mm256_extract_epi32::<4>(pairs);
    both.to_le_bytes()
}

impl Bytes for Ymm64 {
    type Words32 = Ymm32;

    #[inline(always)]
    fn fold_halves(self, other: Self) -> Ymm32 {
        // SAFETY: the vectors exist.
        Ymm32(unsafe { _mm256_blend_epi32::<0xaa>(self.0, _mm256_slli_epi64::<32>(other.0)) })
    }
    #[inline(always)]
    fn unfold_halves(_: Avx2, halves: Ymm32) -> (Self, Self) {
        // SAFETY: the vector exists.
        unsafe {
            let low = _mm256_blend_epi32::<0xaa>(halves.0, _mm256_setzero_si256());
            (Self(low), Self(_mm256_srli_epi64::<32>(halves.0)))
        }
    }

    /// The places to which the bytes of a pair of rows go, those from which they come, and the length of a
    /// pair.
    type Shuffle = (__m128i, __m128i, usize);

    #[inline(always)]
    fn shuffle(_: Avx2, stride: usize) -> Self::Shuffle {
        let [apart, together] = PLACES[stride.min(8)];
        (bytemuck::cast(apart), bytemuck::cast(together), 2 * stride)
    }
    #[inline(always)]
    fn load_rows(isa: Avx2, (apart, _, pair): Self::Shuffle, from: &[u8]) -> Self {
        let Some(from) = from.first_chunk::<32>() else {
            return Self::splat(isa, 0);
        };
        let (first, second) = (&from[..16], &from[pair.min(16)..][..16]);
        // SAFETY: both slices hold 16 bytes; the token proves AVX2.
        Self(unsafe {
            let rows = _mm256_loadu2_m128i(second.as_ptr().cast(), first.as_ptr().cast());
            _mm256_shuffle_epi8(rows, _mm256_broadcastsi128_si256(apart))
        })
    }
    #[inline(always)]
    fn store_rows(self, (_, together, pair): Self::Shuffle, to: &mut [u8]) {
        let Some(to) = to.first_chunk_mut::<32>() else {
            return;
        };
        // SAFETY: the vector exists.
        let [first, second] = unsafe {
            let together = _mm256_broadcastsi128_si256(together);
            halves(_mm256_shuffle_epi8(self.0, together))
        };
        put(to, first);
        put(&mut to[pair.min(16)..], second);
    }
    /// The number of bytes in a row.
    type Long = usize;

    #[inline(always)]
    fn long(_: Avx2, pieces: usize) -> usize {
        pieces
    }
    #[inline(always)]
    fn store_long(self, rest: Self, pieces: usize, to: &mut [u8]) {
        // SAFETY: the vectors exist.
        let [even, odd] = unsafe {
            [
                halves(_mm256_unpacklo_epi64(self.0, rest.0)),
                halves(_mm256_unpackhi_epi64(self.0, rest.0)),
            ]
        };
        // Sixteen bytes each, of which the next row overwrites what one has too many.
        let pieces = pieces.min(16);
        let Some(to) = to.get_mut(..3 * pieces + 16) else {
            return;
        };
        for (k, row) in [even[0], odd[0], even[1], odd[1]].into_iter().enumerate() {
            put(&mut to[k * pieces..], row);
        }
    }
    /// The places to which the bytes of rows of two to four go, those of the lower half of the vector
    /// first.
    type Short = __m256i;

    #[inline(always)]
    fn short(_: Avx2, pieces: usize, _: bool) -> __m256i {
        bytemuck::cast(PLACES_SHORT[pieces.min(5)].0)
    }
    #[inline(always)]
    fn load_fours(isa: Avx2, places: __m256i, from: &[u8]) -> Ymm32 {
        let (Some(first), Some(last)) = (from.first_chunk::<16>(), from.last_chunk::<16>()) else {
            return Ymm32::splat(isa, 0);
        };
        // SAFETY: both arrays hold 16 bytes; the token proves AVX2.
        Ymm32(unsafe {
            let rows = _mm256_loadu2_m128i(last.as_ptr().cast(), first.as_ptr().cast());
            _mm256_shuffle_epi8(rows, places)
        })
    }
    #[inline(always)]
    fn load_fives(isa: Avx2, _: __m256i, from: &[u8]) -> (Ymm32, Ymm32) {
        let Some(from) = from.first_chunk::<40>() else {
            let none = Ymm32::splat(isa, 0);
            return (none, none);
        };
        // Four rows have 20 bytes. The first 16 are loaded, and the last 16.
        let load = |at: usize| {
            let (low, high) = (&from[at..][..16], &from[at + 20..][..16]);
            // SAFETY: both slices hold 16 bytes; the token proves AVX2.
            unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) }
        };
        let (first, last) = (load(0), load(4));
        // SAFETY: the token proves AVX2.
        unsafe {
            let three = _mm_setr_epi8(-1, -1, -1, -1, 1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14);
            let fifths = _mm_setr_epi8(-1, 0, -1, 0, -1, 5, -1, 5, -1, 10, -1, 10, -1, 15, -1, 15);
            let take = |bytes| _mm256_shuffle_epi8(last, _mm256_broadcastsi128_si256(bytes));
            // The first row is in place.
            let fours = _mm256_blend_epi32::<0b0001_0001>(take(three), first);
            (Ymm32(fours), Ymm32(take(fifths)))
        }
    }

    type SpreadShort = SpreadShort;

    #[inline(always)]
    fn spread_short(isa: Avx2, pieces: usize, turned: bool) -> Option<SpreadShort> {
        if !(3..=5).contains(&pieces) {
            return None;
        }
        let turn = if turned { 3 } else { 0 };
        Some(SpreadShort {
            codes: Spread::new(isa, &SPREAD_32[pieces.min(5)][usize::from(turned)]),
            together: twice(isa, PLACES_SHORT[pieces.min(5)].1),
            half: 4 * pieces.min(4),
            fifth: [Ymm32::shift(isa, 12 + turn), Ymm32::shift(isa, turn)],
        })
    }
    #[inline(always)]
    fn store_short<const FIVE: bool>(
        isa: Avx2,
        spread: SpreadShort,
        indices: Ymm32,
        to: &mut [u8],
    ) {
        let Some(to) = to.first_chunk_mut::<48>() else {
            return;
        };
        // SAFETY: the vector exists.
        let four = unsafe { spread.codes.of(indices.0) };
        if FIVE {
            let [low, high] = spread.fifth;
            let low = (indices & Ymm32::splat(isa, 0o7 << 12)) << low;
            let fifth = low | (indices & Ymm32::splat(isa, 0o7 << 27)) >> high;
            // SAFETY: the vectors exist.
            let [even, odd] = unsafe {
                let (even, odd) = (
                    _mm256_unpacklo_epi32(four, fifth.0),
                    _mm256_unpackhi_epi32(four, fifth.0),
                );
                [
                    halves(_mm256_shuffle_epi8(even, spread.together)),
                    halves(_mm256_shuffle_epi8(odd, spread.together)),
                ]
            };
            put(to, even[0]);
            put(&mut to[10..], odd[0]);
            put(&mut to[20..], even[1]);
            put(&mut to[30..], odd[1]);
        } else {
            // SAFETY: the vectors exist.
            let [first, second] = unsafe { halves(_mm256_shuffle_epi8(four, spread.together)) };
            put(to, first);
            put(&mut to[spread.half.min(16)..], second);
        }
    }

    const LOOKS_UP: bool = true;

    #[inline(always)]
    fn look_up(self, _: Avx2, table: &[u8; 16]) -> Self {
        // SAFETY: the table holds 16 bytes; the token proves AVX2.
        Self(unsafe {
            let table = _mm_loadu_si128(table.as_ptr().cast());
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), self.0)
        })
    }

    #[inline(always)]
    fn load_narrow(_: Avx2, from: &[u32]) -> Self {
        // SAFETY: the slice holds four words; the token proves AVX2.
        Self(unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(from[..4].as_ptr().cast())) })
    }
    #[inline(always)]
    fn narrow(self, other: Self) -> Ymm32 {
        // SAFETY: the vectors exist.
        Ymm32(unsafe {
            // The even words of both, in the wrong order of quarters: first, third, second, fourth.
            let (a, b) = (_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0));
            let mixed = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed)
        })
    }
    /// Products with 1 and 8 join digits in pairs, products with 1 and 64 join pairs in fours, and products
    /// with 1 and 4096 join fours in eights.
    #[inline(always)]
    fn index_of_codes(self, isa: Avx2, half: u32) -> Self {
        let pairs = Self::splat(isa, 0x0801_0801_0801_0801);
        let fours = Self::splat(isa, 0x0040_0001_0040_0001);
        let eights = Self::splat(isa, 0x1000_0001_1000_0001);
        let low = self & Self::splat(isa, 0x0707_0707_0707_0707);
        // The high digits come as eight times themselves.
        let high = self & Self::splat(isa, 0x3838_3838_3838_3838);
        // SAFETY: the vectors exist.
        let (low, high) = unsafe {
            let low = _mm256_madd_epi16(_mm256_maddubs_epi16(low.0, pairs.0), fours.0);
            let high = _mm256_madd_epi16(_mm256_maddubs_epi16(high.0, pairs.0), fours.0);
            // Each half of the vector has the low digits of two rows and then their high ones.
            let both = _mm256_madd_epi16(_mm256_packus_epi32(low, high), eights.0);
            let none = _mm256_setzero_si256();
            (
                Self(_mm256_unpacklo_epi32(both, none)),
                Self(_mm256_unpackhi_epi32(both, none)),
            )
        };
        low | high << Self::shift(isa, half - 3)
    }

    type Spread = Spread;

    #[inline(always)]
    fn spread(isa: Avx2, pieces: usize, turned: bool) -> Spread {
        Spread::new(isa, &SPREAD_64[pieces.min(10)][usize::from(turned)])
    }
    #[inline(always)]
    fn codes_of_index(self, _: Avx2, spread: Spread) -> Self {
        // SAFETY: the vector exists.
        Self(unsafe { spread.of(self.0) })
    }
}

/// The two halves of a vector.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(x: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x)]
}

/// Puts 16 bytes at the beginning of the slice.
#[inline(always)]
fn put(to: &mut [u8], bytes: __m128i) {
    let to = &mut to[..16];
    // SAFETY: the slice holds 16 bytes, and every processor with vectors of AVX2 has SSE2.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), bytes) };
}

impl Ymm64 {}

impl Boards for Ymm64 {
    #[inline(always)]
    fn up(self, by: usize, below: Self) -> Self {
        // SAFETY: the vectors exist.
        Self(unsafe {
            let middle = _mm256_permute2x128_si256::<0x21>(below.0, self.0);
            match by {
                1 => _mm256_alignr_epi8::<8>(self.0, middle),
                _ => middle,
            }
        })
    }
    #[inline(always)]
    fn down(self, by: usize, above: Self) -> Self {
        // SAFETY: the vectors exist.
        Self(unsafe {
            let middle = _mm256_permute2x128_si256::<0x21>(self.0, above.0);
            match by {
                1 => _mm256_alignr_epi8::<8>(middle, self.0),
                _ => middle,
            }
        })
    }
    methods! {
        reverse_words(x) = _mm256_permute4x64_epi64::<0b00_01_10_11>(x);
        flip_vertical(x) = {
            let (low, high) = (0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
            _mm256_shuffle_epi8(x, _mm256_setr_epi64x(low, high, low, high))
        };
    }
    /// A byte is a rank; each half of it is looked up mirrored and goes to the other half.
    #[inline(always)]
    fn flip_horizontal(self, isa: Avx2) -> Self {
        const MIRRORED: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
        let (half, four) = (Self::splat(isa, 0x0f0f_0f0f_0f0f_0f0f), Self::shift(isa, 4));
        let high = self >> four & half;
        (self & half).look_up(isa, &MIRRORED) << four | high.look_up(isa, &MIRRORED)
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        // SAFETY: the vector exists.
        unsafe { _mm256_testz_si256(self.0, self.0) != 0 }
    }
}

/// The constants by which indices become codes. In every 16 bits, one field of two digits is brought into
/// the lower byte and another into the upper; then the inner digits change places.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The places of the 16 bits that hold the field for the lower byte, and of those that hold the field
    /// for the upper.
    places: [__m256i; 2],
    /// The factors that bring the first field to the top and the second to its byte.
    products: [__m256i; 2],
    /// A mask of the second field in its first place.
    field: __m256i,
}

/// A [`Spread`] in memory: the same in both halves of a vector.
#[derive(Clone, Copy)]
struct SpreadTable {
    places: [[i8; 16]; 2],
    products: [[u16; 8]; 2],
    field: [u16; 8],
}

impl SpreadTable {
    /// The constants for words of so many bytes.
    const fn new(bytes: usize, half: usize, turned: bool) -> SpreadTable {
        let mut table = SpreadTable {
            places: [[-1; 16]; 2],
            products: [[0; 8]; 2],
            field: [0; 8],
        };
        let mut lane = 0;
        while lane < 8 {
            let (word, pair) = (lane / (bytes / 2), lane % (bytes / 2));
            let mut upper = 0;
            while upper < 2 {
                // The field begins in the lower of the two bytes, but not with its lowest bit; or it begins
                // with the lowest bit of the upper byte.
                let first = if (upper == 0) == turned { half } else { 0 };
                let bit = first + 6 * pair;
                let byte = bit.div_ceil(8);
                let offset = bit + 8 - 8 * byte;
                if byte > 0 {
                    table.places[upper][2 * lane] = (bytes * word + byte - 1) as i8;
                }
                if byte < bytes {
                    table.places[upper][2 * lane + 1] = (bytes * word + byte) as i8;
                }
                if upper == 0 {
                    table.products[0][lane] = 1 << (10 - offset);
                } else {
                    table.products[1][lane] = 1 << (8 - offset);
                    table.field[lane] = 0o77 << offset;
                }
                upper += 1;
            }
            lane += 1;
        }
        table
    }

    /// The tables for words of so many bytes, by the number of pieces, and by whether digits are exchanged.
    const fn of_pieces<const N: usize>(bytes: usize) -> [[SpreadTable; 2]; N] {
        let mut tables = [[SpreadTable::new(bytes, 3, false); 2]; N];
        let mut pieces = 1;
        while pieces < N {
            tables[pieces] = [
                SpreadTable::new(bytes, 3 * pieces, false),
                SpreadTable::new(bytes, 3 * pieces, true),
            ];
            pieces += 1;
        }
        tables
    }
}

/// The tables for words of 32 bits, which are spread for up to five pieces.
static SPREAD_32: [[SpreadTable; 2]; 6] = SpreadTable::of_pieces(4);

/// The tables for words of 64 bits, of which the first eight pieces are spread, by the number of pieces up to ten.
static SPREAD_64: [[SpreadTable; 2]; 11] = SpreadTable::of_pieces(8);

/// For rows of so many bytes, the places from which the bytes of a word come, and those from which the
/// bytes of a row come. Half a vector has two rows.
static PLACES: [[[i8; 16]; 2]; 9] = {
    let mut places = [[[-1; 16]; 2]; 9];
    let mut pieces = 1;
    while pieces < 9 {
        let mut at = 0;
        while at < 2 * pieces {
            let place = 8 * (at / pieces) + at % pieces;
            places[pieces][0][place] = at as i8;
            places[pieces][1][at] = place as i8;
            at += 1;
        }
        pieces += 1;
    }
    places
};

/// Does this for words of 32 bits and rows of up to four bytes, of which half a vector has four. The rows of
/// the second half are the last of 16 bytes that end with them. Rows of five bytes come from words with
/// their first four bytes and from words whose highest byte is the fifth; pairs of the former and of the
/// latter alternate.
static PLACES_SHORT: [([i8; 32], [i8; 16]); 6] = {
    let mut places = [([-1; 32], [-1; 16]); 6];
    let mut pieces = 1;
    while pieces < 5 {
        let mut at = 0;
        while at < 4 * pieces {
            let place = 4 * (at / pieces) + at % pieces;
            places[pieces].0[place] = at as i8;
            places[pieces].0[16 + place] = (16 - 4 * pieces + at) as i8;
            places[pieces].1[at] = place as i8;
            at += 1;
        }
        pieces += 1;
    }
    let mut at = 0;
    while at < 10 {
        places[5].1[at] = (8 * (at / 5) + if at % 5 == 4 { 7 } else { at % 5 }) as i8;
        at += 1;
    }
    places
};

/// Sixteen bytes, in both halves of a vector.
#[inline(always)]
fn twice<T: bytemuck::Pod>(_: Avx2, half: T) -> __m256i {
    // SAFETY: the token proves AVX2.
    unsafe { _mm256_broadcastsi128_si256(bytemuck::cast(half)) }
}

impl Spread {
    #[inline(always)]
    fn new(isa: Avx2, table: &SpreadTable) -> Spread {
        Spread {
            places: [twice(isa, table.places[0]), twice(isa, table.places[1])],
            products: [twice(isa, table.products[0]), twice(isa, table.products[1])],
            field: twice(isa, table.field),
        }
    }

    /// The codes of the indices.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn of(&self, indices: __m256i) -> __m256i {
        // The compiler makes more than one instruction of a product's upper half if it knows that a factor
        // is positive. So the field goes to the top and comes down again.
        let lower = _mm256_shuffle_epi8(indices, self.places[0]);
        let lower = _mm256_srli_epi16::<10>(_mm256_mullo_epi16(lower, self.products[0]));
        let upper = _mm256_and_si256(_mm256_shuffle_epi8(indices, self.places[1]), self.field);
        let both = _mm256_or_si256(lower, _mm256_mullo_epi16(upper, self.products[1]));
        let differ = _mm256_xor_si256(_mm256_srli_epi16::<5>(both), both);
        let differ = _mm256_and_si256(differ, _mm256_set1_epi16(0o70));
        let lower = _mm256_xor_si256(both, differ);
        _mm256_xor_si256(lower, _mm256_slli_epi16::<5>(differ))
    }
}

/// The constants by which indices of 32 bits become rows of three to five bytes.
#[derive(Clone, Copy, Debug)]
pub struct SpreadShort {
    codes: Spread,
    /// The places from which the bytes of the rows in half a vector come.
    together: __m256i,
    /// The byte at which the rows of the upper half begin.
    half: usize,
    /// The number of bits by which the low digit of piece 4 is shifted up, and the number for the high one,
    /// which is shifted down.
    fifth: [Ymm32; 2],
}
