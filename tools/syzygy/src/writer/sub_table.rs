//! One sub-table's parts of a file, from its symbols.

use rayon::prelude::*;

use super::blocks::{Blocks, span_bits, sparse_index};
use super::code::FinalCode;
use super::pairs::{Limits, frequencies, join};
use super::runs::settle;
use super::watch::{Step, Watch};
use crate::file::head::{MOST_SYMBOLS, SINGLE};

/// The parts of a sub-table.
#[derive(Debug)]
pub struct Parts {
    /// The head. Its first byte has the flags, to which those that the file's kind needs are added.
    pub head: Vec<u8>,
    /// The sparse index.
    pub index: Vec<u8>,
    /// The lengths of blocks.
    pub lengths: Vec<u8>,
    /// The blocks.
    pub data: Vec<u8>,
}

impl Parts {
    /// The parts of a sub-table in which all positions have one value.
    pub(crate) fn single(value: u8) -> Parts {
        Parts {
            head: vec![SINGLE, value],
            index: Vec::new(),
            lengths: Vec::new(),
            data: Vec::new(),
        }
    }

    /// How many bytes they take.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a head")]
    pub fn len(&self) -> usize {
        self.head.len() + self.index.len() + self.lengths.len() + self.data.len()
    }

    /// Compresses the provisional symbols of so many values, of which each leaf has one. A run that occurs less often than so many
    /// times is no symbol.
    pub(crate) fn compress(
        mut chunks: Vec<Vec<u16>>,
        leaves: &[u16],
        fewest_runs: u64,
        size: u64,
        largest_block: u8,
        watch: &Watch<'_>,
    ) -> Parts {
        let mut grammar = settle(&mut chunks, leaves, fewest_runs);
        let limits = Limits {
            symbols: MOST_SYMBOLS,
            fewest: 8,
            share: 128,
        };
        join(&mut chunks, &mut grammar, limits, &|symbols| {
            watch.step(Step::Symbols(symbols));
            !watch.stopped()
        });
        let code = FinalCode::new(&grammar, &frequencies(&chunks, grammar.symbols.len()));
        chunks.par_iter_mut().for_each(|chunk| {
            for symbol in chunk {
                *symbol = code.renumbered[usize::from(*symbol)];
            }
        });
        let blocks = Blocks::cut(&chunks, &code, size, largest_block);
        drop(chunks);
        let count = blocks.lengths.len();
        let span = span_bits(size, count as u64);
        let (index, padding) = sparse_index(&blocks.lengths, size, span);

        let mut head = vec![0, blocks.bits, span, padding];
        head.extend((count as u32).to_le_bytes());
        head.extend([code.longest, code.shortest]);
        for lowest in &code.lowest {
            head.extend(lowest.to_le_bytes());
        }
        head.extend((code.symbols.len() as u16).to_le_bytes());
        for &(x, y) in &code.symbols {
            head.extend([x as u8, (x >> 8 | (y & 15) << 4) as u8, (y >> 4) as u8]);
        }
        head.resize(head.len().next_multiple_of(2), 0);

        let padded = blocks
            .lengths
            .iter()
            .copied()
            .chain(std::iter::repeat_n(65536, usize::from(padding)));
        Parts {
            head,
            index,
            lengths: padded
                .flat_map(|length| ((length - 1) as u16).to_le_bytes())
                .collect(),
            data: blocks.data,
        }
    }
}

/// Pairs of an estimate.
const PAIRS: usize = 100;

/// How many bits provisional symbols take after some pairs are joined, dictionary aside. The estimate by which orders of
/// pieces are compared.
pub(crate) fn estimate(mut chunks: Vec<Vec<u16>>, leaves: &[u16], watch: &Watch<'_>) -> f64 {
    if leaves.is_empty() {
        return 0.0;
    }
    let mut grammar = settle(&mut chunks, leaves, 4);
    let limits = Limits {
        symbols: grammar.symbols.len() + PAIRS,
        fewest: 4,
        share: 128,
    };
    join(&mut chunks, &mut grammar, limits, &|_| !watch.stopped());
    let frequencies = frequencies(&chunks, grammar.symbols.len());
    let total: u64 = frequencies.iter().sum();
    let present = frequencies.iter().filter(|frequency| **frequency > 0);
    present
        .map(|&f| f as f64 * (total as f64 / f as f64).log2())
        .sum()
}
