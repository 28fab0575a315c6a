//! The squares of leading pieces up to symmetry, numbered.

use super::{Layout, Word};
use crate::board::{Group, Square, Symmetry};
use crate::debug::debug_by;
use crate::index::Numbering;

/// The ten squares of the a1–d1–d4 triangle in the order that is usual in published tables: the six
/// below the diagonal rank by rank, then the four on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// The placements of `N` leading pieces, one or two, up to the symmetries of a group, numbered.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LeadingPlacements<const N: usize> {
    pub(super) group: Group,
    /// The squares of each placement, the leading piece's first.
    pub(super) all: Vec<[Square; N]>,
    /// The number of the first placement with all pieces on the diagonal, which the mirror along it keeps where they are.
    /// Without the eight symmetries there is none, and this is the number of placements.
    pub(super) diagonal_from: usize,
    /// By the natural index of the leading pieces alone: 8 · number + code of the symmetry that leads to the placement, or
    /// `NONE`.
    lookup: Box<[u32; 4096]>,
}

/// Bits 15 and up say that there is no placement; numbers are below 4096.
const NONE: u32 = 0xffff;

pub(super) fn on_diagonal(square: Square) -> bool {
    square.file() as u8 == square.rank() as u8
}

impl<const N: usize> LeadingPlacements<N> {
    /// The placements that `with` gives for each square of the leading piece that the group has, those with all pieces on
    /// the diagonal last.
    pub(super) fn new<I: IntoIterator<Item = [Square; N]>>(
        group: Group,
        with: impl Fn(Square) -> I,
    ) -> LeadingPlacements<N> {
        let leads: Vec<Square> = match group {
            Group::D4 => TRIANGLE.map(Square::new).to_vec(),
            Group::FileMirror => Square::all().filter(|s| s.number() & 4 == 0).collect(),
            Group::Trivial => Square::all().collect(),
        };
        let (diagonal, mut all): (Vec<_>, Vec<_>) = leads
            .into_iter()
            .flat_map(with)
            .partition(|squares| group == Group::D4 && squares.iter().all(|&s| on_diagonal(s)));
        let diagonal_from = all.len();
        all.extend(diagonal);

        let mut lookup = Box::new([NONE; 4096]);
        for (id, squares) in all.iter().enumerate() {
            for code in (0..8).rev() {
                let image = Symmetry::from_code(code);
                if group.contains(image) {
                    let back = image.inverse();
                    // A placement on the diagonal is reached twice; the smaller code stays.
                    let place = place(squares.map(|square| back.apply(square)));
                    lookup[place] = (8 * id as u32) | u32::from(code);
                }
            }
        }
        LeadingPlacements {
            group,
            all,
            diagonal_from,
            lookup,
        }
    }

    /// The number of the placement that these squares belong to, and the symmetry that takes them there (of two, the one
    /// with the smaller code), or `None` if there is no such placement.
    #[inline]
    pub(super) fn find(&self, squares: [Square; N]) -> Option<(usize, Symmetry)> {
        let entry = self.lookup[place(squares)];
        (entry != NONE).then(|| ((entry >> 3) as usize, Symmetry::from_code(entry as u8)))
    }

    /// 8 · number of the placement + code of the symmetry for the leading pieces of a natural index; bit 15 is set if there is
    /// no such placement.
    #[inline(always)]
    pub(super) fn entry<W: Word>(&self, layout: Layout<W>, index: W) -> u32 {
        let (half, bits) = (layout.half(), const { 3 * N as u32 });
        let digits = |at: u32| {
            let digits: u128 = (index >> at).into();
            digits as usize & ((1 << bits) - 1)
        };
        self.lookup[digits(2 * half - bits) << bits | digits(half - bits)]
    }

    /// For each placement the natural index with the leading pieces on its squares, all others on a1; zeros after the last.
    pub(super) fn indices<W: Word>(&self, layout: Layout<W>) -> Box<[W; 4096]> {
        let mut indices = Box::new([W::ZERO; 4096]);
        for (index, squares) in indices.iter_mut().zip(&self.all) {
            for (&square, k) in squares.iter().zip((0..layout.pieces() as u32).rev()) {
                *index |= layout.place(square.number(), k);
            }
        }
        indices
    }
}

/// The natural index of the leading pieces alone.
fn place<const N: usize>(mut squares: [Square; N]) -> usize {
    squares.reverse();
    Layout::<u32>::new(N, Numbering::Natural).encode(&squares) as usize
}

debug_by!([const N: usize] LeadingPlacements<N>: group);
