//! Reduction by a bitmap: a bit for each key that there can be.
//!
//! Setting bits at random places of a large bitmap would wait for memory each time. So keys are first
//! dealt out to parts of the bitmap that fit the level-1 cache. They are set when a part has so many of
//! them that each of its cache lines, once it was fetched, is used several times. With several threads,
//! each has a bitmap of its own, and in the end they are united.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::keys::Keys;
use crate::batch::BatchWord;

/// The bits of a part, as a power of two: 2¹⁸ bits are 32 KiB.
const PART_BITS: u32 = 18;
/// At most so many parts; with more keys, parts are larger.
const MAX_PARTS: u32 = 1024;
/// How many keys are gathered for a part before they are set: four for each of its cache lines.
const GATHERED: usize = 2048;
/// How many indices are brought into canonical form at once.
const BATCH: usize = 2048;
/// How many indices a thread is handed at once.
const HANDED: usize = 1 << 18;

/// How many bytes the bitmap of keys of so many bits takes, with the keys that are gathered for it.
pub(super) const fn bytes(key_bits: u32) -> u128 {
    let bitmap = 1u128 << key_bits.saturating_sub(3);
    bitmap + (MAX_PARTS as u128 * GATHERED as u128 * 4)
}

/// A bitmap that one thread fills.
pub(super) struct Bitmap<W> {
    keys: Keys<W>,
    words: Vec<u64>,
    part_bits: u32,
    /// For each part the keys that are still to be set, without the bits that tell the part.
    gathered: Vec<[u32; GATHERED]>,
    counts: Vec<u32>,
    batch: Vec<W>,
}

impl<W: BatchWord> Bitmap<W> {
    fn new(keys: Keys<W>) -> Bitmap<W> {
        let part_bits = PART_BITS
            .max(keys.bits().saturating_sub(MAX_PARTS.ilog2()))
            .min(keys.bits());
        let parts = 1usize << (keys.bits() - part_bits);
        Bitmap {
            words: vec![0; (1usize << keys.bits()).div_ceil(64)],
            part_bits,
            gathered: vec![[0; GATHERED]; parts],
            counts: vec![0; parts],
            batch: Vec::with_capacity(BATCH),
            keys,
        }
    }

    fn insert(&mut self, indices: &[W]) {
        let mask = (1u64 << self.part_bits) - 1;
        for indices in indices.chunks(BATCH) {
            let mut batch = std::mem::take(&mut self.batch);
            batch.clear();
            batch.extend_from_slice(indices);
            self.keys.of_indices_in_place(&mut batch);
            for &key in &batch {
                let key = key.to_u64();
                let part = (key >> self.part_bits) as usize;
                let count = &mut self.counts[part];
                self.gathered[part][*count as usize % GATHERED] = (key & mask) as u32;
                *count += 1;
                if *count as usize == GATHERED {
                    self.set(part);
                }
            }
            self.batch = batch;
        }
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

/// All bitmaps of a reduction.
pub(super) enum Bitmaps<W> {
    /// Filled by the caller's thread.
    One(Box<Bitmap<W>>),
    /// Filled by threads that are handed indices.
    Many(Workers<W>),
}

pub(super) struct Workers<W> {
    keys: Keys<W>,
    /// Where full buffers go, and where empty ones come from.
    full: SyncSender<Vec<W>>,
    empty: Receiver<Vec<W>>,
    buffer: Vec<W>,
    threads: Vec<JoinHandle<Vec<u64>>>,
}

/// The bytes that each thread takes on top of its bitmap.
pub(super) const fn bytes_of_buffers<W>(threads: usize) -> u128 {
    match threads {
        0 | 1 => 0,
        threads => (2 * threads as u128 + 1) * (HANDED * size_of::<W>()) as u128,
    }
}

impl<W: BatchWord> Bitmaps<W> {
    pub(super) fn new(keys: &Keys<W>, threads: usize) -> Bitmaps<W> {
        if threads <= 1 {
            return Bitmaps::One(Box::new(Bitmap::new(keys.clone())));
        }
        let (full, take_full) = sync_channel::<Vec<W>>(threads);
        let (give_empty, empty) = sync_channel(2 * threads);
        let take_full = std::sync::Arc::new(std::sync::Mutex::new(take_full));
        for _ in 0..2 * threads {
            let _ = give_empty.send(Vec::with_capacity(HANDED));
        }
        let threads = (0..threads)
            .map(|_| {
                let (keys, take_full, give_empty) =
                    (keys.clone(), take_full.clone(), give_empty.clone());
                std::thread::spawn(move || {
                    let mut bitmap = Bitmap::new(keys);
                    loop {
                        let next = take_full.lock().ok().and_then(|full| full.recv().ok());
                        let Some(mut indices) = next else { break };
                        bitmap.insert(&indices);
                        indices.clear();
                        let _ = give_empty.send(indices);
                    }
                    bitmap.finish()
                })
            })
            .collect();
        Bitmaps::Many(Workers {
            keys: keys.clone(),
            full,
            empty,
            buffer: Vec::with_capacity(HANDED),
            threads,
        })
    }

    pub(super) fn insert(&mut self, mut indices: &[W]) {
        match self {
            Bitmaps::One(bitmap) => bitmap.insert(indices),
            Bitmaps::Many(workers) => {
                while !indices.is_empty() {
                    let room = HANDED - workers.buffer.len();
                    let (some, rest) = indices.split_at(room.min(indices.len()));
                    workers.buffer.extend_from_slice(some);
                    indices = rest;
                    if workers.buffer.len() == HANDED {
                        workers.hand_over();
                    }
                }
            }
        }
    }

    /// The set of all keys, ready to be read in order.
    pub(super) fn finish(self) -> KeySet<W> {
        match self {
            Bitmaps::One(bitmap) => KeySet {
                keys: bitmap.keys.clone(),
                words: bitmap.finish(),
            },
            Bitmaps::Many(mut workers) => {
                workers.hand_over();
                drop(workers.full);
                let mut united: Vec<u64> = Vec::new();
                for thread in workers.threads {
                    let words = thread
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                    if united.is_empty() {
                        united = words;
                        continue;
                    }
                    for (all, more) in united.iter_mut().zip(words) {
                        *all |= more;
                    }
                }
                KeySet {
                    keys: workers.keys,
                    words: united,
                }
            }
        }
    }
}

impl<W> Workers<W> {
    fn hand_over(&mut self) {
        // The buffers go round: an empty one comes back for every full one. If a thread panicked, `finish`
        // passes the panic on.
        let empty = self.empty.recv().unwrap_or_default();
        let _ = self.full.send(std::mem::replace(&mut self.buffer, empty));
    }
}

/// A set of keys as a bitmap.
pub(super) struct KeySet<W> {
    keys: Keys<W>,
    words: Vec<u64>,
}

impl<W: BatchWord> KeySet<W> {
    /// The number of bits of a run, and so the most indices that it has.
    pub(super) const RUN_ITEMS: usize = 1 << 17;
    const RUN_WORDS: usize = Self::RUN_ITEMS / 64;

    /// The number of runs that the set is cut into.
    pub(super) fn runs(&self) -> u64 {
        self.words.len().div_ceil(Self::RUN_WORDS) as u64
    }

    /// Writes the indices of a run over what `out` holds.
    pub(super) fn indices_of(&self, run: u64, out: &mut Vec<W>) {
        let at = run as usize * Self::RUN_WORDS;
        let words = &self.words[at..self.words.len().min(at + Self::RUN_WORDS)];
        out.clear();
        out.reserve_exact(words.iter().map(|w| w.count_ones() as usize).sum());
        for (number, &word) in (at as u64..).zip(words) {
            let mut bits = word;
            while bits != 0 {
                let key = 64 * number + u64::from(bits.trailing_zeros());
                out.push(self.keys.index(W::truncate(key.into())));
                bits &= bits - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;
    use crate::index::{Equivalence, Numbering};

    #[test]
    fn a_bitmap_gives_back_the_set_of_canonical_indices() {
        for material in ["KvK", "KPvK", "KQvKR", "KRRvK"] {
            for numbering in Numbering::ALL {
                let same =
                    Equivalence::<u32>::try_new(material.parse().unwrap(), numbering).unwrap();
                let end = same.layout().index_count() as u32;
                let indices: Vec<u32> = (0..100_000u32)
                    .map(|x| x.wrapping_mul(2_654_435_761) % end)
                    .collect();
                let mut expected: Vec<u32> = indices.iter().map(|&x| same.canonical(x)).collect();
                expected.sort_unstable();
                expected.dedup();
                let keys = Keys::new(same, Backend::detect());
                for threads in [1, 2, 3] {
                    let mut bitmaps = Bitmaps::new(&keys, threads);
                    for part in indices.chunks(7777) {
                        bitmaps.insert(part);
                    }
                    let set = bitmaps.finish();
                    let mut found = Vec::new();
                    let mut out = Vec::new();
                    for run in 0..set.runs() {
                        set.indices_of(run, &mut out);
                        found.extend_from_slice(&out);
                    }
                    assert_eq!(found, expected, "{material} {numbering} {threads}");
                }
            }
        }
    }
}
