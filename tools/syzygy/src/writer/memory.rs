//! A source that has all entries in memory.

use cozy_chess::{Color, Piece};
use rayon::prelude::*;

use super::orders;
use super::source::{DtzEntry, Source, WdlEntry};
use crate::material::{MOST_PIECES, Material};
use crate::numbering::{Numbering, PackedSquares, PositionRow, leading_file, square_of};

/// How many entries a thread computes at a time.
const CHUNK: usize = 1 << 14;

/// The entries of one side to move.
#[derive(Debug, Default)]
struct Side {
    /// By file of the leading pawn.
    wdl: Vec<Vec<WdlEntry>>,
    dtz: Vec<Vec<DtzEntry>>,
}

/// A source for generators that can say the value of one position at a time: each is asked for once, and then kept in
/// three bytes.
///
/// A table of five pieces without pawns takes 700 MB so.
#[derive(Debug)]
pub struct MemorySource {
    material: Material,
    /// One for each file of the leading pawn.
    numberings: Vec<Numbering>,
    /// For each numbering, which of the material's pieces stand at its places.
    slots: Vec<[u8; MOST_PIECES]>,
    sides: [Side; 2],
}

impl MemorySource {
    /// The source whose entries a function gives. It is called for every side to move and position that a
    /// file has a place for, from several threads; many of these positions are illegal.
    pub fn new(
        material: Material,
        entries: impl Fn(Color, PackedSquares) -> (WdlEntry, DtzEntry) + Sync,
    ) -> MemorySource {
        let files = match material.has_pawns() {
            true => (0..4).map(Some).collect(),
            false => vec![None],
        };
        let numberings: Vec<Numbering> = files
            .into_iter()
            .map(|file| orders::all(material, file).swap_remove(0))
            .collect();
        let slots = numberings.iter().map(Numbering::slots).collect();
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
        MemorySource {
            material,
            numberings,
            slots,
            sides,
        }
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
        let squares = self.slots[file].map(|slot| square_of(position, usize::from(slot)));
        (file, self.numberings[file].index_of(squares) as usize)
    }
}

impl Source for MemorySource {
    fn material(&self) -> Material {
        self.material
    }

    fn wdl(&self, side: Color, row: PositionRow<'_>, entries: &mut [WdlEntry]) {
        for (position, entry) in row.positions().zip(entries) {
            let (file, place) = self.place(position);
            *entry = self.sides[side as usize].wdl[file]
                .get(place)
                .copied()
                .unwrap_or(WdlEntry::ANY);
        }
    }

    fn dtz(&self, side: Color, row: PositionRow<'_>, entries: &mut [DtzEntry]) {
        for (position, entry) in row.positions().zip(entries) {
            let (file, place) = self.place(position);
            *entry = self.sides[side as usize].dtz[file]
                .get(place)
                .copied()
                .unwrap_or(DtzEntry::ANY);
        }
    }
}
