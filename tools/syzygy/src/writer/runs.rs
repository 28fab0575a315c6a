//! From values to the first symbols: runs of a power of two of like values.
//!
//! Pairing would find these first. Found at once, they save it the long passes.

use super::pairs::{Grammar, frequencies};
use super::stretches::for_each_run;

/// Runs of 1, 2, 4, … 256 values.
const LEVELS: usize = 9;

/// A value and a level, numbered together.
fn provisional(value: u16, level: usize) -> u16 {
    value * LEVELS as u16 + level as u16
}

/// The runs of some values as provisional symbols.
pub(crate) fn runs<V: Copy + Eq + Into<u16>>(values: &[V]) -> Vec<u16> {
    let mut out = Vec::new();
    for_each_run(values, |value, mut len| {
        let value = value.into();
        let longest = provisional(value, LEVELS - 1);
        out.extend(std::iter::repeat_n(longest, len >> (LEVELS - 1)));
        len &= (1 << (LEVELS - 1)) - 1;
        while len != 0 {
            let level = len.ilog2();
            out.push(provisional(value, level as usize));
            len ^= 1 << level;
        }
    });
    out.shrink_to_fit();
    out
}

/// The fewest runs for which there is a symbol, where small files matter more than quick probes.
pub(crate) fn fewest_runs(chunks: &[Vec<u16>]) -> u64 {
    let total: usize = chunks.iter().map(Vec::len).sum();
    (total as u64 >> 14).max(8)
}

/// Replaces provisional symbols by those of a grammar, which has the values as leaves and the runs that occur often
/// enough. A leaf for value v says `leaves[v]`.
pub(crate) fn settle(chunks: &mut [Vec<u16>], leaves: &[u16], fewest: u64) -> Grammar {
    use rayon::prelude::*;
    let count = leaves.len() * LEVELS;
    let counts = frequencies(chunks, count);
    let mut grammar = Grammar::new(leaves);
    // For each provisional symbol the symbol, and how often it stands there.
    let mut settled = vec![(0u16, 1u16); count];
    for value in 0..leaves.len() {
        let own = &counts[value * LEVELS..(value + 1) * LEVELS];
        let mut below = value as u16;
        let mut kept = true;
        settled[value * LEVELS] = (below, 1);
        for level in 1..LEVELS {
            // How often pairing would have made it.
            let made: u64 = (level..LEVELS).map(|l| own[l] << (l - level)).sum();
            kept &= made >= fewest && grammar.has_room();
            settled[value * LEVELS + level] = if kept {
                below = grammar.add(below, below);
                (below, 1)
            } else {
                let (symbol, times) = settled[value * LEVELS + level - 1];
                (symbol, 2 * times)
            };
        }
    }
    let in_place = settled.iter().all(|&(_, times)| times == 1);
    chunks.par_iter_mut().for_each(|chunk| {
        if in_place {
            for symbol in chunk {
                *symbol = settled[usize::from(*symbol)].0;
            }
        } else {
            *chunk = chunk
                .iter()
                .flat_map(|&symbol| {
                    let (symbol, times) = settled[usize::from(symbol)];
                    std::iter::repeat_n(symbol, usize::from(times))
                })
                .collect();
        }
    });
    grammar
}
