//! The map of an index into the index of the material that a conversion leads to.

use super::{Layout, LayoutError, Numbering, Word};
use crate::board::{Color, Conversion, Material, Piece, PieceType, Symmetry};

/// Maps the index of a position to the index of the same position after a capture or a promotion,
/// in the [normal](Material::normal) one of the material that this leads to.
///
/// The map takes the captured piece's digits away, changes the pawn into the new piece, gives the
/// pieces the order of their new name, and exchanges the colours, with the board upside down, where
/// the new material is not normal. It moves no piece: the caller does, before or after, as an index
/// can hold two pieces on one square.
///
/// ```
/// use tbindex::{Layout, Material, MaterialMap, Numbering, Square};
/// // KQvKR: pieces 3 = K, 2 = k, 1 = Q, 0 = r. The queen takes the rook.
/// let material: Material = "KQvKR".parse()?;
/// let map = MaterialMap::<u32>::try_new(material, Numbering::Natural, Some(0), None)?.expect("a capture");
/// assert_eq!(map.target().to_string(), "KQvK");
/// let [a1, c3, d8, h8] = [0o00, 0o22, 0o73, 0o77].map(Square::new);
/// let layout = Layout::<u32>::new(4, Numbering::Natural);
/// let moved = layout.with_square(layout.encode(&[h8, c3, d8, a1]), 1, h8);
/// assert_eq!(map.map(moved), Layout::<u32>::new(3, Numbering::Natural).encode(&[h8, d8, a1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaterialMap<W> {
    layout: Layout<W>,
    target: Material,
    target_layout: Layout<W>,
    swaps_colors: bool,
    /// For every piece of the target the number of the piece that it was.
    source: Vec<u8>,
    /// The one piece that is dropped, where the others keep their order.
    drop_only: Option<usize>,
}

impl<W: Word> MaterialMap<W> {
    /// The map of the capture of piece `captured`, of the promotion of the pawn `promoted` to a piece of a type, or of a
    /// promotion that captures; `None` if no move does this.
    ///
    /// ```
    /// # use tbindex::{MaterialMap, Numbering, PieceType};
    /// // KPvKR: pieces 3 = K, 2 = k, 1 = P, 0 = r.
    /// let promotion = Some((1, PieceType::Queen));
    /// let map = MaterialMap::<u32>::try_new("KPvKR".parse()?, Numbering::Natural, Some(0), promotion)?;
    /// assert_eq!(map.map(|map| map.target().to_string()).as_deref(), Some("KQvK"));
    /// // No move takes a king.
    /// let none = MaterialMap::<u32>::try_new("KPvKR".parse()?, Numbering::Natural, Some(2), None)?;
    /// assert!(none.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(
        material: Material,
        numbering: Numbering,
        captured: Option<usize>,
        promoted: Option<(usize, PieceType)>,
    ) -> Result<Option<MaterialMap<W>>, LayoutError> {
        let pieces: Vec<Piece> = material.index_order().collect();
        let Some(conversion) = conversion(&pieces, captured, promoted) else {
            return Ok(None);
        };
        let layout = Layout::try_new(pieces.len(), numbering)?;
        let Some(after) = material.after(conversion) else {
            return Ok(None);
        };
        let target = after.normal();
        let swaps_colors = target != after;
        // The pieces that are left, as they are called in the target, with their old numbers.
        let mut left: Vec<(Piece, u8)> = pieces
            .into_iter()
            .zip(0u8..)
            .filter(|&(_, k)| Some(usize::from(k)) != captured)
            .map(|(piece, k)| {
                let kind = match promoted {
                    Some((pawn, to)) if pawn == usize::from(k) => to,
                    _ => piece.kind,
                };
                let piece = Piece::new(piece.color, kind);
                let piece = if swaps_colors {
                    piece.swap_color()
                } else {
                    piece
                };
                (piece, k)
            })
            .collect();
        // Like pieces keep their order: each target piece takes the first of its kind that is left.
        let source: Vec<u8> = target
            .index_order()
            .filter_map(|piece| {
                let place = left.iter().position(|&(p, _)| p == piece)?;
                Some(left.remove(place).1)
            })
            .collect();
        let drop_only = captured.filter(|_| source.is_sorted());
        Ok(Some(MaterialMap {
            layout,
            target,
            target_layout: Layout::try_new(target.piece_count(), numbering)?,
            swaps_colors,
            source,
            drop_only,
        }))
    }

    /// The normal material that the map leads to.
    ///
    /// ```
    /// # use tbindex::{MaterialMap, Numbering};
    /// // KRvKBN: pieces 4 = K, 3 = k, 2 = R, 1 = b, 0 = n. Black takes the rook.
    /// let map = MaterialMap::<u32>::try_new("KRvKBN".parse()?, Numbering::Natural, Some(2), None)?;
    /// assert_eq!(map.expect("a capture").target().to_string(), "KBNvK");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn target(&self) -> Material {
        self.target
    }

    /// The side of the target that has this side's pieces: the other one where the colours are exchanged on the way; the
    /// board is then upside down.
    ///
    /// ```
    /// # use tbindex::{Color, MaterialMap, Numbering};
    /// // Black takes the queen, and its rook is white in the normal material KRvK.
    /// let map = MaterialMap::<u32>::try_new("KQvKR".parse()?, Numbering::Natural, Some(1), None)?;
    /// assert_eq!(map.expect("a capture").color(Color::Black), Color::White);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn color(&self, color: Color) -> Color {
        if self.swaps_colors { !color } else { color }
    }

    /// The index that maps to this one of the target, with the captured piece, if one is, on the square
    /// with code 0 and the pawn on the square of the piece that it became.
    ///
    /// ```
    /// # use tbindex::{MaterialMap, Numbering};
    /// let map = MaterialMap::<u32>::try_new("KQvKR".parse()?, Numbering::Natural, Some(0), None)?;
    /// // The rook, piece 0, is put on a1.
    /// assert_eq!(map.expect("a capture").unmap(0o727_736), 0o7270_7360);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unmap(&self, mapped: W) -> W {
        let mapped = if self.swaps_colors {
            self.target_layout.flip(Symmetry::FlipVertical, mapped)
        } else {
            mapped
        };
        self.source
            .iter()
            .enumerate()
            .fold(W::ZERO, |x, (place, &k)| {
                let code = self.target_layout.code(mapped, place);
                x | self.layout.place(code, k.into())
            })
    }

    /// The target's index of the same squares. It need not be canonical.
    ///
    /// ```
    /// # use tbindex::{MaterialMap, Numbering};
    /// let map = MaterialMap::<u32>::try_new("KQvKR".parse()?, Numbering::Natural, Some(0), None)?;
    /// // The digits of the rook are cut out.
    /// assert_eq!(map.expect("a capture").map(0o7275_7364), 0o727_736);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn map(&self, index: W) -> W {
        let mapped = match self.drop_only {
            Some(k) => self.layout.without_piece(index, k),
            None => self.source.iter().zip(0..).fold(W::ZERO, |x, (&k, place)| {
                let code = self.layout.code(index, usize::from(k));
                x | self.target_layout.place(code, place)
            }),
        };
        if self.swaps_colors {
            self.target_layout.flip(Symmetry::FlipVertical, mapped)
        } else {
            mapped
        }
    }
}

/// The conversion that the pieces of these numbers take part in, unless the pawn is none or is of the side of the piece
/// that it captures.
fn conversion(
    pieces: &[Piece],
    captured: Option<usize>,
    promoted: Option<(usize, PieceType)>,
) -> Option<Conversion> {
    let captured = captured.map(|k| pieces.get(k).copied());
    let Some((pawn, to)) = promoted else {
        let captured = captured??;
        return Some(Conversion::Capture { captured });
    };
    let pawn = pieces.get(pawn)?;
    let captured = match captured {
        None => None,
        Some(taken) => Some(taken.filter(|taken| taken.color != pawn.color)?.kind),
    };
    let by = pawn.color;
    (pawn.kind == PieceType::Pawn).then_some(Conversion::Promotion { by, to, captured })
}
