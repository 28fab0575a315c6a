//! Reduction by a bitmap: a bit for each key that there can be.
//!
//! Setting bits at random places of a large bitmap would wait for memory each time. So keys are first
//! dealt out to parts of the bitmap that fit the level-1 cache. They are set when a part has so many of
//! them that each of its cache lines, once it was fetched, is used several times. With several threads,
//! each has a bitmap of its own, and in the end they are united.

use super::super::error::StoreError;
use super::collectors::{Collector, Collectors};
use super::keys::{BATCH, Incoming, Keys};
use crate::batch::BatchWord;

/// The bits of a part, as a power of two: 2¹⁸ bits are 32 KiB.
const PART_BITS: u32 = 18;
/// The most parts; with more keys, parts are larger.
const MAX_PARTS: u32 = 1024;
/// The number of keys that are gathered for a part before they are set: four for each of its cache lines.
const GATHERED: usize = 2048;

/// The bytes of a bitmap for keys of so many bits, with the keys that are gathered for it.
pub(super) const fn bytes(key_bits: u32) -> u128 {
    let bitmap = 1u128 << key_bits.saturating_sub(3);
    bitmap + (MAX_PARTS as u128 * GATHERED as u128 * 4)
}

/// The number of indices that are gathered for so many threads.
pub(super) const fn gathered(threads: usize) -> usize {
    match threads {
        0 | 1 => 0,
        threads => threads << 18,
    }
}

/// A bitmap that one thread fills.
pub(super) struct KeyBitmap<W> {
    words: Vec<u64>,
    part_bits: u32,
    /// For each part the keys that are still to be set, without the bits that tell the part.
    gathered: Vec<[u32; GATHERED]>,
    counts: Vec<u32>,
    batch: Vec<W>,
}

impl<W: BatchWord> KeyBitmap<W> {
    /// An empty bitmap for keys of so many bits.
    fn new(key_bits: u32) -> KeyBitmap<W> {
        let part_bits = PART_BITS
            .max(key_bits.saturating_sub(MAX_PARTS.ilog2()))
            .min(key_bits);
        let parts = 1usize << (key_bits - part_bits);
        KeyBitmap {
            words: vec![0; (1usize << key_bits).div_ceil(64)],
            part_bits,
            gathered: vec![[0; GATHERED]; parts],
            counts: vec![0; parts],
            batch: vec![W::ZERO; BATCH],
        }
    }

    /// The empty bitmaps of so many threads.
    pub(super) fn of_threads(key_bits: u32, threads: usize) -> Collectors<W, KeyBitmap<W>> {
        let all = (0..threads).map(|_| KeyBitmap::new(key_bits)).collect();
        Collectors::new(all, gathered(threads))
    }

    /// Sets the keys that are gathered for a part.
    fn set(&mut self, part: usize) {
        let words_of_part = 1usize << self.part_bits.saturating_sub(6);
        let words = &mut self.words[part * words_of_part..][..words_of_part];
        for &key in &self.gathered[part][..self.counts[part] as usize] {
            // The remainder is the number itself, but it spares the loop a bounds check.
            words[(key >> 6) as usize % words_of_part] |= 1 << (key % 64);
        }
        self.counts[part] = 0;
    }

    /// The words with all keys set.
    fn finish(mut self) -> Vec<u64> {
        for part in 0..self.counts.len() {
            self.set(part);
        }
        self.words
    }
}

impl<W: BatchWord> Collector<W> for KeyBitmap<W> {
    fn room(&self) -> usize {
        usize::MAX
    }

    fn take(&mut self, keys: &Keys<W>, incoming: Incoming<'_, W>) -> Result<(), StoreError> {
        let mask = (1u64 << self.part_bits) - 1;
        let mut batch = std::mem::take(&mut self.batch);
        let taken = keys.of_batches(incoming, &mut batch, |batch, _| {
            for key in batch {
                let key = key.to_u64();
                let part = (key >> self.part_bits) as usize;
                let count = &mut self.counts[part];
                self.gathered[part][*count as usize % GATHERED] = (key & mask) as u32;
                *count += 1;
                if *count as usize == GATHERED {
                    self.set(part);
                }
            }
        });
        self.batch = batch;
        taken
    }
}

/// A set of keys as a bitmap.
pub(super) struct KeySet(Vec<u64>);

impl KeySet {
    /// The number of bits of a run, and so the most indices that it has.
    pub(super) const RUN_ITEMS: usize = 1 << 17;
    const RUN_WORDS: usize = KeySet::RUN_ITEMS / 64;

    /// The set of all keys that were taken in.
    pub(super) fn new<W: BatchWord>(
        mut bitmaps: Collectors<W, KeyBitmap<W>>,
        keys: &Keys<W>,
    ) -> Result<KeySet, StoreError> {
        bitmaps.flush(keys)?;
        let mut bitmaps = bitmaps.all.into_iter().map(KeyBitmap::finish);
        let mut united = bitmaps.next().unwrap_or_default();
        for words in bitmaps {
            for (all, more) in united.iter_mut().zip(words) {
                *all |= more;
            }
        }
        Ok(KeySet(united))
    }

    /// The number of runs that the set is cut into.
    pub(super) fn runs(&self) -> u64 {
        self.0.len().div_ceil(KeySet::RUN_WORDS) as u64
    }

    /// Replaces the contents of `out` by the indices of a run.
    pub(super) fn indices_of<W: BatchWord>(&self, run: u64, keys: &Keys<W>, out: &mut Vec<W>) {
        let at = run as usize * KeySet::RUN_WORDS;
        let words = &self.0[at..self.0.len().min(at + KeySet::RUN_WORDS)];
        out.clear();
        out.reserve_exact(words.iter().map(|w| w.count_ones() as usize).sum());
        for (number, &word) in (at as u64..).zip(words) {
            let mut bits = word;
            while bits != 0 {
                let key = 64 * number + u64::from(bits.trailing_zeros());
                out.push(keys.index(W::truncate(key.into())));
                bits &= bits - 1;
            }
        }
    }
}
