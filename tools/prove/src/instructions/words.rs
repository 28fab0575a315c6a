//! Checks of operations that do the same to every word of a vector.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;

use tbindex::Word;
use tbindex::proofs::{Lanes, Vectors};

/// An operation on vectors of up to 16 words, which writes one.
type OnVectors<'a, W> = &'a dyn Fn(&[[W; 16]], &mut [W; 16]);

/// The checks that were made, and the first difference.
#[derive(Default)]
pub(crate) struct Checks {
    /// The number of results that were compared.
    pub(crate) results: usize,
    /// The number of operations.
    pub(crate) operations: usize,
    pub(crate) wrong: Option<String>,
    /// The number of mistakes that were found, and those that were not.
    pub(crate) mistakes: usize,
    pub(crate) survivors: Vec<String>,
}

impl Checks {
    pub(crate) fn outcome(self) -> Result<String, String> {
        match self.wrong {
            Some(wrong) => Err(wrong),
            None if !self.survivors.is_empty() => Err(format!(
                "mistakes that nobody would notice: {:?}",
                self.survivors
            )),
            None => Ok(format!(
                "{} operations, {} results, {} mistakes noticed",
                self.operations, self.results, self.mistakes
            )),
        }
    }

    /// Compares one result.
    pub(crate) fn expect<T: PartialEq + Debug>(
        &mut self,
        what: impl Display,
        found: T,
        expected: T,
    ) {
        self.results += 1;
        if found != expected {
            self.differs(&what, &found, &expected);
        }
    }

    fn differs(&mut self, what: &dyn Display, found: &dyn Debug, expected: &dyn Debug) {
        let wrong = || format!("{what}: {found:x?} instead of {expected:x?}");
        self.wrong.get_or_insert_with(wrong);
    }

    /// Compares an operation on vectors of so many lanes with its definition on words, for every tuple of so many operands
    /// in every lane. It is compiled once for each word, whatever the vectors and the operation.
    fn compare<W: Word>(
        &mut self,
        name: &str,
        (operands, count): (&[u64], usize),
        lanes: usize,
        operation: OnVectors<'_, W>,
        definition: &dyn Fn(&[u64]) -> u64,
    ) {
        self.operations += 1;
        let word = |value: u64| W::truncate(value.into());
        let operands: Vec<&[u64]> = operands.chunks_exact(count).collect();
        let expected: Vec<W> = operands.iter().map(|of| word(definition(of))).collect();
        let mut vectors = vec![[W::ZERO; 16]; count];
        let mut found = [W::ZERO; 16];
        for start in 0..operands.len() {
            let at = |lane: usize| (start + lane) % operands.len();
            for (n, vector) in vectors.iter_mut().enumerate() {
                *vector = std::array::from_fn(|lane| word(operands[at(lane)][n]));
            }
            operation(&vectors, &mut found);
            for (lane, found) in found[..lanes].iter().enumerate() {
                let name = format_args!("{name} of {:x?} in lane {lane}", operands[at(lane)]);
                self.expect(name, *found, expected[at(lane)]);
            }
        }
    }

    /// Makes a mistake: compares a wrong definition with the right one, on the operands that an operation is tried on.
    /// If they agree on all of these, an operation with this mistake would be taken for right.
    pub(crate) fn mistake<const N: usize>(
        &mut self,
        name: &str,
        operands: &[[u64; N]],
        right: impl Fn([u64; N]) -> u64,
        wrong: impl Fn([u64; N]) -> u64,
    ) {
        let mut operands = operands.iter();
        if operands.any(|&operands| right(operands) != wrong(operands)) {
            self.mistakes += 1;
        } else {
            self.survivors.push(name.to_owned());
        }
    }
}

/// Checks of vectors of a type.
pub(crate) struct Of<'a, W: Vectors, V: Lanes<W>> {
    pub(crate) isa: V::Isa,
    pub(crate) checks: &'a mut Checks,
    words: PhantomData<W>,
}

impl<'a, W: Vectors, V: Lanes<W>> Of<'a, W, V> {
    pub(crate) fn new(isa: V::Isa, checks: &'a mut Checks) -> Self {
        Of {
            isa,
            checks,
            words: PhantomData,
        }
    }

    /// Compares an operation on vectors with its definition on words, for every tuple of operands in every lane.
    pub(crate) fn all<const N: usize>(
        &mut self,
        name: &str,
        operands: &[[u64; N]],
        operation: impl Fn([V; N]) -> V,
        definition: impl Fn([u64; N]) -> u64,
    ) {
        let isa = self.isa;
        let on_words = |from: &[[W; 16]], to: &mut [W; 16]| {
            operation(std::array::from_fn(|n| V::load(isa, &from[n]))).store(to);
        };
        let operands = (operands.as_flattened(), N);
        let definition = |of: &[u64]| definition(std::array::from_fn(|n| of[n]));
        let checks = &mut *self.checks;
        checks.compare(name, operands, V::COUNT, &on_words, &definition);
    }

    /// Does this for operations on one vector.
    pub(crate) fn one(
        &mut self,
        name: &str,
        operands: &[u64],
        operation: impl Fn(V) -> V,
        definition: impl Fn(u64) -> u64,
    ) {
        let operands: Vec<[u64; 1]> = operands.iter().map(|&a| [a]).collect();
        self.all(name, &operands, |[a]| operation(a), |[a]| definition(a));
    }

    /// Does this for operations on two vectors.
    pub(crate) fn two(
        &mut self,
        name: &str,
        operands: &[[u64; 2]],
        operation: impl Fn(V, V) -> V,
        definition: impl Fn(u64, u64) -> u64,
    ) {
        let definition = |[a, b]: [u64; 2]| definition(a, b);
        self.all(name, operands, |[a, b]| operation(a, b), definition);
    }
}

/// The words of a vector.
pub(crate) fn words<W: Vectors, V: Lanes<W>>(vector: V) -> Vec<W> {
    let mut words = [W::ZERO; 16];
    vector.store(&mut words);
    words[..V::COUNT].to_vec()
}

/// The words of so many bits with no bit, one bit, or two, and their complements.
pub(crate) fn up_to_two_bits(bits: u32) -> Vec<u64> {
    let mut all = vec![0];
    for high in 0..bits {
        all.push(1 << high);
        all.extend((0..high).map(|low| 1 << high | 1 << low));
    }
    let ones = u64::MAX >> (64 - bits);
    all.extend(all.clone().iter().map(|word| !word & ones));
    all
}

/// All pairs of words of so many bits with at most one bit, and their complements. For each place of a bit, the
/// operands have all four combinations there, with all other bits 0 and with all other bits 1.
pub(crate) fn one_bit_each(bits: u32) -> Vec<[u64; 2]> {
    let ones = u64::MAX >> (64 - bits);
    let mut words = vec![0, ones];
    words.extend((0..bits).map(|bit| 1 << bit));
    words.extend((0..bits).map(|bit| ones & !(1 << bit)));
    let words = &words;
    words
        .iter()
        .flat_map(|&a| words.iter().map(move |&b| [a, b]))
        .collect()
}

/// Triples of words of so many bits: for each place of a bit, all eight combinations with all other bits alike,
/// for all eight combinations of these; and for each two places every bit of one operand with one of another.
pub(crate) fn three_operands(bits: u32) -> Vec<[u64; 3]> {
    let ones = u64::MAX >> (64 - bits);
    let mut all = Vec::new();
    for bit in 0..bits {
        for others in 0..8 {
            for here in 0..8 {
                all.push(std::array::from_fn(|n| {
                    let others = if others >> n & 1 == 1 { ones } else { 0 };
                    others & !(1 << bit) | (here >> n & 1) << bit
                }));
            }
        }
        for other in 0..bits {
            for (n, m) in [(0, 1), (1, 2), (2, 0)] {
                let mut operands = [0; 3];
                operands[n] = 1 << bit;
                operands[m] = 1 << other;
                all.push(operands);
            }
        }
    }
    all
}

/// A number without a pattern.
pub(crate) fn mixed(seed: u64) -> u64 {
    let x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 32
}

/// Words whose order is hard to get right: below 2 to the power of `bits`, every place where a run of ones ends
/// that a step to the next word carries through, and the word after it. Above the run stands every bit
/// alone, every two, and all of them.
pub(crate) fn neighbours(bits: u32) -> Vec<[u64; 2]> {
    let mut all = Vec::new();
    for run in 0..bits {
        // The bit above the run is zero, and becomes one.
        let free = bits - run - 1;
        let mut above = vec![0];
        if free > 0 {
            above.extend(up_to_two_bits(free));
        }
        for above in above {
            let word = above << run << 1 | ((1 << run) - 1);
            all.push([word, word + 1]);
        }
    }
    all
}
