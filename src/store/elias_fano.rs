//! The blocks of a compact payload, in the Elias–Fano encoding.
//!
//! A block's indices ascend, so the difference of each to the first is split: the lowest `low_bits`
//! bits are kept as they are, packed one after the other; the high part above them ascends slowly and is
//! kept in unary, as a bit set for each index at the place (high part) + (its number in the block).
//! Together that is about 2 + log2(range / items) bits an index, whatever the indices are, which is
//! within 0.6 of the least that random sets need. A block is searched by counting zeros, without being
//! decoded; it is decoded by walking over its set bits.
//!
//! The crates for this (`sux`, `sucds`) own their memory or map their own formats; blocks here must be
//! read where they lie in a file that is not trusted, and be simple enough for a stranger's reader.

use std::hint::black_box;

use bytemuck::cast_slice_mut;

use crate::batch::{Backend, BatchWord};
use crate::dispatch;
use crate::index::Word;

/// The number of items that are decoded at once, and of places of the high parts.
const STEP: usize = 8;

/// For each byte of high parts, how many places without an item come before each item in it.
static HIGH_PARTS: [[u32; STEP]; 256] = {
    let mut parts = [[0; STEP]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut items) = (0, 0);
        while place < STEP {
            if byte >> place & 1 != 0 {
                parts[byte][items] = (place - items) as u32;
                items += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    parts
};

/// Appends a block of ascending indices to `out`, and returns how many of their low bits are kept apart.
///
/// # Panics
/// If there is no index.
pub(super) fn encode<W: Word>(indices: &[W], out: &mut Vec<u64>) -> u32 {
    let first = indices[0].to_u64();
    let range = indices[indices.len() - 1].to_u64() - first;
    let items = indices.len();
    let low_bits = best_low_bits(range, items as u64);

    let start = out.len();
    let low_words = low_words(items, low_bits);
    let high_words = ((range >> low_bits) as usize + items - 1) / 64 + 1;
    out.resize(start + low_words + high_words, 0);
    let (lows, highs) = out[start..].split_at_mut(low_words);
    let mask = (1u64 << low_bits) - 1;
    for (k, &index) in indices.iter().enumerate() {
        let relative = index.to_u64() - first;
        let place = (relative >> low_bits) as usize + k;
        highs[place / 64] |= 1 << (place % 64);
        if low_bits > 0 {
            let (word, shift) = (k * low_bits as usize / 64, k * low_bits as usize % 64);
            let low = relative & mask;
            lows[word] |= low << shift;
            if shift + low_bits as usize > 64 {
                lows[word + 1] |= low >> (64 - shift);
            }
        }
    }
    low_bits
}

/// The number of low bits that makes the block shortest.
fn best_low_bits(range: u64, items: u64) -> u32 {
    let cost = |low_bits: &u32| (range >> low_bits) + items * u64::from(*low_bits);
    // The cost has one minimum, close to log2(range / items).
    let about = (range / items).checked_ilog2().unwrap_or(0);
    (about.saturating_sub(1)..=about + 1)
        .min_by_key(cost)
        .expect("three to choose from")
}

const fn low_words(items: usize, low_bits: u32) -> usize {
    (items * low_bits as usize).div_ceil(64)
}

/// A compact block, read where it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompactBlock<'a> {
    first: u64,
    items: usize,
    low_bits: u32,
    /// The low bits and then, from `low_words` on, the high ones.
    words: &'a [u64],
    low_words: usize,
}

impl<'a> CompactBlock<'a> {
    /// The block of `items` indices, the first of which is `first`. `low_bits` must be less than 64. The error says why
    /// there is no such block.
    pub(super) fn new(
        first: u64,
        items: usize,
        low_bits: u32,
        words: &'a [u64],
    ) -> Result<CompactBlock<'a>, String> {
        let low_words = low_words(items, low_bits);
        if words.len() <= low_words {
            return Err(format!(
                "its {} bytes have no room for {items} indices with {low_bits} low bits each",
                size_of_val(words)
            ));
        }
        Ok(CompactBlock {
            first,
            items,
            low_bits,
            words,
            low_words,
        })
    }

    fn highs(&self) -> &'a [u64] {
        &self.words[self.low_words..]
    }

    /// The low bits of an item. There is always a word after the last of the low ones.
    #[inline(always)]
    fn low(&self, item: usize) -> u64 {
        let bit = item * self.low_bits as usize;
        let two = &self.words[bit / 64..][..2.min(self.words.len() - bit / 64)];
        let wide = u128::from(two[0]) | u128::from(*two.last().expect("not empty")) << 64;
        (wide >> (bit % 64)) as u64 & ((1 << self.low_bits) - 1)
    }

    /// Decodes all indices of the block, which are below `end`, into `out`. For any bytes, this fails
    /// or fills `out` without overflowing the word. Whether the indices ascend and are in range is not checked. The error
    /// says why they can't be decoded.
    pub(super) fn decode<W: BatchWord>(
        &self,
        end: u64,
        out: &mut Vec<W>,
        backend: Backend,
    ) -> Result<(), String> {
        const OUT_OF_RANGE: &str = "its last index is out of range";
        const EXCESS: &str = "bits that stand for nothing are set, or words are left over";
        // Then neither the low bits nor a sum of low bits and an index in range overflow the word.
        if u64::from(self.low_bits) > u64::from(end.ilog2()) {
            return Err(OUT_OF_RANGE.to_owned());
        }
        let set: u64 = self.highs().iter().map(|w| u64::from(w.count_ones())).sum();
        if set != self.items as u64 {
            return Err(format!(
                "{set} of its high bits are set, expected {}, one an index",
                self.items
            ));
        }
        let last_word = self.words[self.words.len() - 1];
        if last_word == 0 {
            return Err(EXCESS.to_owned());
        }
        // Every index is at most this.
        let places = 64 * self.highs().len() as u64 - u64::from(last_word.leading_zeros());
        let high = places - self.items as u64;
        let most = (u128::from(high) << self.low_bits) + u128::from(self.first);
        if most >= u128::from(end) {
            return Err(OUT_OF_RANGE.to_owned());
        }
        let used = self.items * self.low_bits as usize % 64;
        if used != 0 && self.words[self.low_words - 1] >> used != 0 {
            return Err(EXCESS.to_owned());
        }
        // The sums come first, and behind them the low bits that they are made of; both have room for whole
        // steps.
        let room = self.items + STEP;
        out.clear();
        out.resize(2 * room, W::ZERO);
        let (sums, lows) = out.split_at_mut(room);
        match W::BITS {
            32 => self.unpack_u32(backend, cast_slice_mut(lows), cast_slice_mut(sums)),
            _ => self.unpack_u64(backend, cast_slice_mut(lows), cast_slice_mut(sums)),
        }
        out.truncate(self.items);
        Ok(())
    }

    /// Writes low bits and indices. The functions of both words are compiled here and not with their callers.
    fn unpack_u32(&self, backend: Backend, lows: &mut [u32], sums: &mut [u32]) {
        dispatch!(backend, _ => self.unpack(lows, sums));
    }

    fn unpack_u64(&self, backend: Backend, lows: &mut [u64], sums: &mut [u64]) {
        dispatch!(backend, _ => self.unpack(lows, sums));
    }

    #[inline(always)]
    fn unpack<W: Word>(&self, lows: &mut [W], sums: &mut [W]) {
        self.unpack_lows(lows);
        self.sum(lows, sums);
    }

    /// Writes the low bits of all items over zeros.
    #[inline(always)]
    fn unpack_lows<W: Word>(&self, lows: &mut [W]) {
        let bits = self.low_bits as usize;
        let lows = &mut lows[..self.items];
        if bits == 0 {
            return;
        }
        // Eight items begin at a whole byte, and up to 56 bits of each lie within eight bytes.
        let whole = match bits {
            0..=56 => self.items / STEP * STEP,
            _ => 0,
        };
        let bytes: &[u8] = bytemuck::cast_slice(&self.words[..=self.low_words]);
        let mask = (1 << bits) - 1;
        let (steps, _) = lows[..whole].as_chunks_mut::<STEP>();
        for (lows, first) in steps.iter_mut().zip((0..).step_by(bits)) {
            let bytes = &bytes[first..];
            for (k, low) in lows.iter_mut().enumerate() {
                let bit = k * bits;
                let bytes = bytes[bit / 8..]
                    .first_chunk()
                    .expect("there is a word after the low ones");
                *low = W::truncate((u64::from_le_bytes(*bytes) >> (bit % 8) & mask).into());
            }
        }
        for (item, low) in lows.iter_mut().enumerate().skip(whole) {
            *low = W::truncate(self.low(item).into());
        }
    }

    /// Writes all indices, given the low bits of each. Eight places are summed at a time; the last of eight sums
    /// may belong to no item, and then it is overwritten. The sums of items do not overflow the word, because
    /// the last high part is in range and there are fewer low bits than bits of an index.
    #[inline(always)]
    fn sum<W: Word>(&self, lows: &[W], sums: &mut [W]) {
        // The table is hidden from the compiler, which would else treat single columns of it as constants, and
        // sum the others one by one.
        let parts_of = black_box(&HIGH_PARTS);
        let mut item = 0;
        for (number, &word) in self.highs().iter().enumerate() {
            for k in 0..8 {
                let byte = (word >> (8 * k)) as u8;
                // The place of a set bit, less the number of set bits before it, is the high part.
                let high = (64 * number as u64 + 8 * k).wrapping_sub(item as u64);
                let least = self.first.wrapping_add(high << self.low_bits);
                let parts = &parts_of[usize::from(byte)];
                let lows: &[W; STEP] = lows[item..].first_chunk().expect("room for a step");
                let sums: &mut [W; STEP] = sums[item..].first_chunk_mut().expect("room for a step");
                *sums = std::array::from_fn(|k| {
                    let above = u64::from(parts[k]) << self.low_bits;
                    W::truncate(
                        least
                            .wrapping_add(above)
                            .wrapping_add(lows[k].to_u64())
                            .into(),
                    )
                });
                item += byte.count_ones() as usize;
            }
        }
    }

    /// The number of indices of the block that are smaller than `index`, and whether `index` is one of them itself.
    pub(super) fn rank(&self, index: u64) -> (usize, bool) {
        let Some(relative) = index.checked_sub(self.first) else {
            return (0, false);
        };
        let (high, low) = (
            relative >> self.low_bits,
            relative & ((1 << self.low_bits) - 1),
        );
        // The items of this high part are the set bits that come after as many zeros as it says.
        let highs = self.highs();
        let (mut place, mut zeros) = (0, 0u64);
        for word in highs {
            let more = zeros + u64::from(word.count_zeros());
            if more >= high {
                break;
            }
            (place, zeros) = (place + 64, more);
        }
        let end = 64 * highs.len();
        let is_set = |place: usize| place < end && highs[place / 64] >> (place % 64) & 1 != 0;
        while zeros < high && place < end {
            zeros += u64::from(!is_set(place));
            place += 1;
        }
        let mut item = place - zeros as usize;
        while is_set(place) && item < self.items && self.low(item) < low {
            item += 1;
            place += 1;
        }
        let found = is_set(place) && item < self.items && self.low(item) == low;
        (item.min(self.items), found)
    }
}
