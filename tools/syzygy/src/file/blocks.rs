//! Blocks: which has a place, and the numbers in it.

use super::bytes::le_u16;
use super::head::{Code, LEAF};

/// How many bytes behind a block are looked at, whatever they are.
pub(crate) const BEHIND: usize = 8;

/// The number of values of a block, by the table of lengths.
#[inline]
pub(crate) fn block_len(lengths: &[u8], block: u64) -> usize {
    usize::from(le_u16(lengths, 2 * block as usize)) + 1
}

/// The entry of a sparse index with so large a span that leads to a place: a block, and how many values of it are before
/// the middle of the span.
pub(crate) fn index_entry(index: &[u8], span_bits: u8, place: u64) -> (u64, u16) {
    let at = 6 * (place >> span_bits) as usize;
    let block = u32::from_le_bytes(index[at..at + 4].try_into().expect("four bytes"));
    (u64::from(block), le_u16(index, at + 4))
}

/// The block that has a place, and the place in it, by the sparse index and the lengths of blocks, of which so many have
/// data; `None` if the index does not lead there.
#[inline]
pub(crate) fn find_block(
    index: &[u8],
    lengths: &[u8],
    span_bits: u8,
    blocks: u64,
    place: u64,
) -> Option<(u64, u32)> {
    let (mut block, before) = index_entry(index, span_bits, place);
    let of_entry = (place >> span_bits << span_bits) + (1 << (span_bits - 1));
    let mut offset = i64::from(before) + place as i64 - of_entry as i64;
    let count = lengths.len() as u64 / 2;
    if block >= count {
        return None;
    }
    while offset < 0 {
        block = block.checked_sub(1)?;
        offset += block_len(lengths, block) as i64;
    }
    loop {
        let length = block_len(lengths, block) as i64;
        if offset < length {
            break;
        }
        offset -= length;
        block += 1;
        if block >= count {
            return None;
        }
    }
    (block < blocks).then_some((block, offset as u32))
}

/// Checks that the entries of a sparse index lead where they should. The error has the number of the first that does not.
pub(crate) fn verify_index(
    index: &[u8],
    lengths: &[u8],
    span_bits: u8,
    places: u64,
) -> Result<(), (usize, String)> {
    let span = 1u64 << span_bits;
    let count = lengths.len() as u64 / 2;
    let (mut block, mut before) = (0u64, 0u64);
    for entry in 0..places.div_ceil(span) {
        let place = entry * span + span / 2;
        while block < count && before + block_len(lengths, block) as u64 <= place {
            before += block_len(lengths, block) as u64;
            block += 1;
        }
        let found = index_entry(index, span_bits, place);
        if (found.0, u64::from(found.1)) != (block, place - before) {
            let what = format!(
                "the index has place {place} in block {} at {}; it is in block {block} at {}",
                found.0,
                found.1,
                place - before
            );
            return Err((entry as usize, what));
        }
    }
    Ok(())
}

/// A block that is being read, for some of the places that are looked up.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lane {
    /// The first byte of the block.
    pub(crate) start: usize,
    /// The bits before the next symbol, and how many values are between it and the place.
    pub(crate) bit: u32,
    pub(crate) rest: u32,
    /// The numbers of the places, from one to another.
    place: usize,
    end: usize,
}

/// How many blocks are read at a time.
const LANES: usize = 6;

/// Looks up places, each of which is `at` a place of a block, in ascending order: every block is read once, and no farther
/// than needed, and several blocks at a time, so that none waits for the other. Where an index is damaged, the places may
/// lead back in a block, which is read again then. `start` is the first byte of a block; `step`
/// goes on in one, and its result is the value at the place, or `None` in it if the block ends before. `found` gets the number
/// of each place with its value, in any order.
#[inline(always)]
pub(crate) fn read_blocks<P>(
    places: &[P],
    at: impl Fn(&P) -> (u64, u32),
    start: impl Fn(u64) -> usize,
    step: impl Fn(&mut Lane) -> Option<Option<u16>>,
    mut found: impl FnMut(usize, Option<u16>),
) {
    let mut next = 0;
    let mut take = || {
        let (block, rest) = at(places.get(next)?);
        let place = next;
        let mut last = rest;
        let of_block = places[next..].iter().map(&at).take_while(|other| {
            let before = std::mem::replace(&mut last, other.1);
            other.0 == block && other.1 >= before
        });
        next += of_block.count();
        Some(Lane {
            start: start(block),
            bit: 0,
            rest,
            place,
            end: next,
        })
    };
    let mut lanes = [Lane::default(); LANES];
    let mut count = 0;
    while count < LANES
        && let Some(lane) = take()
    {
        lanes[count] = lane;
        count += 1;
    }
    while count > 0 {
        let mut number = 0;
        while number < count {
            let lane = &mut lanes[number];
            number += 1;
            let Some(value) = step(lane) else {
                continue;
            };
            found(lane.place, value);
            lane.place += 1;
            if lane.place < lane.end {
                lane.rest += at(&places[lane.place]).1 - at(&places[lane.place - 1]).1;
            } else if let Some(next) = take() {
                *lane = next;
            } else {
                number -= 1;
                count -= 1;
                lanes[number] = lanes[count];
            }
        }
    }
}

impl Code {
    /// Goes on in a block of so many bytes, which others follow. The result is the value at the place, or `None` in it if the
    /// block ends before.
    #[inline(always)]
    pub(crate) fn step(
        &self,
        bytes: &[u8],
        block_bytes: usize,
        lane: &mut Lane,
    ) -> Option<Option<u16>> {
        let end = 8 * block_bytes as u32;
        if lane.bit >= end {
            return Some(None);
        }
        let at = lane.start + (lane.bit >> 3) as usize;
        let word = u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let bits = word << (lane.bit & 7);
        let stride = self.strides[(bits >> (64 - self.stride_bits)) as usize];
        let (used, values) = (u32::from(stride & 15), u32::from(stride >> 4));
        if used > 0 && lane.rest >= values {
            lane.rest -= values;
            lane.bit += used;
        } else {
            let least = if used > 0 { 0 } else { values as usize };
            let Some((symbol, len)) = self.next_from(bits, least) else {
                return Some(None);
            };
            let values = u32::from(self.values[usize::from(symbol)]);
            if lane.rest < values {
                let value = (lane.bit + len <= end).then(|| self.leaf(symbol, lane.rest));
                return Some(value);
            }
            lane.rest -= values;
            lane.bit += len;
        }
        None
    }

    /// The value at a place of a block of so many bytes, which others follow; `None` if the block ends before.
    #[inline]
    pub(crate) fn value_in(&self, bytes: &[u8], block_bytes: usize, place: u32) -> Option<u16> {
        let mut lane = Lane {
            rest: place,
            ..Lane::default()
        };
        loop {
            if let Some(value) = self.step(bytes, block_bytes, &mut lane) {
                return value;
            }
        }
    }
}

/// The expansions of all symbols, one after the other.
#[derive(Debug)]
pub(crate) struct Expansions {
    values: Vec<u16>,
    /// Where each begins and ends.
    ranges: Vec<(u32, u32)>,
}

/// Expansions up to this length are copied with what follows, as a copy of a length that isn't known takes longer.
const AT_ONCE: usize = 16;

impl Expansions {
    pub(crate) fn new(code: &Code) -> Expansions {
        let count = code.symbols.len();
        let mut expansions = Expansions {
            values: Vec::with_capacity(code.values.iter().map(|&count| usize::from(count)).sum()),
            ranges: vec![(0, 0); count],
        };
        (0..count).for_each(|symbol| expansions.add(code, symbol));
        let end = expansions.values.len();
        expansions.values.resize(end + AT_ONCE, 0);
        expansions
    }

    /// Expands a symbol and those that it is made of. These are nested less deep than [`DEEPEST`](super::head::DEEPEST).
    fn add(&mut self, code: &Code, symbol: usize) {
        let (x, y) = code.symbols[symbol];
        if self.ranges[symbol].1 > 0 {
            return;
        }
        if y != LEAF {
            self.add(code, x.into());
            self.add(code, y.into());
        }
        let start = self.values.len();
        if y == LEAF {
            self.values.push(x);
        } else {
            for half in [x, y] {
                let (start, end) = self.ranges[usize::from(half)];
                self.values.extend_from_within(start as usize..end as usize);
            }
        }
        self.ranges[symbol] = (start as u32, self.values.len() as u32);
    }

    #[inline]
    pub(super) fn of(&self, symbol: u16) -> &[u16] {
        let (start, end) = self.ranges[usize::from(symbol)];
        &self.values[start as usize..end as usize]
    }

    /// Writes the first values of a block of so many bytes, which others follow, and returns the bits that they take; `None` if
    /// the block ends before.
    pub(crate) fn fill(
        &self,
        code: &Code,
        bytes: &[u8],
        block_bytes: usize,
        out: &mut [u16],
    ) -> Option<usize> {
        let (mut bit, mut filled) = (0, 0);
        while filled < out.len() {
            let at = bit >> 3;
            let word = u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            let (symbol, len) = code.next(word << (bit & 7))?;
            bit += len as usize;
            if bit > 8 * block_bytes {
                return None;
            }
            let expansion = self.of(symbol);
            let all =
                self.values[self.ranges[usize::from(symbol)].0 as usize..].first_chunk::<AT_ONCE>();
            let room = out[filled..].first_chunk_mut::<AT_ONCE>();
            if let (Some(all), Some(room)) = (all, room)
                && expansion.len() <= AT_ONCE
            {
                *room = *all;
                filled += expansion.len();
                continue;
            }
            let fitting = expansion.len().min(out.len() - filled);
            out[filled..filled + fitting].copy_from_slice(&expansion[..fitting]);
            filled += fitting;
        }
        Some(bit)
    }
}
