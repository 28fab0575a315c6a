//! Reduction by sorting.
//!
//! Indices are brought into canonical form in the nearest cache and dealt out by their keys' highest
//! bits into piles, as they come: nothing is gathered or counted before. When the memory is full, all piles go
//! to a temporary file. In the end each pile, which fits the level-2 cache, is sorted by itself. The
//! bits of a key that its pile already tells are not kept: of 64-bit indices of up to 7 pieces, 32 bits are
//! left, and half the bytes go to memory or to the disk, and back.
//!
//! Where keys are unevenly spread, a pile may be larger than the memory in which it is to be sorted. Then it is sorted
//! range by range: ranges are found that hold few enough keys, or are so short that each key can have a mark, and the
//! pile is searched for the keys of each range. A pile on the disk is read again each time: a few thousand times as
//! many indices as fit the memory are sorted in one reading, beyond that the readings grow.

use std::io;
use std::path::Path;

use super::super::error::StoreError;
use super::super::ordered_jobs::run_in_order;
use super::super::watch::{Phase, Take};
use super::collectors::Collectors;
use super::keys::Keys;
use super::piles::ThreadPiles;
use super::radix;
use super::sizes::{SLACK, Sizes};
use super::spills::Spills;
use crate::batch::BatchWord;
use crate::index::Word;

/// About how many jobs are found before they are done: as many as there are piles, unless piles are large. Test builds find
/// few, so that small tests find jobs several times.
const JOBS: usize = if cfg!(feature = "failpoints") {
    8
} else {
    1 << 12
};

/// Indices that are to be sorted. An `R` holds the bits of a key that its pile leaves open.
pub(super) struct Sorter<W, R> {
    sizes: Sizes,
    pub(super) dealt: Collectors<W, ThreadPiles<W, R>>,
    spills: Spills,
}

/// A pile, or its keys whose open bits are in a range.
struct Job<R> {
    pile: usize,
    range: Option<(R, R)>,
}

impl<W: BatchWord, R: BatchWord> Sorter<W, R> {
    pub(super) fn new(sizes: &Sizes) -> io::Result<Sorter<W, R>> {
        debug_assert_eq!(sizes.word_bytes, size_of::<R>());
        let piles = (0..sizes.collectors).map(|_| ThreadPiles::new(sizes));
        Ok(Sorter {
            sizes: *sizes,
            dealt: Collectors::new(piles.collect::<io::Result<_>>()?, sizes.gathered),
            spills: Spills::new(sizes.piles),
        })
    }

    /// Has all that was dealt out lie in memory, where it can be read.
    fn close(&mut self, keys: &Keys<W>) -> Result<(), StoreError> {
        self.dealt.flush(keys)?;
        for piles in &mut self.dealt.all {
            piles.close();
        }
        Ok(())
    }

    /// Writes all that is in memory to the temporary file in this folder.
    pub(super) fn spill(
        &mut self,
        keys: &Keys<W>,
        temp: &Path,
        watch: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.close(keys)?;
        let dealt = &self.dealt.all;
        let slices = |pile| dealt.iter().flat_map(move |piles| piles.slices(pile));
        self.spills.add(temp, slices, watch)?;
        for piles in &mut self.dealt.all {
            piles.clear();
        }
        Ok(())
    }

    /// Sorts all that was taken in, and hands the indices to `take`, each once, in ascending slices. Returns how often the
    /// memory was full, and how many bytes went to the temporary file.
    pub(super) fn finish(
        mut self,
        keys: &Keys<W>,
        temp: &Path,
        take: &mut Take<'_, W>,
        watch: &mut dyn FnMut(Phase) -> Result<(), StoreError>,
    ) -> Result<(u64, u64), StoreError> {
        if self.spills.len == 0 {
            self.close(keys)?;
        } else {
            self.spill(keys, temp, &mut || watch(Phase::Sorting))?;
            // The piles that are sorted use the memory that those had that were dealt to.
            self.dealt.all.clear();
            self.sizes.at_once = self.sizes.at_once_of_spills;
        }
        let io = StoreError::io(temp, "read a temporary file in this folder");
        let mut piles = 0..self.sizes.piles;
        while !piles.is_empty() {
            // The jobs of all piles would take more memory the more is sorted.
            let mut jobs = Vec::new();
            while jobs.len() < JOBS
                && let Some(pile) = piles.next()
            {
                self.add_jobs(pile, &mut jobs).map_err(&io)?;
                watch(Phase::Writing)?;
            }
            self.sort(&jobs, keys, &io, take, &mut || watch(Phase::Writing))?;
        }
        Ok((self.spills.len as u64, self.spills.bytes))
    }

    /// Does some jobs, and hands the indices to `take`.
    fn sort(
        &self,
        jobs: &[Job<R>],
        keys: &Keys<W>,
        io: &(dyn Fn(io::Error) -> StoreError + Sync),
        take: &mut Take<'_, W>,
        watch: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let make = |room: &mut Vec<R>, job, out: &mut Vec<W>| {
            let job = &jobs[job as usize];
            let most = self.most(job);
            if room.len() < 2 * most {
                // Nothing of it is copied.
                *room = vec![R::ZERO; 2 * most];
            }
            let sorted = self.sorted(job, room.split_at_mut(most)).map_err(io)?;
            if out.capacity() < most {
                // Somewhat longer, because the next results will be about as long. Nothing of it is copied.
                *out = Vec::with_capacity(most + most / SLACK);
            }
            out.resize(most, W::ZERO);
            let high = W::truncate((job.pile as u128) << self.sizes.rest_bits);
            let count = each_once(sorted, high, out);
            out.truncate(count);
            keys.to_indices_in_place(out);
            Ok(())
        };
        run_in_order(
            self.sizes.threads,
            jobs.len() as u64,
            Vec::new,
            make,
            |_, some| take(some),
            |_| watch(),
        )
    }

    /// Calls a function with all words of a pile, in slices.
    fn for_each(&self, pile: usize, mut take: impl FnMut(&[R])) -> io::Result<()> {
        let dealt = self.dealt.all.iter();
        dealt.for_each(|piles| piles.slices(pile).for_each(&mut take));
        self.spills.for_each(pile, &mut take)
    }

    /// The number of words that a pile has.
    fn count(&self, pile: usize) -> usize {
        let dealt = self.dealt.all.iter();
        let counts = dealt.flat_map(|piles| piles.slices(pile)).map(<[R]>::len);
        counts.sum::<usize>() + self.spills.count(pile)
    }

    /// The number of words that a job sorts at most.
    fn most(&self, job: &Job<R>) -> usize {
        match job.range {
            None => self.count(job.pile),
            Some(_) => self.sizes.at_once,
        }
    }

    /// The words of a job in ascending order. Both slices are as long as [`most`](Sorter::most) says.
    fn sorted<'w>(
        &self,
        job: &Job<R>,
        (words, spare): (&'w mut [R], &'w mut [R]),
    ) -> io::Result<&'w [R]> {
        let mut count = 0;
        match job.range {
            None => self.for_each(job.pile, |some| {
                words[count..][..some.len()].copy_from_slice(some);
                count += some.len();
            })?,
            Some(range) if self.is_short(range) => {
                let marks = &mut words[..=(range.1 - range.0).to_u64() as usize];
                marks.fill(R::ZERO);
                self.for_each(job.pile, |some| {
                    for &word in some {
                        if range.0 <= word && word <= range.1 {
                            marks[(word - range.0).to_u64() as usize] = R::ONE;
                        }
                    }
                })?;
                for (k, &mark) in marks.iter().enumerate() {
                    spare[count] = range.0 + R::truncate(k as u128);
                    count += usize::from(mark == R::ONE);
                }
                return Ok(&spare[..count]);
            }
            Some((first, last)) => self.for_each(job.pile, |some| {
                for &word in some {
                    if first <= word && word <= last {
                        words[count] = word;
                        count += 1;
                    }
                }
            })?,
        }
        Ok(radix::sort(&mut words[..count], &mut spare[..count]))
    }

    /// Whether a range has so few words that each can have a mark, however often it occurs.
    fn is_short(&self, (first, last): (R, R)) -> bool {
        (last - first).to_u64() < self.sizes.at_once as u64
    }

    /// Adds the jobs of a pile in ascending order, each of them small enough.
    fn add_jobs(&self, pile: usize, jobs: &mut Vec<Job<R>>) -> io::Result<()> {
        if self.count(pile) <= self.sizes.at_once {
            jobs.push(Job { pile, range: None });
            return Ok(());
        }
        let (mut least, mut most) = (!R::ZERO, R::ZERO);
        self.for_each(pile, |some| {
            for &word in some {
                (least, most) = (Ord::min(least, word), Ord::max(most, word));
            }
        })?;
        self.cut(pile, (least, most), jobs)
    }

    /// Cuts a range of a pile's words into ranges that hold few enough of them.
    fn cut(&self, pile: usize, (first, last): (R, R), jobs: &mut Vec<Job<R>>) -> io::Result<()> {
        const PARTS: u32 = 10;
        if self.is_short((first, last)) {
            let range = Some((first, last));
            jobs.push(Job { pile, range });
            return Ok(());
        }
        let span = (last - first).to_u64();
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(PARTS);
        let mut counts = vec![0usize; 1 << PARTS];
        self.for_each(pile, |some| {
            for &word in some {
                if first <= word && word <= last {
                    counts[((word - first).to_u64() >> shift) as usize] += 1;
                }
            }
        })?;
        let parts = (span >> shift) as usize + 1;
        let first_of = |part: usize| first + R::truncate((part as u128) << shift);
        let last_of = |part: usize| match part + 1 < parts {
            true => first_of(part + 1) - R::ONE,
            false => last,
        };
        let fits = |start, part, count| {
            count <= self.sizes.at_once || self.is_short((first_of(start), last_of(part)))
        };
        let mut part = 0;
        while part < parts {
            let (start, mut count) = (part, counts[part]);
            while part + 1 < parts && fits(start, part + 1, count + counts[part + 1]) {
                part += 1;
                count += counts[part];
            }
            let range = (first_of(start), last_of(part));
            if !fits(start, part, count) {
                self.cut(pile, range, jobs)?;
            } else if count > 0 {
                let range = Some(range);
                jobs.push(Job { pile, range });
            }
            part += 1;
        }
        Ok(())
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
