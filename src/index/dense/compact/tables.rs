//! Look-up tables: where slices start, and reciprocals of the sets' weights.

use crate::index::Word;

/// Entries of the tables, so many that no index of 12 bits is beyond them.
pub(super) const ENTRIES: usize = 4096;

/// The look-up tables.
#[derive(Clone)]
pub(super) struct Tables<W> {
    /// Where each slice starts; after the last the number of slots.
    pub(super) firsts: Box<[W; ENTRIES]>,
    /// For the highest bits of a slot the slice of the first slot with these bits.
    pub(super) buckets: Box<[u32; ENTRIES]>,
    /// The number of bits below the highest bits.
    pub(super) shift: u32,
    /// The most slices after that one that start within a bucket.
    pub(super) steps: usize,
    /// The divisions by the first sets' weights, whose dividends may have more than 30 bits.
    pub(super) wide: Vec<WideDivision>,
    /// The divisions by the other sets' weights, or `None` if there is no exact one.
    pub(super) divisions: Option<Vec<Division>>,
}

/// The greatest dividend of a [`Division`], less one.
const DIVIDENDS: u64 = 1 << 30;

/// Division by one of a few numbers, chosen by how many kings stand where pawns may: a product with a
/// reciprocal of 30 bits more than the divisor has (Granlund and Montgomery, Division by invariant
/// integers using multiplication), exact for dividends below 2³⁰.
#[derive(Clone, Copy)]
pub(super) struct Division {
    pub(super) reciprocals: [u64; 4],
    pub(super) divisors: [u32; 4],
    pub(super) shift: u32,
}

impl Division {
    fn new(divisors: [u64; 3]) -> Option<Division> {
        let greatest = *divisors.iter().max()?;
        if greatest >= DIVIDENDS {
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

/// Division of numbers below 2⁵², with quotients below 2³², by one of a few numbers: a product of
/// floating-point numbers, whose rounded quotient is at most one off, whatever the direction of rounding.
#[derive(Clone, Copy, Debug)]
pub struct WideDivision {
    pub(super) reciprocals: [f64; 4],
    pub(super) divisors: [u64; 4],
}

impl WideDivision {
    /// The bits of 2⁵² as a floating-point number. With a number below 2⁵² in the low bits, they are the sum of
    /// both.
    const UNIT: u64 = 0x4330_0000_0000_0000;

    fn new(divisors: [u64; 3]) -> WideDivision {
        let divisors = [divisors[0], divisors[1], divisors[2], divisors[0]];
        WideDivision {
            reciprocals: divisors.map(|divisor| 1.0 / divisor as f64),
            divisors,
        }
    }

    /// The quotient and the remainder of a number.
    #[inline(always)]
    #[must_use]
    pub fn divide(number: u64, reciprocal: f64, divisor: u64) -> (u64, u64) {
        let unit = f64::from_bits(Self::UNIT);
        let exact = f64::from_bits(number | Self::UNIT) - unit;
        let quotient = (exact * reciprocal + unit).to_bits() - Self::UNIT;
        let rest = number.wrapping_sub(quotient.wrapping_mul(divisor));
        let (below, above) = (
            u64::from((rest as i64) < 0),
            u64::from(rest as i64 >= divisor as i64),
        );
        let rest = rest
            .wrapping_add(divisor & below.wrapping_neg())
            .wrapping_sub(divisor & above.wrapping_neg());
        (quotient.wrapping_add(above).wrapping_sub(below), rest)
    }
}

impl<W: Word> Tables<W> {
    /// The tables for slices that start here, with the number of all slots last, and for sets with these weights.
    pub(super) fn new(starts: &[u64], weights: &[[u64; 3]]) -> Tables<W> {
        let mut firsts = Box::new([W::ZERO; ENTRIES]);
        for (entry, &start) in firsts.iter_mut().zip(starts) {
            *entry = W::truncate(start.into());
        }
        let end = starts[starts.len() - 1];
        // More buckets than slices, so that few buckets hold the start of more than one.
        let bits = (2 + starts.len().ilog2()).min(ENTRIES.ilog2());
        let shift = (end.ilog2() + 1).saturating_sub(bits);
        let mut buckets = Box::new([0; ENTRIES]);
        let last = (end >> shift) as usize;
        for (entry, bucket) in buckets[..=last].iter_mut().zip(0..) {
            let after = starts.partition_point(|&start| start <= bucket << shift);
            *entry = (after - 1).min(starts.len() - 2) as u32;
        }
        let within = buckets[..=last].windows(2).map(|pair| pair[1] - pair[0]);
        // The dividend of a set's weight is below the weight of the set before, and at first below the size of
        // a slice.
        let slices = starts.windows(2).map(|pair| pair[1] - pair[0]);
        let first = slices.max().unwrap_or(0);
        let before = weights.iter().map(|weights| weights.iter().copied().max());
        let ends = std::iter::once(first).chain(before.flatten());
        let wide = ends.take_while(|&end| end > DIVIDENDS).count();
        let (wide, narrow) = weights.split_at(wide.min(weights.len()));
        Tables {
            shift,
            steps: within.max().unwrap_or(0) as usize,
            firsts,
            buckets,
            wide: wide.iter().map(|&w| WideDivision::new(w)).collect(),
            divisions: if first < 1 << 52 {
                narrow.iter().map(|&w| Division::new(w)).collect()
            } else {
                None
            },
        }
    }

    /// The first slot of a slice; after the last slice the number of slots.
    #[inline(always)]
    pub(super) fn first(&self, id: usize) -> u64 {
        let first: u128 = self.firsts[id].into();
        first as u64
    }

    /// The slice of a slot.
    #[inline(always)]
    pub(super) fn find(&self, slot: W) -> usize {
        let bucket: u128 = (slot >> self.shift).into();
        let mut id = self.buckets[bucket as usize & (ENTRIES - 1)] as usize;
        while self.firsts[id + 1] <= slot {
            id += 1;
        }
        id
    }
}
