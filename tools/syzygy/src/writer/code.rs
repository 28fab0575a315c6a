//! The canonical Huffman code of symbols, and their final numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::Grammar;
use crate::file::head::{LEAF, LONGEST_CODE, Symbol};

/// The symbols of a sub-table in their final order: the longest codes first, and those without a code last.
#[derive(Debug)]
pub(crate) struct FinalCode {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) values: Vec<u16>,
    /// The length of each symbol's code, 0 for none.
    pub(crate) bits: Vec<u8>,
    /// The codes, right-aligned.
    pub(crate) codes: Vec<u32>,
    pub(crate) longest: u8,
    pub(crate) shortest: u8,
    /// For each length from the shortest on, the lowest symbol.
    pub(crate) lowest: Vec<u16>,
    /// The final number of each symbol of the grammar.
    pub(crate) renumbered: Vec<u16>,
}

/// The number of bits of each symbol's code, 0 for those that do not occur.
pub(crate) fn lengths(frequencies: &[u64]) -> Vec<u8> {
    let mut frequencies = frequencies.to_vec();
    loop {
        let lengths = huffman(&frequencies);
        if lengths.iter().all(|&length| length <= LONGEST_CODE) {
            return lengths;
        }
        // Rare symbols are made out to be more frequent.
        for frequency in frequencies.iter_mut().filter(|f| **f > 0) {
            *frequency = *frequency / 2 + 1;
        }
    }
}

fn huffman(frequencies: &[u64]) -> Vec<u8> {
    let mut lengths = vec![0; frequencies.len()];
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (frequencies.iter().enumerate())
        .filter(|(_, frequency)| **frequency > 0)
        .map(|(symbol, &frequency)| Reverse((frequency, symbol)))
        .collect();
    if heap.len() == 1 {
        let Some(Reverse((_, symbol))) = heap.pop() else {
            return lengths;
        };
        lengths[symbol] = 1;
        return lengths;
    }
    // Inner nodes are numbered after the symbols.
    let mut parents = vec![usize::MAX; frequencies.len()];
    while let (Some(Reverse(a)), Some(Reverse(b))) = (heap.pop(), heap.pop()) {
        let node = parents.len();
        parents.push(usize::MAX);
        parents[a.1] = node;
        parents[b.1] = node;
        if heap.is_empty() {
            break;
        }
        heap.push(Reverse((a.0 + b.0, node)));
    }
    let mut depth = vec![0u8; parents.len()];
    for node in (0..parents.len()).rev() {
        if parents[node] != usize::MAX {
            depth[node] = depth[parents[node]].saturating_add(1);
        }
    }
    lengths.copy_from_slice(&depth[..frequencies.len()]);
    lengths
}

impl FinalCode {
    /// The code for symbols of these frequencies. Symbols that do not occur at all are left out.
    pub(crate) fn new(grammar: &Grammar, frequencies: &[u64]) -> FinalCode {
        let lengths = lengths(frequencies);
        let mut needed: Vec<bool> = frequencies.iter().map(|&frequency| frequency > 0).collect();
        for symbol in (0..needed.len()).rev() {
            let (x, y) = grammar.symbols[symbol];
            if needed[symbol] && y != LEAF {
                needed[usize::from(x)] = true;
                needed[usize::from(y)] = true;
            }
        }
        let mut order: Vec<usize> = (0..needed.len()).filter(|&symbol| needed[symbol]).collect();
        order.sort_by_key(|&symbol| (Reverse(lengths[symbol]), frequencies[symbol], symbol));
        let mut renumbered = vec![LEAF; needed.len()];
        for (number, &symbol) in order.iter().enumerate() {
            renumbered[symbol] = number as u16;
        }
        let symbols = order.iter().map(|&symbol| match grammar.symbols[symbol] {
            (value, LEAF) => (value, LEAF),
            (x, y) => (renumbered[usize::from(x)], renumbered[usize::from(y)]),
        });
        let bits: Vec<u8> = order.iter().map(|&symbol| lengths[symbol]).collect();
        let coded = || bits.iter().copied().filter(|&bits| bits > 0);
        let longest = coded().max().unwrap_or(1);
        let shortest = coded().min().unwrap_or(1);
        let lowest: Vec<u16> = (shortest..=longest)
            .map(|length| bits.iter().filter(|&&bits| bits > length).count() as u16)
            .collect();
        // The lowest code of each length.
        let mut base = vec![0u64; lowest.len()];
        for i in (0..lowest.len() - 1).rev() {
            base[i] = (base[i + 1] + u64::from(lowest[i] - lowest[i + 1])) / 2;
        }
        let codes = bits.iter().enumerate().map(|(number, &bits)| match bits {
            0 => 0,
            _ => {
                let i = usize::from(bits - shortest);
                (base[i] + number as u64 - u64::from(lowest[i])) as u32
            }
        });
        FinalCode {
            symbols: symbols.collect(),
            values: order.iter().map(|&symbol| grammar.values[symbol]).collect(),
            codes: codes.collect(),
            longest,
            shortest,
            lowest,
            renumbered,
            bits,
        }
    }
}
