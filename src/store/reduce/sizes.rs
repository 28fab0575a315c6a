//! The division of the memory that sorting may take.

use super::super::ordered_jobs::RESULTS;
use crate::batch::Piles;
use crate::index::Word;

/// The most piles, as a power of two: a line of each is to stay in the level-2 cache.
const MOST_PILE_BITS: u32 = 12;
/// The fewest piles, as a power of two, unless the keys are too short: several threads share the work.
const FEWEST_PILE_BITS: u32 = 4;
/// The number of keys that a pile has where it can be chosen, as a power of two.
const PILE_KEYS_BITS: u32 = 14;
/// The most bytes of a block: the last one of a pile is half empty on average.
const MOST_BLOCK_BYTES: usize = 8192;

/// A result's memory is longer than its words by one part in so many.
pub(super) const SLACK: usize = 8;

/// The bytes that the results of a thread take, for each word that one of them has at most.
pub(super) const fn bytes_of_result_word<W>() -> usize {
    RESULTS * (size_of::<W>() + size_of::<W>().div_ceil(SLACK))
}

/// The division of the memory for sorting keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Whether it is enough to keep 32 bits of each key.
    pub(super) narrow: bool,
    /// The bits that a pile leaves open.
    pub(super) rest_bits: u32,
    pub(super) piles: usize,
    pub(super) block_bytes: usize,
    /// The number of threads that deal out, each into piles of its own, and of blocks of memory that each has.
    pub(super) collectors: usize,
    pub(super) blocks: usize,
    /// The number of indices that are gathered before they are shared out.
    pub(super) gathered: usize,
    pub(super) threads: usize,
    /// The most keys that are sorted at once, while all piles are in memory.
    pub(super) at_once: usize,
    /// The most keys that are sorted at once after all piles went to a temporary file.
    pub(super) at_once_of_spills: usize,
    /// The bytes that all of it takes.
    pub(super) bytes: u64,
    pub(super) word_bytes: usize,
}

impl Sizes {
    /// The best division of `room` bytes for keys of so many bits, of which at most `expected` will come.
    pub(super) fn new<W: Word>(
        key_bits: u32,
        room: u64,
        threads: usize,
        expected: Option<u64>,
    ) -> Sizes {
        // More than any machine has, and so little that no product below overflows.
        let room = usize::try_from(room).map_or(usize::MAX / 16, |room| room.min(usize::MAX / 16));
        let index_bytes = size_of::<W>();
        let narrow = index_bytes > 4 && key_bits <= u32::BITS + MOST_PILE_BITS;
        let word_bytes = if narrow { 4 } else { index_bytes };
        let sorting_bytes = 2 * word_bytes + bytes_of_result_word::<W>();
        // A sixteenth of the room is for jobs, and for buffers to read with.
        let at_once_of_spills = ((room - room / 16) / threads / sorting_bytes).max(1);
        let all = expected.map_or(0, |expected| {
            usize::try_from(expected).unwrap_or(usize::MAX)
        });
        let fitting = room / word_bytes;
        let expected = expected.map_or(fitting, |_| all.min(fitting));
        let open = key_bits.saturating_sub(8 * word_bytes as u32);
        // More piles than fit the cache one by one, if spills would else have to be read more than once.
        let pile_bits = (expected.max(1).ilog2().saturating_sub(PILE_KEYS_BITS))
            .max((all / at_once_of_spills).saturating_mul(2).max(1).ilog2())
            .clamp(FEWEST_PILE_BITS, MOST_PILE_BITS)
            .max(open)
            .min(key_bits);
        let piles = 1 << pile_bits;

        // Piles may take a sixteenth of the room beside their full blocks, and sorting them an eighth.
        let least = piles * (Piles::<u32>::BYTES + 64);
        let collectors = threads.min(room / 16 / least).max(1);
        let gathered = match collectors {
            1 => 0,
            _ => (collectors << 18).min(room / 32 / index_bytes),
        };
        let mut block_bytes = MOST_BLOCK_BYTES;
        while block_bytes > 64 && collectors * piles * block_bytes > room / 16 {
            block_bytes /= 2;
        }
        let at_once = (room / 8 / threads / sorting_bytes).min(expected).max(1);
        let for_blocks = room
            .saturating_sub(room / 8)
            .saturating_sub(collectors * piles * Piles::<u32>::BYTES + gathered * index_bytes);
        let block_and_note = block_bytes + Piles::<u32>::BYTES_OF_BLOCK;
        let fitting = for_blocks / collectors / block_and_note;
        // Places of a collector are counted in 32 bits.
        let fitting = fitting.min(u32::MAX as usize / (block_bytes / word_bytes));
        let wanted = (expected.div_ceil(collectors) * word_bytes).div_ceil(block_bytes);
        let blocks = fitting.min(wanted.saturating_add(piles)).max(piles + 1);
        let bytes = collectors * (piles * Piles::<u32>::BYTES + blocks * block_and_note)
            + gathered * index_bytes
            + threads * at_once * sorting_bytes;
        Sizes {
            narrow,
            rest_bits: key_bits - pile_bits,
            piles,
            block_bytes,
            collectors,
            blocks,
            gathered,
            threads,
            at_once,
            at_once_of_spills,
            bytes: bytes as u64,
            word_bytes,
        }
    }

    /// The number of indices that can be sorted at once, however they fall.
    pub(super) const fn capacity(&self) -> usize {
        self.collectors * (self.blocks - self.piles) * (self.block_bytes / self.word_bytes)
    }
}
