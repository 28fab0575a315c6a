//! Reduction in memory by sorting.
//!
//! Indices are brought into canonical form in the nearest cache and dealt out by their keys' highest
//! bits into piles, as they come: nothing is gathered or counted before. A pile, which fits the level-2
//! cache, is then sorted by itself, digit by digit. The bits of a key that its pile already tells are not
//! kept: of 64-bit indices of up to 7 pieces, 32 bits are left, and half the bytes go to memory and back.
//!
//! Where keys are far from evenly spread, a pile may be larger than the memory that is set aside to sort
//! it in. Such a pile is sorted range by range: ranges of keys are found that hold few enough of them, and
//! the pile is searched for the keys of each.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::super::error::StoreError;
use super::super::ordered_jobs::run_in_order;
use super::keys::Keys;
use super::radix;
use super::share::Share;
use super::sizes::{SLACK, Sizes};
use crate::batch::BatchWord;
use crate::index::Word;

/// Fewer indices than this are not worth sharing out to threads.
const SHARED: usize = 1 << 14;

/// Indices that are to be sorted, with `R` for what a pile leaves open of a key.
pub(super) struct Sorter<W, R> {
    sizes: Sizes,
    shares: Vec<Share<W, R>>,
    gathered: Vec<W>,
}

/// A pile, or those of its keys whose open bits are in a range.
struct Job<R> {
    pile: usize,
    range: Option<(R, R)>,
}

impl<W: BatchWord, R: BatchWord> Sorter<W, R> {
    pub(super) fn new(sizes: &Sizes) -> io::Result<Sorter<W, R>> {
        debug_assert_eq!(sizes.word_bytes, size_of::<R>());
        Ok(Sorter {
            sizes: *sizes,
            shares: (0..sizes.shares)
                .map(|_| Share::new(sizes))
                .collect::<io::Result<_>>()?,
            gathered: Vec::with_capacity(sizes.gathered),
        })
    }

    fn room(&self) -> usize {
        self.shares.iter().map(Share::room).sum::<usize>() - self.gathered.len()
    }

    /// Takes in the first of some indices, and returns how many there was room for. `None` if one is out of
    /// range; then others may have been taken in.
    pub(super) fn push(&mut self, keys: &Keys<W>, indices: &[W]) -> Option<usize> {
        let indices = &indices[..indices.len().min(self.room())];
        let (gathered, most) = (self.gathered.len(), self.sizes.gathered);
        if most == 0 || gathered == 0 && indices.len() >= most {
            return self.deal(keys, indices).then_some(indices.len());
        }
        let some = &indices[..indices.len().min(most - gathered)];
        if !keys.are_in_range(some) {
            return None;
        }
        self.gathered.extend_from_slice(some);
        if self.gathered.len() == most {
            self.deal_gathered(keys);
        }
        Some(some.len())
    }

    fn deal_gathered(&mut self, keys: &Keys<W>) {
        let mut gathered = std::mem::take(&mut self.gathered);
        let in_range = self.deal(keys, &gathered);
        debug_assert!(in_range, "checked when they were gathered");
        gathered.clear();
        self.gathered = gathered;
    }

    /// Deals out indices, for which there is room, and returns whether all are in range. If not, some of
    /// them may have been dealt out.
    fn deal(&mut self, keys: &Keys<W>, indices: &[W]) -> bool {
        let mut rest = indices;
        let mut even = rest.len().div_ceil(self.shares.len()).max(SHARED);
        let in_range = AtomicBool::new(true);
        while !rest.is_empty() {
            std::thread::scope(|scope| {
                let deal = |share: &mut Share<W, R>, some| {
                    in_range.fetch_and(share.deal(keys, some), Relaxed);
                };
                let mut mine = None;
                for share in &mut self.shares {
                    let (some, others) = rest.split_at(even.min(share.room()).min(rest.len()));
                    rest = others;
                    if some.is_empty() {
                        continue;
                    }
                    // This thread takes the last ones itself.
                    if let Some((share, some)) = mine.replace((share, some)) {
                        scope.spawn(move || deal(share, some));
                    }
                }
                if let Some((share, some)) = mine {
                    deal(share, some);
                }
            });
            // What is left did not fit its share.
            even = rest.len();
        }
        in_range.into_inner()
    }

    /// Sorts all that was taken in, and hands it to `take`: indices, or keys if `as_keys` is set, each
    /// once, in ascending slices. Then the sorter is empty.
    pub(super) fn sort<E: From<StoreError>>(
        &mut self,
        keys: &Keys<W>,
        as_keys: bool,
        mut take: impl FnMut(&[W]) -> Result<(), E>,
        mut watch: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        self.deal_gathered(keys);
        for share in &mut self.shares {
            share.close();
        }
        let jobs = self.jobs();
        let make = |words: &mut Vec<R>, job, out: &mut Vec<W>| {
            let job = &jobs[job as usize];
            let most = self.most(job);
            if words.len() < 2 * most {
                words.clear();
                words.reserve_exact(2 * most);
                words.resize(2 * most, R::ZERO);
            }
            if out.capacity() < most {
                // Somewhat longer, because the next results will be about as long. Nothing of it is copied.
                *out = Vec::with_capacity(most + most / SLACK);
            }
            out.resize(most, W::ZERO);
            let high = W::truncate((job.pile as u128) << self.sizes.rest_bits);
            let (words, spare) = words.split_at_mut(most);
            let count = self.collect(job, words);
            let sorted = radix::sort(&mut words[..count], &mut spare[..count]);
            let count = each_once(sorted, high, out);
            out.truncate(count);
            if !as_keys {
                keys.to_indices_in_place(out);
            }
            Ok(())
        };
        run_in_order(
            self.sizes.threads,
            jobs.len() as u64,
            Default::default,
            make,
            |_, some| take(some),
            |_| watch(),
        )?;
        for share in &mut self.shares {
            share.clear();
        }
        Ok(())
    }

    fn slices(&self, pile: usize) -> impl Iterator<Item = &[R]> + Clone {
        self.shares.iter().flat_map(move |share| share.slices(pile))
    }

    /// How many words a job has at most.
    fn most(&self, job: &Job<R>) -> usize {
        match job.range {
            None => self.slices(job.pile).map(<[R]>::len).sum(),
            Some((first, last)) if first == last => 1,
            Some(_) => self.sizes.at_once,
        }
    }

    /// Copies the words of a job, or only one of them if it is for words that are alike, and returns how many
    /// were copied.
    fn collect(&self, job: &Job<R>, words: &mut [R]) -> usize {
        let mut count = 0;
        match job.range {
            Some((first, last)) if first == last => {
                words[0] = first;
                return 1;
            }
            None => {
                for some in self.slices(job.pile) {
                    words[count..][..some.len()].copy_from_slice(some);
                    count += some.len();
                }
            }
            Some((first, last)) => {
                for &word in self.slices(job.pile).flatten() {
                    if first <= word && word <= last {
                        words[count] = word;
                        count += 1;
                    }
                }
            }
        }
        count
    }

    /// All jobs in ascending order, each of them small enough.
    fn jobs(&self) -> Vec<Job<R>> {
        let mut jobs = Vec::with_capacity(self.sizes.piles);
        for pile in 0..self.sizes.piles {
            let count: usize = self.slices(pile).map(<[R]>::len).sum();
            if count <= self.sizes.at_once {
                jobs.push(Job { pile, range: None });
                continue;
            }
            let (mut least, mut most) = (!R::ZERO, R::ZERO);
            for &word in self.slices(pile).flatten() {
                (least, most) = (Ord::min(least, word), Ord::max(most, word));
            }
            self.cut(pile, (least, most), &mut jobs);
        }
        jobs
    }

    /// Cuts a range of a pile's words into ranges that hold few enough of them.
    fn cut(&self, pile: usize, (first, last): (R, R), jobs: &mut Vec<Job<R>>) {
        const PARTS: u32 = 10;
        let span = last.to_u64() - first.to_u64();
        if span == 0 {
            let range = Some((first, last));
            return jobs.push(Job { pile, range });
        }
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(PARTS);
        let mut counts = vec![0usize; 1 << PARTS];
        for &word in self.slices(pile).flatten() {
            if first <= word && word <= last {
                counts[((word - first).to_u64() >> shift) as usize] += 1;
            }
        }
        let parts = (span >> shift) as usize + 1;
        let first_of = |part: usize| first + R::truncate((part as u128) << shift);
        let last_of = |part: usize| match part + 1 < parts {
            true => first_of(part + 1) - R::ONE,
            false => last,
        };
        let mut part = 0;
        while part < parts {
            let (start, mut count) = (part, counts[part]);
            while part + 1 < parts && count + counts[part + 1] <= self.sizes.at_once {
                part += 1;
                count += counts[part];
            }
            let range = (first_of(start), last_of(part));
            match count {
                0 => {}
                _ if count <= self.sizes.at_once => jobs.push(Job {
                    pile,
                    range: Some(range),
                }),
                _ => self.cut(pile, range, jobs),
            }
            part += 1;
        }
    }
}

/// Copies sorted words, each once and with other bits set, and returns how many there are.
fn each_once<W: BatchWord, R: Word>(words: &[R], high: W, to: &mut [W]) -> usize {
    let Some(&first) = words.first() else {
        return 0;
    };
    let whole = |word: R| high | W::truncate(word.into());
    let to = &mut to[..words.len()];
    to[0] = whole(first);
    let (mut last, mut count) = (first, 0);
    // There is no branch here, because with random words it would often be mispredicted.
    for &word in &words[1..] {
        count += usize::from(word != last);
        to[count] = whole(word);
        last = word;
    }
    count + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Backend;
    use crate::index::{Equivalence, Numbering};

    fn sorts<W: BatchWord, R: BatchWord>(
        material: &str,
        numbering: Numbering,
        indices: &[u64],
        room: u64,
    ) {
        let same = Equivalence::<W>::try_new(material.parse().unwrap(), numbering).unwrap();
        let mask = same.layout().index_count() - 1;
        let indices: Vec<W> = indices
            .iter()
            .map(|&x| W::truncate(u128::from(x) & mask))
            .collect();
        let mut expected: Vec<W> = indices.iter().map(|&x| same.canonical(x)).collect();
        expected.sort_unstable();
        expected.dedup();
        let keys = Keys::new(same, Backend::detect());
        for threads in [1, 2, 5] {
            let sizes = Sizes::new::<W>(keys.bits(), room, threads, None);
            assert!(sizes.bytes <= room && sizes.capacity() > 0, "{sizes:?}");
            let mut sorter = Sorter::<W, R>::new(&sizes).unwrap();
            let (mut found, mut last) = (Vec::new(), None);
            let mut run = |sorter: &mut Sorter<W, R>, as_keys| {
                last = None;
                let take = |some: &[W]| {
                    // A part of the sorter may have nothing.
                    let Some(&first) = some.first() else {
                        return Ok(());
                    };
                    assert!(last < Some(first) && some.is_sorted_by(|a, b| a < b));
                    last = some.last().copied();
                    let start = found.len();
                    found.extend_from_slice(some);
                    if as_keys {
                        keys.to_indices_in_place(&mut found[start..]);
                    }
                    Ok(())
                };
                sorter
                    .sort::<StoreError>(&keys, as_keys, take, || Ok(()))
                    .unwrap();
            };
            for mut some in indices.chunks(70_000) {
                while !some.is_empty() {
                    let taken = sorter.push(&keys, some).unwrap();
                    some = &some[taken..];
                    if taken == 0 {
                        run(&mut sorter, true);
                    }
                }
            }
            run(&mut sorter, false);
            found.sort_unstable();
            found.dedup();
            assert!(found == expected, "{material} {numbering} {threads}");
        }
    }

    #[test]
    fn what_is_sorted_has_each_canonical_index_once() {
        let mut x = 1u64;
        let mut random = |count: usize, and: u64| -> Vec<u64> {
            (0..count)
                .map(|_| {
                    x = x
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    (x >> 4 ^ x << 30) & and
                })
                .collect()
        };
        let sets = [
            vec![],
            vec![0],
            vec![u64::MAX],
            random(100, u64::MAX),
            random(50_000, u64::MAX),
            // Few different ones, all in few piles.
            random(300_000, 0o7_0007_0007),
            random(300_000, 0xffff),
            vec![0o1234_5671; 200_000],
        ];
        for set in &sets {
            // The room has nothing to do with the numbering.
            for (numbering, room) in Numbering::ALL.into_iter().zip([2 << 20, 40 << 20]) {
                sorts::<u32, u32>("KvK", numbering, set, room);
                sorts::<u32, u32>("KQRvKR", numbering, set, room);
                sorts::<u64, u32>("KQRvKRN", numbering, set, room);
                sorts::<u64, u32>("KPPPPvKP", numbering, set, room);
                sorts::<u64, u64>("KQRRvKRNN", numbering, set, room);
                sorts::<u64, u64>("KQRBNvKPPPP", numbering, set, room);
            }
        }
    }
}
