//! Symbols for pairs of symbols that often stand together (Re-Pair, of Larsson and Moffat).
//!
//! Many pairs are replaced in one pass over the symbols: those that occur most often among those that can't overlap.
//! The number of each pair is kept up to date as pairs are replaced, so that the symbols are counted only once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::file::head::{LEAF, LONGEST_SYMBOL, MOST_SYMBOLS, Symbol};

/// Readers refuse more than 16 levels of pairs.
const DEEPEST: u8 = 14;
/// The most pairs of one pass.
const AT_ONCE: usize = 250;

/// The symbols that have been made.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    pub(crate) symbols: Vec<Symbol>,
    /// How many values each stands for.
    pub(crate) values: Vec<u16>,
    depth: Vec<u8>,
}

impl Grammar {
    pub(crate) fn new(leaves: &[u16]) -> Grammar {
        Grammar {
            symbols: leaves.iter().map(|&leaf| (leaf, LEAF)).collect(),
            values: vec![1; leaves.len()],
            depth: vec![0; leaves.len()],
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.symbols.len() < MOST_SYMBOLS
    }

    /// Whether a pair may be a symbol.
    fn may_join(&self, x: u16, y: u16) -> bool {
        let (x, y) = (usize::from(x), usize::from(y));
        self.values[x] + self.values[y] <= LONGEST_SYMBOL
            && self.depth[x].max(self.depth[y]) < DEEPEST
    }

    pub(crate) fn add(&mut self, x: u16, y: u16) -> u16 {
        let (left, right) = (usize::from(x), usize::from(y));
        self.values.push(self.values[left] + self.values[right]);
        self.depth.push(self.depth[left].max(self.depth[right]) + 1);
        self.symbols.push((x, y));
        self.symbols.len() as u16 - 1
    }
}

/// How often each symbol stands in the chunks.
pub(crate) fn frequencies(chunks: &[Vec<u16>], symbols: usize) -> Vec<u64> {
    let count = |mut counts: Vec<u64>, chunk: &Vec<u16>| {
        for &symbol in chunk {
            counts[usize::from(symbol)] += 1;
        }
        counts
    };
    let add = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let zero = || vec![0; symbols];
    chunks.par_iter().fold(zero, count).reduce(zero, add)
}

/// The pairs of so many symbols are counted in a table of each thread's own.
const FEW: usize = 512;

/// How often each pair stands somewhere. Overlapping pairs of a symbol with itself count as often as they overlap.
struct Counts {
    /// The most symbols.
    stride: usize,
    /// Whether the counts of symbols that are not there yet are those of another time.
    reused: bool,
    /// They are changed by those who hold the lock of their stripe, so that loads and stores do.
    pairs: Vec<AtomicU32>,
    locks: [Mutex<()>; STRIPES],
}

/// Pairs whose first symbols leave the same remainder are a stripe.
const STRIPES: usize = 16;
/// So many changes of a stripe are made at once.
const MOST_WAITING: usize = 1024;
/// The bit of a change that says that a pair is one fewer.
const FEWER: u32 = 1 << 31;

/// Changes of counts that wait until there are many of a stripe. Atomic additions wait for memory one by one, and
/// would take more time than all else.
struct Changes<'a> {
    counts: &'a Counts,
    waiting: [Vec<u32>; STRIPES],
}

impl<'a> Changes<'a> {
    fn new(counts: &'a Counts) -> Changes<'a> {
        Changes {
            counts,
            waiting: Default::default(),
        }
    }

    /// Counts a pair once more, or with [`FEWER`] once less.
    #[inline]
    fn push(&mut self, x: u16, y: u16, fewer: u32) {
        let stripe = usize::from(x) % STRIPES;
        let waiting = &mut self.waiting[stripe];
        waiting.push(self.counts.place(x, y) as u32 | fewer);
        if waiting.len() == MOST_WAITING {
            self.make(stripe);
        }
    }

    fn make(&mut self, stripe: usize) {
        let lock = self.counts.locks[stripe].lock();
        let _lock = lock.unwrap_or_else(PoisonError::into_inner);
        for change in self.waiting[stripe].drain(..) {
            let count = &self.counts.pairs[(change & !FEWER) as usize];
            let by = if change & FEWER == 0 { 1 } else { u32::MAX };
            // A pair may be taken away before another thread has added it.
            count.store(
                count.load(Ordering::Relaxed).wrapping_add(by),
                Ordering::Relaxed,
            );
        }
    }
}

impl Drop for Changes<'_> {
    fn drop(&mut self) {
        for stripe in 0..STRIPES {
            self.make(stripe);
        }
    }
}

/// The largest counts so far, for the next to be made of: an allocator keeps so much for a while when it is freed.
static LARGEST: Mutex<Vec<AtomicU32>> = Mutex::new(Vec::new());

impl Counts {
    fn new(symbols: usize) -> Counts {
        let len = symbols * symbols;
        let mut pairs = Vec::new();
        if symbols > FEW
            && let Ok(mut largest) = LARGEST.lock()
        {
            pairs = std::mem::take(&mut *largest);
        }
        let reused = pairs.len() >= len;
        if !reused {
            // Pages take memory when they are first written to.
            pairs = bytemuck::zeroed_vec(len);
        }
        Counts {
            stride: symbols,
            reused,
            pairs,
            locks: Default::default(),
        }
    }

    #[inline]
    fn place(&self, x: u16, y: u16) -> usize {
        usize::from(x) * self.stride + usize::from(y)
    }

    fn of(&self, x: u16, y: u16) -> u32 {
        self.pairs[self.place(x, y)].load(Ordering::Relaxed)
    }

    fn row(&self, x: usize) -> &[AtomicU32] {
        &self.pairs[x * self.stride..][..self.stride]
    }

    /// Sets the counts of new symbols, whose numbers are the greatest ones, to zero.
    fn clear(&self, new: std::ops::Range<usize>) {
        if !self.reused {
            return;
        }
        for x in 0..new.end {
            let first = if new.contains(&x) { 0 } else { new.start };
            for count in &self.row(x)[first..new.end] {
                count.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Counts the pairs of the beginning.
    fn count(&self, chunks: &[Vec<u16>], symbols: usize) {
        if symbols > FEW {
            let count = |changes: &mut Changes<'_>, chunk: &Vec<u16>| {
                for pair in chunk.windows(2) {
                    changes.push(pair[0], pair[1], 0);
                }
            };
            (chunks.par_iter()).for_each_init(|| Changes::new(self), count);
            return;
        }
        let count_own = |mut own: Vec<u32>, chunk: &Vec<u16>| {
            for pair in chunk.windows(2) {
                own[usize::from(pair[0]) * symbols + usize::from(pair[1])] += 1;
            }
            own
        };
        let totals = chunks
            .par_iter()
            .fold(|| vec![0; symbols * symbols], count_own);
        totals.for_each(|own| {
            for (x, row) in own.chunks_exact(symbols).enumerate() {
                for (y, &count) in row.iter().enumerate().filter(|(_, count)| **count > 0) {
                    self.pairs[self.place(x as u16, y as u16)].fetch_add(count, Ordering::Relaxed);
                }
            }
        });
    }
}

impl Drop for Counts {
    fn drop(&mut self) {
        if let Ok(mut largest) = LARGEST.lock()
            && largest.len() < self.pairs.len()
        {
            *largest = std::mem::take(&mut self.pairs);
        }
    }
}

/// The pairs that a pass replaces, in a hash table that is mostly empty: a look at one slot nearly always says that a pair is
/// none of them.
struct Batch {
    /// Pairs, and the symbol that replaces each.
    slots: Vec<(u32, u16)>,
}

impl Batch {
    const BITS: u32 = 11;
    const EMPTY: u32 = u32::MAX;

    fn new(pairs: &[(u16, u16, u16)]) -> Batch {
        let mut slots = vec![(Batch::EMPTY, 0); 1 << Batch::BITS];
        for &(x, y, new) in pairs {
            let mut slot = Batch::slot(Batch::key(x, y));
            while slots[slot].0 != Batch::EMPTY {
                slot = Batch::next(slot);
            }
            slots[slot] = (Batch::key(x, y), new);
        }
        Batch { slots }
    }

    fn key(x: u16, y: u16) -> u32 {
        u32::from(x) << 16 | u32::from(y)
    }

    fn slot(key: u32) -> usize {
        (key.wrapping_mul(0x9e37_79b1) >> (32 - Batch::BITS)) as usize
    }

    fn next(slot: usize) -> usize {
        (slot + 1) % (1 << Batch::BITS)
    }

    #[inline]
    fn find(&self, x: u16, y: u16) -> Option<u16> {
        let key = Batch::key(x, y);
        let mut slot = Batch::slot(key);
        loop {
            match self.slots[slot] {
                (Batch::EMPTY, _) => return None,
                (found, new) if found == key => return Some(new),
                _ => slot = Batch::next(slot),
            }
        }
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The most symbols.
    pub(crate) symbols: usize,
    /// A pair that occurs less often is no symbol.
    pub(crate) fewest: u32,
    /// Pairs that occur less often than this share of the most frequent wait for the next pass. In 256ths.
    pub(crate) share: u32,
}

/// Makes symbols of pairs and replaces the pairs, until there are enough symbols or no pair is frequent. Before each pass
/// `go_on` is told how many symbols there are, and says whether to go on.
pub(crate) fn join(
    chunks: &mut [Vec<u16>],
    grammar: &mut Grammar,
    limits: Limits,
    go_on: &dyn Fn(usize) -> bool,
) {
    let total: usize = chunks.iter().map(Vec::len).sum();
    // Each symbol takes away as many as the pair's occurrences.
    let possible = grammar.symbols.len() + total / limits.fewest as usize + 1;
    let most = limits.symbols.min(possible).min(MOST_SYMBOLS);
    if grammar.symbols.len() >= most {
        return;
    }
    let counts = Counts::new(most);
    counts.clear(0..grammar.symbols.len());
    counts.count(chunks, grammar.symbols.len());
    let mut frequent = Vec::new();
    let mut seen = 0;
    while grammar.symbols.len() < most && go_on(grammar.symbols.len()) {
        let before = grammar.symbols.len();
        let room = (most - before).min(AT_ONCE);
        // Only pairs with a new symbol can have become frequent.
        add_frequent(&mut frequent, &counts, seen..before, limits.fewest);
        seen = before;
        let chosen = choose(&mut frequent, &counts, grammar, limits, room);
        if chosen.is_empty() {
            break;
        }
        let pairs: Vec<_> = chosen
            .into_iter()
            .map(|(x, y)| (x, y, grammar.add(x, y)))
            .collect();
        counts.clear(before..grammar.symbols.len());
        let batch = Batch::new(&pairs);
        let replace = |changes: &mut Changes<'_>, chunk| replace(chunk, &batch, changes);
        (chunks.par_iter_mut()).for_each_init(|| Changes::new(&counts), replace);
    }
}

/// A pair that was frequent, and how often it occurred then.
type Frequent = (u32, u16, u16);

/// Adds the frequent pairs of which at least one symbol is in a range at the end of all symbols.
fn add_frequent(
    frequent: &mut Vec<Frequent>,
    counts: &Counts,
    new: std::ops::Range<usize>,
    fewest: u32,
) {
    let of_row = |x: usize| {
        let first = if new.contains(&x) { 0 } else { new.start };
        let row = &counts.row(x)[first..new.end];
        row.iter().enumerate().filter_map(move |(y, count)| {
            let count = count.load(Ordering::Relaxed);
            (count >= fewest).then_some((count, x as u16, (first + y) as u16))
        })
    };
    let rows = (0..new.end).into_par_iter().with_min_len(128);
    frequent.par_extend(rows.flat_map_iter(of_row));
}

/// The most frequent pairs that can't overlap. Pairs that are not frequent any more are dropped: they can't become it
/// again.
fn choose(
    frequent: &mut Vec<Frequent>,
    counts: &Counts,
    grammar: &Grammar,
    limits: Limits,
    room: usize,
) -> Vec<(u16, u16)> {
    let mut top = 0;
    frequent.retain_mut(|(count, x, y)| {
        *count = counts.of(*x, *y);
        if x == y {
            // Half of a run at most can be replaced.
            *count = *count * 5 / 8;
        }
        let kept = *count >= limits.fewest && grammar.may_join(*x, *y);
        if kept {
            top = top.max(*count);
        }
        kept
    });
    let fewest = limits
        .fewest
        .max((u64::from(top) * u64::from(limits.share) / 256) as u32);
    let mut pairs: Vec<Frequent> = (frequent.iter().copied())
        .filter(|pair| pair.0 >= fewest)
        .collect();
    pairs.sort_unstable_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let symbols = grammar.symbols.len();
    let (mut first, mut second) = (vec![false; symbols], vec![false; symbols]);
    let mut chosen = Vec::new();
    for (_, x, y) in pairs {
        let (i, j) = (usize::from(x), usize::from(y));
        if second[i] || first[j] || i == j && (first[i] || second[j]) {
            continue;
        }
        first[i] = true;
        second[j] = true;
        chosen.push((x, y));
        if chosen.len() == room {
            break;
        }
    }
    chosen
}

/// Replaces the pairs of a batch in a chunk.
fn replace(chunk: &mut Vec<u16>, batch: &Batch, changes: &mut Changes<'_>) {
    let len = chunk.len();
    let (mut from, mut to) = (0, 0);
    while from < len {
        let x = chunk[from];
        let new = match chunk.get(from + 1) {
            Some(&y) => batch.find(x, y),
            None => None,
        };
        let Some(new) = new else {
            chunk[to] = x;
            from += 1;
            to += 1;
            continue;
        };
        let y = chunk[from + 1];
        changes.push(x, y, FEWER);
        if to > 0 {
            let before = chunk[to - 1];
            changes.push(before, x, FEWER);
            changes.push(before, new, 0);
        }
        if let Some(&after) = chunk.get(from + 2) {
            changes.push(y, after, FEWER);
            changes.push(new, after, 0);
        }
        chunk[to] = new;
        from += 2;
        to += 1;
    }
    chunk.truncate(to);
}
