//! The sub-tables of a WDL file.

use cozy_chess::Color;
use rayon::prelude::*;

use super::CHUNK;
use super::gaps::{Preference, Style, close_wdl};
use super::layout::{Laid, Layout};
use super::orders::{self, Sample};
use super::runs::{append_runs, settle};
use super::source::{Source, WdlEntry, of_numbers};
use super::sub_table::{Parts, estimate};
use super::watch::{Step, Watch};
use crate::numbering::Numbering;

/// The largest blocks that are tried: small ones are quick to probe.
const LARGEST_BLOCK: u8 = 6;
/// Pairs of an estimate.
const PAIRS: usize = 100;
/// The fewest runs for which there is a symbol.
const FEWEST_RUNS: u64 = 8;

/// The entries of a side: what the writer calls them, by their numbers.
struct Side<'a> {
    watch: &'a Watch<'a>,
    codes: [u8; 256],
    laid: Laid,
}

impl<'a> Side<'a> {
    fn new(source: &dyn Source, watch: &'a Watch<'a>, side: Color, layout: Layout) -> Side<'a> {
        let codes = of_numbers(source.outcomes(side), WdlEntry::ANY).map(WdlEntry::code);
        let laid = Laid::new(layout, |layout, numbers| {
            if !watch.stopped() {
                source.wdl(side, layout, numbers);
            }
        });
        Side { watch, codes, laid }
    }

    /// The codes of consecutive places.
    fn codes(&self, numbering: &Numbering, start: u64, count: usize) -> Vec<u8> {
        let mut codes = vec![0; count];
        if !self.watch.stopped() {
            self.laid.fill(numbering, start, &mut codes);
        }
        for code in &mut codes {
            *code = self.codes[usize::from(*code)];
        }
        codes
    }

    /// The values from the most frequent to the rarest.
    fn preference(&self) -> Preference {
        let mut counts = [0; 9];
        for (&code, count) in self.codes.iter().zip(self.laid.counts()) {
            counts[usize::from(code)] += count;
        }
        let mut values = [0, 1, 2, 3, 4];
        values.sort_by_key(|&value| std::cmp::Reverse(counts[usize::from(value)]));
        values
    }
}

/// A sub-table in the best order that is found. If there are finalists, those of the file before, only they are tried;
/// and the new ones take their place.
pub(crate) fn sub_table(
    source: &dyn Source,
    watch: &Watch<'_>,
    side: Color,
    file: Option<u8>,
    finalists: &mut Vec<Numbering>,
) -> (Numbering, Parts) {
    watch.step(Step::Orders);
    let numberings = orders::candidates(source.material(), file, finalists);
    let any = Side::new(source, watch, side, Layout::any(source.material(), file));
    let preference = any.preference();
    let bits = |numbering: &Numbering, sample: Sample, style: Style| {
        let mut chunks: Vec<Vec<u16>> = sample
            .starts(numbering.len())
            .into_iter()
            .map(|(start, length)| {
                let mut codes = any.codes(numbering, start, length);
                close_wdl(&mut codes, preference, style);
                let mut symbols = Vec::new();
                append_runs(&codes, &mut symbols);
                symbols
            })
            .collect();
        let grammar = settle(&mut chunks, &[0, 1, 2, 3, 4], 4);
        estimate(chunks, grammar, PAIRS, watch)
    };
    let found = orders::best(numberings, |numbering, sample| {
        bits(numbering, sample, Style::FrequentFirst)
    });
    let numbering = found.numbering;
    let style = if bits(&numbering, found.sample, Style::RareFirst) < found.bits {
        Style::RareFirst
    } else {
        Style::FrequentFirst
    };
    *finalists = found.finalists;
    drop(any);
    let tried = found.close.into_iter().map(|numbering| {
        let parts = compress(source, watch, side, &numbering, preference, style);
        (numbering, parts)
    });
    let smallest = tried.min_by_key(|(_, parts)| parts.len());
    smallest.expect("the best order at least")
}

fn compress(
    source: &dyn Source,
    watch: &Watch<'_>,
    side: Color,
    numbering: &Numbering,
    preference: Preference,
    style: Style,
) -> Parts {
    watch.step(Step::Values);
    let all = Side::new(source, watch, side, Layout::of(numbering));
    let size = numbering.len();
    let starts: Vec<u64> = (0..size).step_by(CHUNK).collect();
    let (mut chunks, seen): (Vec<Vec<u16>>, Vec<u16>) = starts
        .into_par_iter()
        .map(|start| {
            let count = (size - start).min(CHUNK as u64) as usize;
            let mut codes = all.codes(numbering, start, count);
            let seen = codes.iter().fold(0u16, |seen, &code| seen | 1 << code);
            close_wdl(&mut codes, preference, style);
            let mut symbols = Vec::new();
            append_runs(&codes, &mut symbols);
            symbols.shrink_to_fit();
            (symbols, seen)
        })
        .unzip();
    drop(all);
    let seen = seen.into_iter().fold(0, |all, seen| all | seen);
    if let Some(value) = single_value(seen) {
        return Parts::single(value);
    }
    let grammar = settle(&mut chunks, &[0, 1, 2, 3, 4], FEWEST_RUNS);
    Parts::compress(chunks, grammar, size, LARGEST_BLOCK, watch)
}

/// A value that all positions may have, by the codes that occur.
fn single_value(seen: u16) -> Option<u8> {
    (0..=4).rev().find(|&value| {
        // The value itself, and the choices that reach up to it.
        let allowed = (5..=8).filter(|&code| code - 4 >= value);
        let mask = allowed.fold(1u16 << value, |mask, code| mask | 1 << code);
        seen & !mask == 0
    })
}
