//! The entries of a sub-table as a source lays them out, from which those of any order of places are fetched.

use cozy_chess::Color;
use rayon::prelude::*;

use super::CHUNK;
use super::layout::Layout;
use super::source::Source;
use super::watch::Watch;
use crate::kind::Kind;
use crate::numbering::constants::{IMAGES, TRIANGLE, TURNS};
use crate::numbering::{Numbering, PositionRow, square_of};

/// The numbers of a sub-table's entries in a layout.
pub(crate) struct Laid<'a> {
    watch: &'a Watch<'a>,
    layout: Layout,
    entries: Vec<u8>,
    /// Whether a piece, by its place in the name, is a leading one.
    leads: [bool; 8],
}

impl<'a> Laid<'a> {
    /// The numbers that a source has for a kind of file, unless the work is stopped.
    pub(crate) fn new(
        source: &dyn Source,
        (kind, side): (Kind, Color),
        layout: Layout,
        watch: &'a Watch<'a>,
    ) -> Laid<'a> {
        let mut entries = vec![0; layout.size() as usize];
        if !watch.stopped() {
            match kind {
                Kind::Wdl => source.wdl(side, &layout, &mut entries),
                Kind::Dtz => source.dtz(side, &layout, &mut entries),
            }
        }
        let mut leads = [false; 8];
        for &piece in layout.leading() {
            leads[usize::from(piece)] = true;
        }
        Laid {
            watch,
            layout,
            entries,
            leads,
        }
    }

    /// The numbers of consecutive places of a numbering; if the work is stopped, any.
    pub(crate) fn numbers(&self, numbering: &Numbering, first: u64, count: usize) -> Vec<u8> {
        let mut numbers = vec![0; count];
        if !self.watch.stopped() {
            self.fill(numbering, first, &mut numbers);
        }
        numbers
    }

    /// How many entries have each number.
    pub(crate) fn counts(&self) -> [u64; 256] {
        let count = |entries: &[u8]| {
            let mut counts = [0u64; 256];
            let words = entries.chunks_exact(8);
            words
                .remainder()
                .iter()
                .for_each(|&entry| counts[usize::from(entry)] += 1);
            for word in words {
                // Mostly eight are alike.
                if word.iter().all(|&entry| entry == word[0]) {
                    counts[usize::from(word[0])] += 8;
                } else {
                    word.iter()
                        .for_each(|&entry| counts[usize::from(entry)] += 1);
                }
            }
            counts
        };
        let add = |mut a: [u64; 256], b: [u64; 256]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let chunks = self.entries.par_chunks(CHUNK);
        chunks.map(count).reduce(|| [0; 256], add)
    }

    /// Writes the entries of consecutive places of a numbering.
    fn fill(&self, numbering: &Numbering, first: u64, mut out: &mut [u8]) {
        let mut positions = numbering.positions(first);
        while let Some((row, number)) = positions.next_row(out.len()) {
            let (own, rest) = out.split_at_mut(row.squares.len());
            self.row(row, number, own);
            out = rest;
        }
    }

    /// Writes the entries of a row. With pawns, `number` is that of the leading ones in its first position.
    #[inline]
    fn row(&self, row: PositionRow<'_>, number: u64, out: &mut [u8]) {
        let by_lead = 6 * self.layout.digits().len() as u32;
        let shift = self.layout.shifts[row.moving];
        let (mut base, images) = match self.layout.leading_file() {
            Some(_) => ((number as usize) << by_lead, &IMAGES[0]),
            None => {
                let lead = usize::from(self.layout.leading()[0]);
                if lead == row.moving {
                    for (position, out) in row.positions().zip(out) {
                        *out = self.entries[self.layout.slot(position) as usize];
                    }
                    return;
                }
                let square = usize::from(square_of(row.others, lead) & 63);
                let images = &IMAGES[usize::from(TURNS[square])];
                let number = TRIANGLE[usize::from(images[square] & 63)];
                (usize::from(number) << by_lead, images)
            }
        };
        for piece in 0..self.layout.material().len() {
            if piece != row.moving && !self.leads[piece & 7] {
                let image = images[usize::from(square_of(row.others, piece) & 63)];
                base |= usize::from(image) << self.layout.shifts[piece & 7];
            }
        }
        if self.leads[row.moving] {
            // A pawn goes up its file.
            for (step, out) in out.iter_mut().enumerate() {
                *out = self.entries[base + (step << by_lead)];
            }
        } else if shift == 0 {
            let line: &[u8; 64] = self.entries[base..base + 64].try_into().expect("a line");
            for (&square, out) in row.squares.iter().zip(out) {
                *out = line[usize::from(images[usize::from(square & 63)] & 63)];
            }
        } else {
            for (&square, out) in row.squares.iter().zip(out) {
                *out = self.entries[base | usize::from(images[usize::from(square & 63)]) << shift];
            }
        }
    }
}
