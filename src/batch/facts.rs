//! What is true of a slice of words as a whole.

use super::backend::Backend;
use super::lanes::{Isa, LINE_BYTES, Lanes, Vectors, Work};
use crate::index::Word;

/// What is true of the words of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts<W> {
    /// The bits that any of them has.
    pub(crate) bits: W,
    /// Whether they ascend; if so asked, without repeats.
    pub(crate) ascend: bool,
}

/// How far ahead of what is looked at the memory is asked for.
const AHEAD_BYTES: usize = 1 << 14;

impl Backend {
    /// What is true of these words. What lies behind them in memory, if anything does, is expected to be
    /// looked at next, and brought nearer.
    pub(crate) fn facts<W: Word>(self, words: &[W], distinct: bool) -> Facts<W> {
        match W::BITS {
            32 => self.facts_as::<W, u32>(words, distinct),
            64 => self.facts_as::<W, u64>(words, distinct),
            _ => Facts {
                bits: words.iter().fold(W::ZERO, |bits, &x| bits | x),
                ascend: ascend(words, distinct),
            },
        }
    }

    /// The same by way of another type of the same size.
    fn facts_as<W: Word, V: Vectors>(self, words: &[W], distinct: bool) -> Facts<W> {
        let words: &[V] = bytemuck::cast_slice(words);
        let mut facts = match distinct {
            true => self.run(Look::<V, true>(words)),
            false => self.run(Look::<V, false>(words)),
        };
        if facts.bits >> (V::BITS - 1) != V::ZERO {
            // Some vectors take it for a sign. No index has it.
            facts.ascend = ascend(words, distinct);
        }
        Facts {
            bits: bytemuck::cast(facts.bits),
            ascend: facts.ascend,
        }
    }
}

/// Whether each word is less than the next one, or its equal unless they are to be distinct.
#[inline(always)]
fn ascend<W: Word>(words: &[W], distinct: bool) -> bool {
    let in_order = |pair: &[W]| pair[0] < pair[1] || !distinct && pair[0] == pair[1];
    words.windows(2).all(in_order)
}

struct Look<'a, W, const DISTINCT: bool>(&'a [W]);

impl<W: Vectors, const DISTINCT: bool> Work for Look<'_, W, DISTINCT> {
    type Output = Facts<W>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Facts<W> {
        let count = I::Of::<W>::COUNT;
        let Some((_, behind)) = self.0.split_first() else {
            return Facts {
                bits: W::ZERO,
                ascend: true,
            };
        };
        let vectors = self.0.chunks_exact(count).zip(behind.chunks_exact(count));
        // No early end and no branch, so that the processor can do many at once.
        let (mut bits, mut in_order) = (I::Of::<W>::splat(isa, W::ZERO), u64::MAX);
        for (here, next) in vectors {
            isa.prefetch_early(here.as_ptr().cast::<u8>().wrapping_add(AHEAD_BYTES));
            let (x, y) = (I::Of::<W>::load(isa, here), I::Of::<W>::load(isa, next));
            bits = bits | x;
            in_order &= match DISTINCT {
                true => I::Of::<W>::bits(x.less(y)),
                false => !I::Of::<W>::bits(y.less(x)),
            };
        }
        let all = u64::MAX >> (64 - count);
        let rest = &self.0[behind.len() / count * count..];
        let ascend = in_order & all == all && ascend(rest, DISTINCT);
        let mut line = [W::ZERO; LINE_BYTES / size_of::<u32>()];
        bits.store(&mut line);
        let bits = line.iter().chain(rest).fold(W::ZERO, |bits, &x| bits | x);
        Facts { bits, ascend }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree<W: Word>() {
        let word = |x: usize| W::truncate(x as u128);
        for length in 0..70 {
            let ascending: Vec<W> = (0..length).map(|x| word(3 * x + 1)).collect();
            let bits = |words: &[W]| words.iter().fold(W::ZERO, |bits, &x| bits | x);
            for backend in Backend::available() {
                let check = |words: &[W], sorted: bool, distinct: bool| {
                    for (ascend, asked) in [(sorted, false), (distinct, true)] {
                        let bits = bits(words);
                        assert_eq!(
                            backend.facts(words, asked),
                            Facts { bits, ascend },
                            "{words:?}"
                        );
                    }
                };
                check(&ascending, true, true);
                for at in 1..length {
                    let with = |x: W| {
                        let mut words = ascending.clone();
                        words[at] = x;
                        words
                    };
                    check(&with(ascending[at - 1]), true, false);
                    check(&with(ascending[at - 1] - word(1)), false, false);
                    check(&with(!W::ZERO), at + 1 == length, at + 1 == length);
                }
            }
        }
    }

    #[test]
    fn facts_are_those_of_all_pairs() {
        agree::<u32>();
        agree::<u64>();
        agree::<u128>();
    }
}
