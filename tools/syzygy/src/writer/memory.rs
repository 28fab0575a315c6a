//! A source that has all entries in memory.

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use super::CHUNK;
use super::orders;
use super::source::{DtzEntry, Source, WdlEntry};
use crate::kind::Kind;
use crate::material::{MOST_PIECES, Material};
use crate::numbering::{Numbering, PackedSquares, leading_file, square_of};

/// The entries of one side to move, by file of the leading pawn.
#[derive(Debug, Default)]
struct Side {
    wdl: Vec<Vec<WdlEntry>>,
    dtz: Vec<Vec<DtzEntry>>,
}

/// A source for generators that can say the value of one position at a time: each place of a numbering is asked for once, and
/// then kept in three bytes.
///
/// A table of five pieces without pawns takes 0.7 GB so.
#[derive(Debug)]
pub struct MemorySource {
    material: Material,
    /// One for each file of the leading pawn.
    numberings: Vec<Numbering>,
    sides: [Side; 2],
    distances: [Vec<DtzEntry>; 2],
}

/// More than 256 different entries of a DTZ file for a side to move, [`DtzEntry::ANY`] among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} different entries of distances for a side to move: expected 256 at most")]
pub struct TooManyDistances(usize);

impl MemorySource {
    /// The source whose entries a function gives. It is called for every side to move and position that a file may have a
    /// place for, from several threads; many of these positions are illegal.
    ///
    /// # Errors
    /// If there are more than 256 different entries of a DTZ file for a side to move, [`DtzEntry::ANY`] among them.
    pub fn try_new(
        material: Material,
        entries: impl Fn(Color, PackedSquares) -> (WdlEntry, DtzEntry) + Sync,
    ) -> Result<MemorySource, TooManyDistances> {
        let files = material.leading_files().into_iter();
        let numberings = files.map(|file| orders::all(material, file).swap_remove(0));
        let numberings: Vec<Numbering> = numberings.collect();
        let side = |color| {
            let mut side = Side::default();
            if material.is_symmetric() && color == Color::Black {
                return side;
            }
            for numbering in &numberings {
                let size = numbering.len() as usize;
                let mut wdl = vec![WdlEntry::ANY; size];
                let mut dtz = vec![DtzEntry::ANY; size];
                let parts = wdl.par_chunks_mut(CHUNK).zip(dtz.par_chunks_mut(CHUNK));
                parts.enumerate().for_each(|(i, (wdl, dtz))| {
                    let positions = numbering.positions((i * CHUNK) as u64);
                    for ((position, wdl), dtz) in positions.zip(wdl).zip(dtz) {
                        (*wdl, *dtz) = entries(color, position);
                    }
                });
                side.wdl.push(wdl);
                side.dtz.push(dtz);
            }
            side
        };
        let sides = [Color::White, Color::Black].map(side);
        let distances = sides.each_ref().map(distances);
        if let Some(many) = distances.iter().find(|list| list.len() > 256) {
            return Err(TooManyDistances(many.len()));
        }
        Ok(MemorySource {
            material,
            numberings,
            sides,
            distances,
        })
    }

    /// The file and the place of a position.
    fn place(&self, position: PackedSquares) -> (usize, usize) {
        let mut file = 0;
        if let Some(color) = self.material.leading_color() {
            let mut pawns = [0; MOST_PIECES];
            let mut count = 0;
            for (slot, piece) in self.material.pieces().enumerate() {
                if piece.piece() == Piece::Pawn && piece.color() == color {
                    pawns[count] = square_of(position, slot);
                    count += 1;
                }
            }
            file = usize::from(leading_file(&pawns[..count]));
        }
        let numbering = &self.numberings[file];
        (file, numbering.index_of_position(position) as usize)
    }

    /// The entry of a WDL file for a position.
    ///
    /// # Panics
    /// If the position has no place: two pieces share a square, a pawn is on the first or the last rank, or touching kings
    /// lead. (The entry of another position may be returned instead.)
    #[must_use]
    pub fn wdl_of(&self, side: Color, position: PackedSquares) -> WdlEntry {
        let (file, place) = self.place(position);
        let all = self.sides[side as usize].wdl.get(file);
        all.map_or(WdlEntry::ANY, |all| all[place])
    }

    /// The entry of a DTZ file for a position.
    ///
    /// # Panics
    /// If the position has no place: two pieces share a square, a pawn is on the first or the last rank, or touching kings
    /// lead. (The entry of another position may be returned instead.)
    #[must_use]
    pub fn dtz_of(&self, side: Color, position: PackedSquares) -> DtzEntry {
        let (file, place) = self.place(position);
        let all = self.sides[side as usize].dtz.get(file);
        all.map_or(DtzEntry::ANY, |all| all[place])
    }

    /// The number of a distance in the list of a side.
    fn number(&self, side: Color, entry: DtzEntry) -> u8 {
        let list = &self.distances[side as usize];
        let found = list.binary_search_by_key(&entry.0, |entry| entry.0);
        found.unwrap_or(0) as u8
    }
}

/// The different entries of a side, in order.
fn distances(side: &Side) -> Vec<DtzEntry> {
    let mut seen = vec![false; 1 << 16];
    seen[usize::from(DtzEntry::ANY.0)] = true;
    for &entry in side.dtz.iter().flatten() {
        seen[usize::from(entry.0)] = true;
    }
    let bits = (0..=u16::MAX).filter(|&bits| seen[usize::from(bits)]);
    bits.map(DtzEntry).collect()
}

impl Source for MemorySource {
    fn material(&self) -> Material {
        self.material
    }

    fn read(&self, kind: Kind, side: Color, numbering: &Numbering, start: u64, numbers: &mut [u8]) {
        let chunks = numbers.par_chunks_mut(CHUNK).enumerate();
        chunks.for_each(|(i, numbers)| {
            let positions = numbering.positions(start + (i * CHUNK) as u64);
            for (position, number) in positions.zip(numbers) {
                *number = match kind {
                    Kind::Wdl => self.wdl_of(side, position).0,
                    Kind::Dtz => self.number(side, self.dtz_of(side, position)),
                };
            }
        });
    }

    fn counts(&self, kind: Kind, side: Color, file: Option<u8>) -> [u64; 256] {
        let file = usize::from(file.unwrap_or(0));
        let own = &self.sides[side as usize];
        let mut counts = [0; 256];
        let mut count = |number: u8| counts[usize::from(number)] += 1;
        match kind {
            Kind::Wdl => (own.wdl[file].iter()).for_each(|entry| count(entry.0)),
            Kind::Dtz => (own.dtz[file].iter()).for_each(|&entry| count(self.number(side, entry))),
        }
        counts
    }

    fn outcomes(&self, _: Color) -> Vec<WdlEntry> {
        (0..=8).map(WdlEntry).collect()
    }

    fn distances(&self, side: Color) -> Vec<DtzEntry> {
        self.distances[side as usize].clone()
    }
}
