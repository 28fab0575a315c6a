//! The placements of a domain, and the moves between them, one by one.

use tbindex::bitbase::{Direction, Domain, Row};
use tbindex::{Color, Piece, Square};

use super::feeds::{complement, input};
use super::pictures::{Gait, Kind, gait_of, images, king};

/// A domain, and what a naive generator of moves needs of it.
pub(crate) struct Board {
    pub(crate) domain: Domain,
    /// The moves and the sides of the men.
    men: Vec<(Gait, Color)>,
    /// The squares of the white king and the black king in each slice.
    kings: Vec<[usize; 2]>,
    /// The squares of fixed pieces.
    fixed: u64,
    /// The moves, the sides and the squares of fixed pieces.
    fixed_men: Vec<(Gait, Color, usize)>,
    /// The number of images that a placement has, itself included.
    symmetries: usize,
    /// The slice of every pair of squares of kings.
    slice_of: Vec<Option<usize>>,
}

impl Board {
    /// The board of a domain of these men and fixed pieces.
    pub(crate) fn new(men: &[(Kind, Color)], fixed: &[(Piece, Square)]) -> Board {
        let of_domain: Vec<_> = men.iter().map(|(kind, color)| kind.man(*color)).collect();
        let domain = Domain::of_men(&of_domain, fixed).expect("men of a domain");
        let pairs = domain.king_pairs().expect("kings in slices");
        let kings: Vec<[usize; 2]> = (0..domain.slices())
            .map(|slice| pairs.all()[slice].map(Square::index))
            .collect();
        let mut slice_of = vec![None; 4096];
        for (slice, [white, black]) in kings.iter().enumerate() {
            slice_of[64 * white + black] = Some(slice);
        }
        Board {
            men: men
                .iter()
                .map(|(kind, color)| (kind.gait.clone(), *color))
                .collect(),
            kings,
            fixed: fixed
                .iter()
                .fold(0, |all, (_, square)| all | 1 << square.index()),
            fixed_men: fixed
                .iter()
                .map(|(piece, square)| (gait_of(*piece), piece.color, square.index()))
                .collect(),
            symmetries: domain.group().members().len(),
            slice_of,
            domain,
        }
    }

    pub(crate) fn slices(&self) -> usize {
        self.kings.len()
    }

    /// The number of bits that a slice takes in memory.
    pub(crate) fn stride(&self) -> usize {
        512 * self.domain.rows()
    }

    /// The number of placements of a slice.
    pub(crate) fn slots(&self) -> usize {
        1 << (6 * self.men.len())
    }

    /// Rows of memory from the slice `first` on, of so many slices, that stand for inputs.
    pub(crate) fn inputs(&self, first: usize, slices: usize) -> Vec<Row> {
        self.rows(first, slices, input)
    }

    /// Does this for complements of inputs.
    pub(crate) fn complements(&self, first: usize, slices: usize) -> Vec<Row> {
        self.rows(first, slices, complement)
    }

    /// Rows whose words stand for inputs in their order, where slots are; the others are empty.
    fn rows(&self, first: usize, slices: usize, word: impl Fn(usize) -> u64) -> Vec<Row> {
        let words = self.stride() / 64;
        let used = self.slots().div_ceil(64);
        let mut rows = vec![Row::EMPTY; slices * words / 8];
        for (at, to) in bytemuck::cast_slice_mut::<Row, u64>(&mut rows)
            .iter_mut()
            .enumerate()
        {
            if at % words < used {
                *to = word(first * words + at);
            }
        }
        rows
    }

    /// The squares of the men in a placement.
    pub(crate) fn squares(&self, offset: usize) -> Vec<usize> {
        let men = self.men.len();
        (0..men)
            .map(|k| offset >> (6 * (men - 1 - k)) & 63)
            .collect()
    }

    /// The placement of men on these squares.
    fn offset(squares: impl Iterator<Item = usize>) -> usize {
        squares.fold(0, |offset, square| offset << 6 | square)
    }

    /// The squares of kings and fixed pieces, or `None` if two of them share one.
    fn blocked(&self, slice: usize) -> Option<u64> {
        let kings = self.kings[slice]
            .iter()
            .fold(0, |all, king| all | 1 << king);
        (kings & self.fixed == 0).then_some(kings | self.fixed)
    }

    /// Whether no two pieces share a square.
    pub(crate) fn is_distinct(&self, slice: usize, offset: usize) -> bool {
        let blocked = self.blocked(slice);
        blocked.is_some_and(|blocked| self.are_distinct(offset, None, blocked))
    }

    /// Whether all men but one stand on different squares that are not blocked.
    fn are_distinct(&self, offset: usize, but: Option<usize>, blocked: u64) -> bool {
        let mut occupied = blocked;
        let squares = self.squares(offset).into_iter().enumerate();
        squares.filter(|&(k, _)| Some(k) != but).all(|(_, square)| {
            let is_free = occupied >> square & 1 == 0;
            occupied |= 1 << square;
            is_free
        })
    }

    /// Calls a function with every placement of a slice in which no two pieces share a square, and with the
    /// placements from which moves of man `k` lead to it or, if the way is back, to which they lead from it. Of the
    /// latter, ascending, those with the man on another piece's square are not left out.
    pub(crate) fn man_moves(
        &self,
        slice: usize,
        k: usize,
        way: Direction,
        mut each: impl FnMut(usize, &[u32]),
    ) {
        let Some(blocked) = self.blocked(slice) else {
            return;
        };
        let (men, gait) = (self.men.len(), &self.men[k].0);
        let up = 6 * (men - 1 - k);
        let mut others_of = Vec::new();
        for others in 0..self.slots() >> 6 {
            // The others' squares, with a1 put in for the man.
            let base = (others >> up << (up + 6)) | (others & ((1 << up) - 1));
            if !self.are_distinct(base, Some(k), blocked) {
                continue;
            }
            let squares = self.squares(base).into_iter().enumerate();
            let occupied = squares
                .filter(|&(other, _)| other != k)
                .fold(blocked, |all, (_, square)| all | 1 << square);
            let reach: [u64; 64] = std::array::from_fn(|from| gait.reach(from, occupied));
            for here in (0..64).filter(|here| occupied >> here & 1 == 0) {
                others_of.clear();
                for there in 0..64 {
                    let moves = match way {
                        Direction::Forward => reach[there] >> here & 1,
                        Direction::Backward => reach[here] >> there & 1,
                    };
                    if moves == 1 {
                        others_of.push((base | there << up) as u32);
                    }
                }
                each(base | here << up, &others_of);
            }
        }
    }

    /// Whether a side attacks the other side's king, in a placement in which no two pieces share a square.
    pub(crate) fn checks(&self, slice: usize, offset: usize, side: Color) -> bool {
        let squares = self.squares(offset);
        let blocked = self.blocked(slice).expect("different squares");
        let occupied = squares
            .iter()
            .fold(blocked, |all, square| all | 1 << square);
        let king = self.kings[slice][usize::from(side == Color::White)];
        let men = self.men.iter().zip(&squares);
        let men = men.map(|((gait, color), &square)| (gait, color, square));
        let fixed = self.fixed_men.iter();
        let fixed = fixed.map(|(gait, color, square)| (gait, color, *square));
        men.chain(fixed).any(|(gait, &color, square)| {
            color == side && gait.reach(square, occupied) >> king & 1 == 1
        })
    }

    /// The men of a side.
    pub(crate) fn men_of(&self, side: Color) -> impl Iterator<Item = usize> {
        (0..self.men.len()).filter(move |&k| self.men[k].1 == side)
    }

    /// For each move of a side's king from a slice, the slices and the number of the symmetry that lead to slots of
    /// the position after it. There are two if all of the kings are on the diagonal.
    pub(crate) fn king_moves(&self, slice: usize, side: Color) -> Vec<Vec<(usize, usize)>> {
        let kings = self.kings[slice];
        let (mine, other) = match side {
            Color::White => (kings[0], kings[1]),
            Color::Black => (kings[1], kings[0]),
        };
        let king = king();
        let forbidden = king.reach(other, 0) | 1 << other;
        let to = king.reach(mine, 0) & !forbidden;
        (0..64)
            .filter(|square| to >> square & 1 == 1)
            .map(|square| {
                let [white, black] = match side {
                    Color::White => [square, other],
                    Color::Black => [other, square],
                };
                let (white, black) = (images(white), images(black));
                (0..self.symmetries)
                    .filter_map(|k| Some((self.slice_of[64 * white[k] + black[k]]?, k)))
                    .collect()
            })
            .collect()
    }

    /// The bit in memory of a placement after a symmetry.
    pub(crate) fn image(&self, slice: usize, symmetry: usize, offset: usize) -> u32 {
        let squares = self.squares(offset).into_iter();
        let offset = Board::offset(squares.map(|square| images(square)[symmetry]));
        (slice * self.stride() + offset) as u32
    }

    /// The lesser of a placement's bit in memory and that of its twin, if it has one: the same kings, and another
    /// arrangement of the men by a symmetry.
    pub(crate) fn class(&self, bit: u32) -> u32 {
        let (slice, offset) = (bit as usize / self.stride(), bit as usize % self.stride());
        let [white, black] = self.kings[slice].map(images);
        (0..self.symmetries)
            .filter(|&k| self.slice_of[64 * white[k] + black[k]] == Some(slice))
            .map(|k| self.image(slice, k, offset))
            .min()
            .unwrap_or(bit)
    }

    /// A placement in words.
    pub(crate) fn describe(&self, bit: usize) -> String {
        let slice = bit / self.stride();
        let Some(kings) = self.kings.get(slice) else {
            return format!("candidate {bit}");
        };
        let squares = kings
            .iter()
            .copied()
            .chain(self.squares(bit % self.stride()));
        let names: Vec<String> = squares
            .map(|square| Square::new(square as u8).to_string())
            .collect();
        names.join(" ")
    }
}
