//! From numbers at places to the parts of a sub-table.

use std::fmt;

use rayon::prelude::*;

use crate::file::head::MOST_SYMBOLS;
use crate::material::Material;
use crate::numbering::Numbering;
use crate::writer::CHUNK;
use crate::writer::gaps::{Style, close};
use crate::writer::orders::{self, Finalists, Sample};
use crate::writer::runs::{fewest_runs, runs};
use crate::writer::sub_table::Parts;
use crate::writer::watch::{Control, Interrupted, Step, Watch};

/// The bit of an open entry: any number may stand there that is not greater than the rest of it.
pub const AT_MOST: u16 = 1 << 15;
/// The entry where any number may stand.
pub const OPEN: u16 = u16::MAX;
/// The most numbers, each of which is a symbol.
pub const MOST_NUMBERS: usize = MOST_SYMBOLS;

/// Numbers of all positions with one side to move.
///
/// The encoder tries several orders of positions, so it asks for a place more than once, in any order, and from several
/// threads.
pub trait Entries: Sync {
    /// The material.
    fn material(&self) -> Material;

    /// How many numbers there are: all are less, and it is at most [`MOST_NUMBERS`].
    fn count(&self) -> usize;

    /// Writes the entries of consecutive places of a numbering, from `start` on: a number, or with [`AT_MOST`] that any
    /// number up to it may stand there.
    fn read(&self, numbering: &Numbering, start: u64, entries: &mut [u16]);
}

/// The best order of a side to move that was found.
#[derive(Clone, Debug)]
pub struct Order {
    numbering: Numbering,
    gaps: Gaps,
    rate: f64,
    finalists: Finalists,
}

/// How gaps are closed.
#[derive(Clone, Debug)]
struct Gaps {
    style: Style,
    /// By numbers, how many are more frequent.
    ranks: Vec<u16>,
    /// For each number the most frequent one that is not greater.
    preferred: Vec<u16>,
}

impl Gaps {
    fn new(counts: &[u64]) -> Gaps {
        let mut order: Vec<u16> = (0..counts.len() as u16).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(counts[usize::from(number)]));
        let mut ranks = vec![0; counts.len()];
        for (rank, &number) in order.iter().enumerate() {
            ranks[usize::from(number)] = rank as u16;
        }
        let mut best = 0;
        let preferred = (0..counts.len() as u16).map(|number| {
            if ranks[usize::from(number)] < ranks[usize::from(best)] {
                best = number;
            }
            best
        });
        Gaps {
            style: Style::FrequentFirst,
            preferred: preferred.collect(),
            ranks,
        }
    }

    /// Closes the gaps between some numbers, and makes symbols of them.
    fn symbols(&self, mut entries: Vec<u16>, style: Style) -> Vec<u16> {
        let last = self.ranks.len() - 1;
        close(
            &mut entries,
            |entry| (entry & AT_MOST != 0).then_some(entry & !AT_MOST),
            |number| self.ranks[usize::from(number)],
            |most| self.preferred[usize::from(most).min(last)],
            style,
        );
        runs(&entries)
    }
}

impl Order {
    /// The order of pieces.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// How many bits a place takes, by the estimate.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

/// An encoder of the sub-tables of a file, which the caller watches and may stop.
pub struct Encoder<'a>(Watch<'a>);

impl fmt::Debug for Encoder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl<'a> Encoder<'a> {
    /// An encoder of so many sub-tables.
    #[must_use]
    pub fn new(control: Control<'a>, sub_tables: usize) -> Encoder<'a> {
        Encoder(Watch::new(control, None, sub_tables))
    }

    fn read(
        &self,
        entries: &dyn Entries,
        numbering: &Numbering,
        start: u64,
        count: usize,
    ) -> Vec<u16> {
        let mut read = vec![OPEN; count];
        if !self.0.stopped() {
            entries.read(numbering, start, &mut read);
        }
        read
    }

    /// Looks for the order of pieces that compresses best. With pawns it is that of one file of the leading pawn, 0 to 3,
    /// and the order of the file before makes the search short.
    ///
    /// # Errors
    /// If the caller stops it.
    pub fn find_order(
        &self,
        entries: &dyn Entries,
        file: Option<u8>,
        before: Option<&Order>,
    ) -> Result<Order, Interrupted> {
        self.0.step(Step::Orders);
        let none = Finalists::default();
        let finalists = before.map_or(&none, |before| &before.finalists);
        let numberings = orders::candidates(entries.material(), file, finalists);
        let leaves: Vec<u16> = (0..entries.count() as u16).collect();
        let sample = Sample {
            stretches: 256,
            length: 512,
        };
        let mut counts = vec![0u64; leaves.len()];
        for (start, length) in sample.starts(numberings[0].len()) {
            let read = self.read(entries, &numberings[0], start, length);
            for entry in read.into_iter().filter(|entry| entry & AT_MOST == 0) {
                counts[usize::from(entry)] += 1;
            }
        }
        let mut gaps = Gaps::new(&counts);
        let symbols = |numbering: &Numbering, (start, length), style| {
            gaps.symbols(self.read(entries, numbering, start, length), style)
        };
        let styles = [Style::FrequentFirst, Style::RareFirst];
        let (found, style) = orders::find(numberings, finalists, &leaves, styles, &self.0, symbols);
        gaps.style = style;
        self.0.finish(Order {
            rate: found.rate(),
            numbering: found.numbering,
            finalists: found.finalists,
            gaps,
        })
    }

    /// The parts of a sub-table in an order. Its blocks have at most two to the power of `largest` bytes, 5 to 10: small ones
    /// are quick to probe, and take more room.
    ///
    /// # Errors
    /// If the caller stops it.
    ///
    /// # Panics
    /// If the largest block is not of 2⁵ to 2¹⁰ bytes.
    pub fn encode(
        &self,
        entries: &dyn Entries,
        order: &Order,
        largest: u8,
    ) -> Result<Parts, Interrupted> {
        assert!((5..=10).contains(&largest), "blocks of 2^{largest} bytes");
        self.0.step(Step::Values);
        if entries.count() == 1 {
            self.0.sub_table_done();
            return Ok(Parts::single(0));
        }
        let size = order.numbering.len();
        let starts: Vec<u64> = (0..size).step_by(CHUNK).collect();
        let chunks = starts.into_par_iter().map(|start| {
            let count = (size - start).min(CHUNK as u64) as usize;
            let read = self.read(entries, &order.numbering, start, count);
            order.gaps.symbols(read, order.gaps.style)
        });
        let chunks: Vec<Vec<u16>> = chunks.collect();
        let leaves: Vec<u16> = (0..entries.count() as u16).collect();
        let fewest = fewest_runs(&chunks);
        let parts = Parts::compress(chunks, &leaves, fewest, size, largest, &self.0);
        self.0.sub_table_done();
        self.0.finish(parts)
    }
}
