//! A look at all words of a slice: which bits they have, and whether they ascend.

use super::backend::Backend;
use super::lanes::{Isa, LINE_BYTES, Lanes, Vectors};
use crate::dispatch;
use crate::index::Word;

/// What a scan finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scanned<W> {
    /// The bits that any of them has.
    pub(crate) bits: W,
    /// Whether they ascend: without repeats if that was asked for.
    pub(crate) ascend: bool,
}

/// How far ahead of what is looked at the memory is asked for.
const AHEAD_BYTES: usize = 1 << 14;

impl Backend {
    /// Looks at all words of a slice, and tells whether they ascend, without repeats if `distinct`. It
    /// expects that whatever lies behind them in memory is scanned next, and brings it nearer.
    pub(crate) fn scan<W: Word>(self, words: &[W], distinct: bool) -> Scanned<W> {
        match W::BITS {
            32 => self.scan_as::<W, u32>(words, distinct),
            64 => self.scan_as::<W, u64>(words, distinct),
            _ => Scanned {
                bits: words.iter().fold(W::ZERO, |bits, &x| bits | x),
                ascend: ascend(words, distinct),
            },
        }
    }

    /// Does the same by way of another type of the same size.
    fn scan_as<W: Word, V: Vectors>(self, words: &[W], distinct: bool) -> Scanned<W> {
        let words: &[V] = bytemuck::cast_slice(words);
        let mut found = match distinct {
            true => dispatch!(self, isa => scan_all::<V, _, true>(isa, words)),
            false => dispatch!(self, isa => scan_all::<V, _, false>(isa, words)),
        };
        if found.bits >> (V::BITS - 1) != V::ZERO {
            // Some vectors take the highest bit for a sign. No index has it.
            found.ascend = ascend(words, distinct);
        }
        Scanned {
            bits: bytemuck::cast(found.bits),
            ascend: found.ascend,
        }
    }
}

/// Returns whether each word is less than the next one or, unless they are to be distinct, its equal.
#[inline(always)]
fn ascend<W: Word>(words: &[W], distinct: bool) -> bool {
    let in_order = |pair: &[W]| pair[0] < pair[1] || !distinct && pair[0] == pair[1];
    words.windows(2).all(in_order)
}

#[inline(always)]
fn scan_all<W: Vectors, I: Isa, const DISTINCT: bool>(isa: I, words: &[W]) -> Scanned<W> {
    let count = I::Of::<W>::COUNT;
    let Some((_, behind)) = words.split_first() else {
        return Scanned {
            bits: W::ZERO,
            ascend: true,
        };
    };
    let vectors = words.chunks_exact(count).zip(behind.chunks_exact(count));
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
    let rest = &words[behind.len() / count * count..];
    let ascend = in_order & all == all && ascend(rest, DISTINCT);
    let mut line = [W::ZERO; LINE_BYTES / size_of::<u32>()];
    bits.store(&mut line);
    let bits = line.iter().chain(rest).fold(W::ZERO, |bits, &x| bits | x);
    Scanned { bits, ascend }
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
                            backend.scan(words, asked),
                            Scanned { bits, ascend },
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
    fn scans_are_those_of_all_pairs() {
        agree::<u32>();
        agree::<u64>();
        agree::<u128>();
    }
}
