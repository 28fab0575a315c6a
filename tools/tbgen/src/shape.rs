//! The materials that can be solved, and what their tables take.

use tbindex::bitbase::{Domain, DomainError};
use tbindex::{Color, Material};

/// A material that can be solved, and the order of its positions in memory.
#[derive(Clone, Debug)]
pub struct Shape {
    material: Material,
    domain: Domain,
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
    /// There are no sets of its positions.
    #[error(transparent)]
    Domain(#[from] DomainError),
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
        let domain = Domain::try_new(material)?;
        Ok(Shape { material, domain })
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The table's positions, in the order that the library has them in by default.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The number of slices in a table: 462.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.domain.slices()
    }

    /// The number of slabs in a slice.
    #[must_use]
    pub fn slabs(&self) -> usize {
        self.domain.slabs()
    }

    /// The number of rows of eight words in a slice.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.domain.rows()
    }

    /// The number of slots in a table of one side to move, illegal positions and mirror twins included: 462
    /// · 64ⁿ⁻².
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.domain.slots()
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
        2 * self.slots() + 32 * (self.slices() * self.slabs()) as u64 + 4096
    }

    /// Whether a side has a piece besides its king. Without one it can't win.
    #[must_use]
    pub fn can_win(&self, side: Color) -> bool {
        self.domain.has_pieces(side)
    }
}
