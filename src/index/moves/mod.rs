//! The moves of chess on indices: the scalar definition of the moves that solvers and bitbases make.
//!
//! [`Moves`] knows a material. It tells of an index whether its position is legal, in check, mated or
//! stalemated; it gives the legal moves with the indices that they lead to, captures and promotions in
//! the index of the material that is left; and it takes moves back. Nothing is allocated by position.
//!
//! Castling is not among the moves: positions of tables have no right to it. En passant is a right that
//! an index cannot hold. A double step that gives the right [says so](Move::en_passant), and the moves
//! after it take it as [an argument](Moves::moves).

mod back;
mod legal;
mod placed;

use super::{Layout, LayoutError, MaterialMap, Numbering, Word};
use crate::board::{Color, Material, PROMOTIONS, Piece, PieceType, Square};
use crate::debug::debug_by;
use placed::PlacedPieces;

/// The moves of the positions of one material.
///
/// ```
/// use tbindex::{Color, Material, Moves, Numbering, PlacementCodec};
/// let material: Material = "KPvK".parse()?;
/// let moves = Moves::<u32>::try_new(material, Numbering::Natural)?;
/// let codec = PlacementCodec::<u32>::try_new(material, Numbering::Natural)?;
/// let fen: tbindex::Fen = "k7/2P5/1K6/8/8/8/8/8 w - -".parse()?;
/// let index = codec.encode(&fen.position)?;
/// assert!(moves.is_legal(index, Color::White) && !moves.is_check(index, Color::White));
///
/// let mating = moves.moves(index, Color::White, None).filter(|m| {
///     let after = Moves::try_new(m.after.material, Numbering::Natural).unwrap();
///     let (index, side) = (m.after.index, m.after.side);
///     after.is_check(index, side) && after.moves(index, side, None).next().is_none()
/// });
/// let names: Vec<String> = mating.map(|m| m.to_string()).collect();
/// assert_eq!(names, ["c7c8q", "c7c8r"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Moves<W> {
    material: Material,
    layout: Layout<W>,
    pieces: Box<[Piece]>,
    /// By the number of the captured piece.
    captures: Box<[Option<MaterialMap<W>>]>,
    /// By the number of the pawn, its new type, and the number of the captured piece, the number of
    /// pieces if there is none.
    promotions: Box<[Option<MaterialMap<W>>]>,
}

/// A position that a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reached<W> {
    /// The material: that of the position before or, after a capture or a promotion, the
    /// [normal](Material::normal) material of the pieces that are left.
    pub material: Material,
    /// The index of the position in that material. It need not be canonical.
    pub index: W,
    /// The side to move, after any exchange of colours that made the material normal.
    pub side: Color,
}

/// A legal move.
///
/// It is written as engines write it: `e2e4`, `c7c8q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move<W> {
    /// The number of the piece that moves.
    pub piece: usize,
    /// The square that it leaves.
    pub from: Square,
    /// The square that it goes to.
    pub to: Square,
    /// The number of the piece that it takes, if it takes one.
    pub captured: Option<usize>,
    /// The type that the pawn becomes, if it promotes.
    pub promotion: Option<PieceType>,
    /// After a double step next to a pawn of the other side, the square that was passed: that pawn may
    /// take en passant there, unless this uncovers a check.
    pub en_passant: Option<Square>,
    /// The position that the move leads to.
    pub after: Reached<W>,
}

impl<W> std::fmt::Display for Move<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        match self.promotion {
            Some(kind) => write!(f, "{}", char::from(kind).to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl<W: Word> Moves<W> {
    /// Returns the moves of a material whose indices have this numbering.
    ///
    /// ```
    /// # use tbindex::{Moves, Numbering};
    /// let error = Moves::<u32>::try_new("KQRvKQR".parse()?, Numbering::Natural).unwrap_err();
    /// assert_eq!(error.to_string(), "6 pieces in a word of 32 bits: expected 1 to 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(material: Material, numbering: Numbering) -> Result<Moves<W>, LayoutError> {
        let layout = Layout::try_new(material.piece_count(), numbering)?;
        let pieces: Box<[Piece]> = material.index_order().collect();
        let count = pieces.len();
        let captures = (0..count).map(|k| MaterialMap::try_new(material, numbering, Some(k), None));
        let captures = captures.collect::<Result<_, _>>()?;
        let mut promotions = Vec::new();
        for pawn in 0..count {
            for to in PROMOTIONS {
                for captured in (0..count).map(Some).chain([None]) {
                    let map =
                        MaterialMap::try_new(material, numbering, captured, Some((pawn, to)))?;
                    promotions.push(map);
                }
            }
        }
        Ok(Moves {
            material,
            layout,
            pieces,
            captures,
            promotions: promotions.into(),
        })
    }

    /// Returns the material.
    ///
    /// ```
    /// # use tbindex::{Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
    /// assert_eq!(moves.material().to_string(), "KQvKR");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn material(&self) -> Material {
        self.material
    }

    /// Returns the layout of the indices.
    ///
    /// ```
    /// # use tbindex::{Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
    /// assert_eq!(moves.layout().pieces(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn layout(&self) -> Layout<W> {
        self.layout
    }

    /// Returns the pieces by their numbers, piece 0 first.
    #[must_use]
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    fn place(&self, index: W) -> PlacedPieces {
        PlacedPieces::new(&self.pieces, self.layout.decode(index))
    }
}

/// The numbers of a side's pieces.
pub(crate) fn numbers(
    pieces: &[Piece],
    side: Color,
) -> impl DoubleEndedIterator<Item = usize> + Clone + '_ {
    (0..pieces.len()).filter(move |&k| pieces[k].color == side)
}

/// The number of a side's king. The kings lead.
pub(crate) fn king_number(pieces: &[Piece], side: Color) -> usize {
    match side {
        Color::White => pieces.len() - 1,
        Color::Black => pieces.len() - 2,
    }
}

debug_by!([W: std::fmt::Debug] Moves<W>: material, layout);
