//! Samples of things of which nobody knows at first how many there are.

use std::collections::HashSet;

/// A sample of things that come in groups: every set of so many of them all is equally likely.
#[derive(Clone, Debug)]
pub struct Reservoir<T> {
    random: fastrand::Rng,
    most: u64,
    seen: u64,
    kept: Vec<T>,
}

impl<T> Reservoir<T> {
    /// A sample of so many things, or of all if there are fewer. The same seed gives the same sample.
    #[must_use]
    pub fn new(most: u64, seed: u64) -> Reservoir<T> {
        Reservoir {
            random: fastrand::Rng::with_seed(seed),
            most,
            seen: 0,
            kept: Vec::new(),
        }
    }

    /// Chooses among so many more things: the numbers of those that are in the sample, ascending. The ones that they replace
    /// are dropped. The caller adds the chosen ones by [`extend`](Reservoir::extend).
    pub fn choose(&mut self, count: u64) -> Vec<u64> {
        let seen = self.seen;
        self.seen += count;
        let mut chosen = numbers(self.seen, self.most, &mut self.random);
        // A sample of all has so many of the earlier ones, and each is as likely to be among them.
        let old = chosen.partition_point(|&number| number < seen);
        let new = chosen.split_off(old).into_iter();
        let old = numbers(self.kept.len() as u64, old as u64, &mut self.random);
        let (mut old, mut places) = (old.into_iter().peekable(), 0..);
        self.kept.retain(|_| {
            let place = places.next();
            old.next_if(|&number| Some(number) == place).is_some()
        });
        new.map(|number| number - seen).collect()
    }

    /// Adds things that were chosen.
    pub fn extend(&mut self, chosen: impl IntoIterator<Item = T>) {
        self.kept.extend(chosen);
    }

    /// How many things there were.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The sample, in the order in which it came.
    #[must_use]
    pub fn into_kept(self) -> Vec<T> {
        self.kept
    }
}

/// So many different numbers below `end`, or all of them, ascending (R. Floyd's algorithm).
fn numbers(end: u64, count: u64, random: &mut fastrand::Rng) -> Vec<u64> {
    if count >= end {
        return (0..end).collect();
    }
    let mut chosen = HashSet::with_capacity(count as usize);
    for last in end - count..end {
        let number = random.u64(..=last);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    let mut chosen: Vec<u64> = chosen.into_iter().collect();
    chosen.sort_unstable();
    chosen
}
