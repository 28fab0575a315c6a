//! What blocks of positions look up: where slices start, and reciprocals of the sets' weights.

use super::outline::Starts;
use crate::index::Word;

/// Entries of the tables, so many that no index of 12 bits is beyond them.
pub(super) const ENTRIES: usize = 4096;

/// What blocks look up.
#[derive(Clone, Debug)]
pub(super) struct Tables<W> {
    /// Where each slice starts; after the last the number of slots.
    pub(super) firsts: Box<[W; ENTRIES]>,
    /// For the highest bits of a slot the slice of the first slot with these bits.
    pub(super) buckets: Box<[u32; ENTRIES]>,
    /// How many bits below those there are.
    pub(super) shift: u32,
    /// The most slices after that one that start within a bucket.
    pub(super) steps: usize,
    /// The division by each set's weight, if slots are few enough for it.
    pub(super) divisions: Option<Vec<Division>>,
}

/// Division by one of a few numbers, chosen by how many kings stand where pawns may: a product with a
/// reciprocal of 30 bits more than the divisor has (Granlund and Montgomery, Division by invariant
/// integers using multiplication), exact for dividends below 2³⁰.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    pub(super) reciprocals: [u64; 4],
    pub(super) divisors: [u32; 4],
    pub(super) shift: u32,
}

impl Division {
    fn new(divisors: [u64; 3]) -> Option<Division> {
        let greatest = *divisors.iter().max()?;
        if greatest >= 1 << 30 {
            return None;
        }
        let shift = 30 + u64::BITS - greatest.leading_zeros();
        let all = [divisors[0], divisors[1], divisors[2], divisors[0]];
        // Divisors differ by the kings' squares alone, a little; a product has less than 64 bits.
        let least = *divisors.iter().min()?;
        let small = (1u128 << shift).div_ceil(u128::from(least)) < 1 << 34;
        small.then(|| Division {
            reciprocals: all.map(|divisor| (1u64 << shift).div_ceil(divisor)),
            divisors: all.map(|divisor| divisor as u32),
            shift,
        })
    }
}

impl<W: Word> Tables<W> {
    pub(super) fn new(firsts: &Starts, weights: &[[u64; 3]]) -> Tables<W> {
        let mut table = Box::new([W::ZERO; ENTRIES]);
        for (entry, &first) in table.iter_mut().zip(&firsts.firsts) {
            *entry = W::truncate(first.into());
        }
        let mut buckets = Box::new([0; ENTRIES]);
        for (entry, &id) in buckets.iter_mut().zip(&firsts.buckets) {
            *entry = id.into();
        }
        let within = firsts.buckets.windows(2).map(|pair| pair[1] - pair[0]);
        let end = firsts.firsts[firsts.firsts.len() - 1];
        Tables {
            firsts: table,
            buckets,
            shift: firsts.shift,
            steps: usize::from(within.max().unwrap_or(0)),
            divisions: if end < 1 << 30 {
                weights.iter().map(|&w| Division::new(w)).collect()
            } else {
                None
            },
        }
    }
}
