//! The oldest scheme: the leading piece in the a1–d1–d4 triangle, all others anywhere.

use super::digits::{Others, apply_code};
use super::{Dense, DenseError, Layout, Sliced, Word, check_slot};
use crate::board::{Group, Material, Square, Symmetry};
use crate::index::Numbering;

/// The ten squares of the a1–d1–d4 triangle in the order that is usual in published tables: the six
/// below the diagonal rank by rank, then the four on it.
pub(super) const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// The classical numbering of n distinct pieces, shared squares included, by the leading piece:
/// 10 · 64ⁿ⁻¹ slots under D4, 32 · 64ⁿ⁻¹ under the file mirror.
///
/// A slot is (number of the leading square) · 64ⁿ⁻¹ + the squares of pieces n−2 … 0 as the digits of a
/// number in base 64. Leading squares are numbered b1 c1 d1 c2 d2 d3 a1 b2 c3 d4, the order of the Syzygy
/// tables; under the file mirror, the squares of the files a to d come in the order of their
/// numbers. With the leading piece on the diagonal, a position and its mirror image both have a slot.
///
/// The scheme computes in the natural numbering; it converts an index of the alternate one first.
///
/// ```
/// use tbindex::{Dense, Group, Layout, Numbering, Triangle};
/// let layout = Layout::<u32>::new(3, Numbering::Natural);
/// assert_eq!(Triangle::new(layout, Group::D4).size(), 10 * 64 * 64);
/// assert_eq!(Triangle::new(layout, Group::FileMirror).size(), 32 * 64 * 64);
/// ```
#[derive(Clone, Debug)]
pub struct Triangle<W> {
    /// The layout of the indices that callers give and get.
    layout: Layout<W>,
    others: Others<W>,
    group: Group,
    squares: Vec<Square>,
    /// For each square the number of the leading square it folds to, times 8, and the symmetry's code.
    folds: [u32; 64],
    /// The index of each leading square with all other pieces on a1.
    leading: [W; 64],
}

impl<W: Word> Triangle<W> {
    /// The numbering of a layout's indices under a group, all pieces told apart.
    #[expect(
        clippy::missing_panics_doc,
        reason = "it does not panic: some symmetry of the group folds every square"
    )]
    #[must_use]
    pub fn new(layout: Layout<W>, group: Group) -> Triangle<W> {
        let squares: Vec<Square> = match group {
            Group::D4 => TRIANGLE.map(Square::new).to_vec(),
            Group::FileMirror => Square::all().filter(|s| s.number() & 4 == 0).collect(),
            Group::Trivial => Square::all().collect(),
        };
        let folds = std::array::from_fn(|number| {
            let square = Square::new(number as u8);
            // Of the two symmetries that fold a square of the diagonal, the one without exchange.
            (0..8)
                .filter(|&code| group.contains(Symmetry::from_code(code)))
                .find_map(|code| {
                    let folded = Symmetry::from_code(code).apply(square);
                    let id = squares.iter().position(|&s| s == folded)?;
                    Some((8 * id as u32) | u32::from(code))
                })
                .expect("every square folds to a leading square")
        });
        let others = layout.pieces() - 1;
        let mut leading = [W::ZERO; 64];
        for (index, square) in leading.iter_mut().zip(&squares) {
            *index = layout.place(square.number(), others as u32);
        }
        Triangle {
            leading,
            layout,
            others: Others::new(layout, others),
            group,
            squares,
            folds,
        }
    }

    /// The numbering of a material's positions, like pieces told apart.
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(material: Material, numbering: Numbering) -> Result<Triangle<W>, DenseError> {
        let layout = Layout::try_new(material.piece_count(), numbering)?;
        Ok(Triangle::new(layout, material.group()))
    }

    /// The natural layout, in which the scheme computes.
    #[inline(always)]
    const fn own_layout(&self) -> Layout<W> {
        self.layout.with_numbering(Numbering::Natural)
    }

    /// The slot of a natural index without branches: a loop over a slice becomes vector code where the
    /// processor has it.
    #[inline(always)]
    pub(crate) fn rank_any(&self, index: W) -> W {
        let half = self.layout.half();
        let digit = |at: u32| usize::from((index >> at).low_byte() & 7);
        let entry = self.folds[digit(2 * half - 3) << 3 | digit(half - 3)];
        let folded = apply_code(self.own_layout(), entry as u8 & 7, index);
        let id = W::from((entry >> 3) as u8);
        id << self.others.bits | self.others.concatenate(folded)
    }

    /// The natural index of a slot that is below the size, without branches as well.
    #[inline(always)]
    pub(crate) fn unrank_valid(&self, slot: W) -> W {
        let id = usize::from((slot >> self.others.bits).low_byte() & 63);
        self.leading[id] | self.others.interleave(slot)
    }

    fn lead_is_on_the_diagonal(&self, slot: W) -> bool {
        let lead = self.squares[self.slice_of(slot)];
        self.group == Group::D4 && lead.file() as u8 == lead.rank() as u8
    }
}

impl<W: Word> Dense<W> for Triangle<W> {
    #[inline]
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    fn group(&self) -> Group {
        self.group
    }

    fn size(&self) -> W {
        W::from(self.squares.len() as u8) << self.others.bits
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        Some(self.rank_any(self.layout.convert(Numbering::Natural, index)))
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        check_slot(slot, self.size());
        self.own_layout()
            .convert(self.layout.numbering(), self.unrank_valid(slot))
    }

    fn weight(&self, slot: W) -> u32 {
        if self.lead_is_on_the_diagonal(slot) {
            4
        } else {
            self.group.order()
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        if !self.lead_is_on_the_diagonal(slot) {
            return None;
        }
        self.rank(self.layout.flip_diagonal(self.unrank(slot)))
            .filter(|&twin| twin != slot)
    }
}

impl<W: Word> Sliced<W> for Triangle<W> {
    fn slice_count(&self) -> usize {
        self.squares.len()
    }

    fn slice(&self, id: usize) -> std::ops::Range<W> {
        assert!(id < self.squares.len(), "no slice {id}");
        let first = |id: usize| W::from(id as u8) << self.others.bits;
        first(id)..first(id + 1)
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_slot(slot, self.size());
        usize::from((slot >> self.others.bits).low_byte())
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.squares[id..=id]
    }
}
