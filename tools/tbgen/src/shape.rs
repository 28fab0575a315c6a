//! The order of a material's positions in memory.
//!
//! A table's positions are numbered by the slice (the two kings, see [`Kings`](crate::kings::Kings)),
//! the square of the *outer* piece, the square of the *inner* piece and the square of the *last*
//! piece. The last piece's 64 squares are the bits of a word, the inner piece's squares are the 64 words of
//! a slab, and the outer piece's squares are the 64 slabs of a slice. With four pieces there is no outer
//! piece, and a slice is one slab. With three there is no inner piece either, and only the first word of
//! the slab is used.

use tbindex::{Color, Material, Piece, PieceType};

use crate::kings::SLICES;

/// A material that can be solved, and the roles of its pieces.
#[derive(Clone, Debug)]
pub struct Shape {
    material: Material,
    pieces: [Option<Piece>; 3],
}

/// The reason why a material can't be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// There are pawns.
    #[error("{0} has pawns: tables are generated for materials without pawns only")]
    Pawns(Material),
    /// There are too few or too many pieces.
    #[error("{0} has {1} pieces: tables are generated for 3, 4 or 5 pieces only")]
    Count(Material, usize),
}

/// The material under which a table is kept, and whether the colours had to be exchanged for it. White has
/// more or stronger pieces in it: for KQvKR and KRvKQ it is KQvKR.
#[must_use]
pub fn table_of(material: &Material) -> (Material, bool) {
    (material.normal(), !material.is_normal())
}

impl Shape {
    /// The shape of the table of a material. Its colours must be those of [`table_of`].
    ///
    /// # Errors
    /// If there are pawns, or not 3 to 5 pieces.
    ///
    /// # Panics
    /// If the material is one whose colours `table_of` exchanges.
    pub fn new(material: Material) -> Result<Shape, ShapeError> {
        assert!(!table_of(&material).1, "the table's own colours");
        if material.has_pawns() {
            return Err(ShapeError::Pawns(material));
        }
        let count = material.piece_count();
        if !(3..=5).contains(&count) {
            return Err(ShapeError::Count(material, count));
        }
        let mut rest: Vec<Piece> = material
            .name_order()
            .filter(|piece| piece.kind != PieceType::King)
            .collect();
        // Long rays are cheapest from slab to slab and dearest within a word, so the piece that moves least
        // comes last. Like pieces stay side by side.
        rest.sort_by_key(|piece| (piece.kind, piece.color));
        let mut pieces = [None; 3];
        for (place, piece) in pieces.iter_mut().rev().zip(rest.into_iter().rev()) {
            *place = Some(piece);
        }
        Ok(Shape { material, pieces })
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The outer, the inner and the last piece.
    #[must_use]
    pub fn pieces(&self) -> [Option<Piece>; 3] {
        self.pieces
    }

    /// The last piece, which is always there.
    ///
    /// # Panics
    /// Never.
    #[must_use]
    pub fn last(&self) -> Piece {
        self.pieces[2].expect("three pieces at least")
    }

    /// The number of slabs in a slice: 64 with an outer piece, else 1.
    #[must_use]
    pub fn slabs(&self) -> usize {
        if self.pieces[0].is_some() { 64 } else { 1 }
    }

    /// The number of rows of eight words in a slice.
    #[must_use]
    pub fn rows(&self) -> usize {
        8 * self.slabs()
    }

    /// The number of slots in a table of one side to move, illegal positions and mirror twins included: 462
    /// · 64ⁿ⁻².
    #[must_use]
    pub fn slots(&self) -> u64 {
        let others = self.pieces.iter().flatten().count() as u32;
        SLICES as u64 * 64u64.pow(others)
    }

    /// The memory, in bytes, that it takes to solve and write the table. At the peak there are five sets of
    /// positions and thirteen planes; or, late in a solution, when few positions are new in a ply, fewer
    /// sets and fourteen planes, which are the seven bits of a value for both sides. Smaller tables,
    /// threads and the program itself come on top. Seven bits are enough for 127 different values on a
    /// side; no table that was measured has more than 80.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let set = self.slots() / 8;
        let smaller = if self.slabs() == 64 { 15 << 20 } else { 0 };
        (5 + 13) * set + (11 << 20) + smaller
    }

    /// The greatest size, in bytes, that the table's file can have, which is that without compression.
    #[must_use]
    pub fn greatest_file(&self) -> u64 {
        2 * self.slots() + 32 * (SLICES * self.slabs()) as u64 + 4096
    }

    /// Whether a side has a piece besides its king. Without one it can't win.
    #[must_use]
    pub fn can_win(&self, side: Color) -> bool {
        self.pieces
            .iter()
            .flatten()
            .any(|piece| piece.color == side)
    }
}
