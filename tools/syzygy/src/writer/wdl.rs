//! The sub-tables of a WDL file.

use cozy_chess::Color;
use rayon::prelude::*;

use super::CHUNK;
use super::gaps::{Preference, Style, close_wdl};
use super::orders::{self, Finalists};
use super::runs::runs;
use super::source::{Source, WdlEntry, numbers, of_numbers};
use super::sub_table::Parts;
use super::watch::{Step, Watch};
use crate::kind::Kind;
use crate::numbering::Numbering;

/// The largest blocks that are tried: small ones are quick to probe.
const LARGEST_BLOCK: u8 = 6;
/// The values of leaves.
const LEAVES: [u16; 5] = [0, 1, 2, 3, 4];
/// The fewest runs for which there is a symbol.
const FEWEST_RUNS: u64 = 8;

/// Puts codes in place of numbers.
fn encode(numbers: &mut [u8], codes: &[u8; 256]) {
    if (codes.iter().enumerate()).all(|(number, &code)| usize::from(code) == number.min(8)) {
        numbers
            .iter_mut()
            .for_each(|number| *number = (*number).min(8));
        return;
    }
    for number in numbers {
        *number = codes[usize::from(*number)];
    }
}

/// The values from the most frequent to the rarest.
fn preference(of_numbers: &[u64; 256], codes: &[u8; 256]) -> Preference {
    let mut counts = [0; 9];
    for (&code, count) in codes.iter().zip(of_numbers) {
        counts[usize::from(code)] += count;
    }
    let mut values = [0, 1, 2, 3, 4];
    values.sort_by_key(|&value| std::cmp::Reverse(counts[usize::from(value)]));
    values
}

/// A sub-table in the best order that is found. If there are finalists, those of the file before, only they are tried;
/// and the new ones take their place.
pub(crate) fn sub_table(
    source: &dyn Source,
    watch: &Watch<'_>,
    side: Color,
    file: Option<u8>,
    finalists: &mut Finalists,
) -> (Numbering, Parts) {
    watch.step(Step::Orders);
    let numberings = orders::candidates(source.material(), file, finalists);
    let codes = of_numbers(source.outcomes(side), WdlEntry::ANY).map(|entry| entry.0);
    let of = (Kind::Wdl, side);
    let preference = preference(&source.counts(Kind::Wdl, side, file), &codes);
    let styles = [Style::FrequentFirst, Style::RareFirst];
    let symbols = |numbering: &Numbering, (start, length), style| {
        let mut numbers = numbers(source, watch, of, numbering, start, length);
        encode(&mut numbers, &codes);
        close_wdl(&mut numbers, preference, style);
        runs(&numbers)
    };
    let (found, style) = orders::find(numberings, finalists, &LEAVES, styles, watch, symbols);
    *finalists = found.finalists;
    let tried = found.close.into_iter().map(|numbering| {
        let parts = compress(source, watch, (side, &codes), &numbering, preference, style);
        (numbering, parts)
    });
    let smallest = tried.min_by_key(|(_, parts)| parts.len());
    smallest.expect("the best order at least")
}

fn compress(
    source: &dyn Source,
    watch: &Watch<'_>,
    (side, codes): (Color, &[u8; 256]),
    numbering: &Numbering,
    preference: Preference,
    style: Style,
) -> Parts {
    watch.step(Step::Values);
    let size = numbering.len();
    let of = (Kind::Wdl, side);
    let mut all = numbers(source, watch, of, numbering, 0, size as usize);
    let (chunks, seen): (Vec<Vec<u16>>, Vec<u16>) = (all.par_chunks_mut(CHUNK))
        .map(|numbers| {
            encode(numbers, codes);
            let seen = numbers.iter().fold(0u16, |seen, &code| seen | 1 << code);
            close_wdl(numbers, preference, style);
            (runs(numbers), seen)
        })
        .unzip();
    drop(all);
    let seen = seen.into_iter().fold(0, |all, seen| all | seen);
    if let Some(value) = single_value(seen) {
        return Parts::single(value);
    }
    Parts::compress(chunks, &LEAVES, FEWEST_RUNS, size, LARGEST_BLOCK, watch)
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
