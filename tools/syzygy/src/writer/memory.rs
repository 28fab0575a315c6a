//! A source that has all entries in memory.

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use super::CHUNK;
use super::layout::Layout;
use super::source::{DtzEntry, Source, WdlEntry};
use crate::material::{ColoredPiece, MOST_PIECES, Material};
use crate::numbering::{PackedSquares, leading_file, square_of};

/// The entries of one side to move, by file of the leading pawn.
#[derive(Debug, Default)]
struct Side {
    wdl: Vec<Vec<WdlEntry>>,
    dtz: Vec<Vec<DtzEntry>>,
}

/// A source for generators that can say the value of one position at a time: each slot of a layout is asked for once, and then
/// kept in three bytes.
///
/// A table of five pieces without pawns takes a gigabyte so.
#[derive(Debug)]
pub struct MemorySource {
    material: Material,
    /// One for each file of the leading pawn.
    layouts: Vec<Layout>,
    sides: [Side; 2],
    distances: [Vec<DtzEntry>; 2],
}

/// More than 256 different entries of a DTZ file for a side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} different entries of distances for a side to move: expected 256 at most")]
pub struct TooManyDistances(usize);

impl MemorySource {
    /// The source whose entries a function gives. It is called for every side to move and position that a file may have a
    /// place for, from several threads; many of these positions are illegal.
    ///
    /// # Errors
    /// If there are more than 256 different entries of a DTZ file for a side to move.
    pub fn try_new(
        material: Material,
        entries: impl Fn(Color, PackedSquares) -> (WdlEntry, DtzEntry) + Sync,
    ) -> Result<MemorySource, TooManyDistances> {
        let layouts: Vec<Layout> = Layout::any_of_each_file(material).collect();
        let pieces: Vec<Piece> = material.pieces().map(ColoredPiece::piece).collect();
        let has_place = |position: PackedSquares| {
            let mut taken = 0u64;
            pieces.iter().enumerate().all(|(k, &piece)| {
                let square = square_of(position, k);
                let free = taken >> square & 1 == 0;
                taken |= 1 << square;
                free && (piece != Piece::Pawn || (8..56).contains(&square))
            })
        };
        let side = |color| {
            let mut side = Side::default();
            if material.is_symmetric() && color == Color::Black {
                return side;
            }
            for layout in &layouts {
                let size = layout.size() as usize;
                let mut wdl = vec![WdlEntry::ANY; size];
                let mut dtz = vec![DtzEntry::ANY; size];
                let parts = wdl.par_chunks_mut(CHUNK).zip(dtz.par_chunks_mut(CHUNK));
                parts.enumerate().for_each(|(i, (wdl, dtz))| {
                    let slots = (i * CHUNK) as u64..;
                    for ((slot, wdl), dtz) in slots.zip(wdl).zip(dtz) {
                        let position = layout.position(slot);
                        if has_place(position) {
                            (*wdl, *dtz) = entries(color, position);
                        }
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
            layouts,
            sides,
            distances,
        })
    }

    /// The own layout for the file of another, with its number.
    fn layouts_of(&self, other: &Layout) -> (usize, &Layout) {
        let file = usize::from(other.leading_file().unwrap_or(0));
        (file, &self.layouts[file])
    }

    /// The file and the slot of a position.
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
        (file, self.layouts[file].slot(position) as usize)
    }

    /// The entry of a WDL file for a position. With pawns, the leading one is on the files a to d.
    ///
    /// # Panics
    /// If a leading pawn is elsewhere, or on the first or the last rank.
    #[must_use]
    pub fn wdl_of(&self, side: Color, position: PackedSquares) -> WdlEntry {
        let (file, slot) = self.place(position);
        let all = self.sides[side as usize].wdl.get(file);
        all.map_or(WdlEntry::ANY, |all| all[slot])
    }

    /// The entry of a DTZ file for a position. With pawns, the leading one is on the files a to d.
    ///
    /// # Panics
    /// If a leading pawn is elsewhere, or on the first or the last rank.
    #[must_use]
    pub fn dtz_of(&self, side: Color, position: PackedSquares) -> DtzEntry {
        let (file, slot) = self.place(position);
        let all = self.sides[side as usize].dtz.get(file);
        all.map_or(DtzEntry::ANY, |all| all[slot])
    }
}

/// The different entries of a side, in order.
fn distances(side: &Side) -> Vec<DtzEntry> {
    let mut seen = vec![false; 1 << 16];
    for &entry in side.dtz.iter().flatten() {
        seen[usize::from(entry.bits())] = true;
    }
    let bits = (0..=u16::MAX).filter(|&bits| seen[usize::from(bits)]);
    bits.map(DtzEntry::from_bits).collect()
}

/// Writes what a function makes of each slot's position.
fn write(layout: &Layout, out: &mut [u8], entry: impl Fn(PackedSquares) -> u8 + Sync) {
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(i, out)| {
        for (slot, out) in ((i * CHUNK) as u64..).zip(out) {
            *out = entry(layout.position(slot));
        }
    });
}

impl Source for MemorySource {
    fn material(&self) -> Material {
        self.material
    }

    fn wdl(&self, side: Color, layout: &Layout, numbers: &mut [u8]) {
        let own = self.layouts_of(layout);
        let all = &self.sides[side as usize].wdl[own.0];
        write(layout, numbers, |position| {
            all[own.1.slot(position) as usize].code()
        });
    }

    fn dtz(&self, side: Color, layout: &Layout, numbers: &mut [u8]) {
        let own = self.layouts_of(layout);
        let all = &self.sides[side as usize].dtz[own.0];
        let list = &self.distances[side as usize];
        write(layout, numbers, |position| {
            let bits = all[own.1.slot(position) as usize].bits();
            let found = list.binary_search_by_key(&bits, |entry| entry.bits());
            found.unwrap_or(0) as u8
        });
    }

    fn outcomes(&self, _: Color) -> Vec<WdlEntry> {
        WdlEntry::all().collect()
    }

    fn distances(&self, side: Color) -> Vec<DtzEntry> {
        self.distances[side as usize].clone()
    }
}
