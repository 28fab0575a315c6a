//! Numbers that look random.

/// A stream of numbers that look random, the same in every run: xorshift.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number of so many bits, at most 64.
    pub fn bits(&mut self, bits: u32) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.checked_shr(64 - bits).unwrap_or(0)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u128) -> u128 {
        (u128::from(self.bits(64)) << 64 | u128::from(self.bits(64))) % end
    }

    /// So many numbers of so many bits.
    ///
    /// # Panics
    /// If the type has fewer bits.
    pub fn numbers<T: TryFrom<u64>>(&mut self, count: usize, bits: u32) -> Vec<T> {
        let number = |_| T::try_from(self.bits(bits)).ok().expect("bits that fit");
        (0..count).map(number).collect()
    }
}
