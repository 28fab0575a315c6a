//! Sets of like pieces and the numbering of their squares.

use crate::board::{Bitboard, Material, Piece, PieceType, Square};
use crate::index::dense::binomial::{CHOOSE, MAX_LIKE, choose_few, greatest, place_in};

/// The most pieces that have compact slots: as many as an index of 64 bits.
pub(super) const MAX_PIECES: usize = 10;

/// The squares of all pieces, by their numbers; 0 beyond the last piece.
pub(super) type Squares = [u8; MAX_PIECES];

/// Where pawns may stand: the ranks 2 to 7.
pub(super) const PAWN_SQUARES: Bitboard = Bitboard(0x00ff_ffff_ffff_ff00);

/// Like pieces; a single piece is a set of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct LikeSet {
    /// The least of the pieces' numbers, which follow each other.
    pub(super) low: usize,
    /// The number of pieces.
    pub(super) count: usize,
    /// The squares they may choose from if all are free.
    pub(super) zone: Bitboard,
}

impl LikeSet {
    /// The sets of a material without the kings, in the order in which they are numbered.
    pub(super) fn of_material(material: Material) -> Vec<LikeSet> {
        let pieces: Vec<Piece> = material.index_order().collect();
        let mut kinds: Vec<Piece> = material.name_order().collect();
        kinds.retain(|piece| piece.kind != PieceType::King);
        kinds.dedup();
        kinds.sort_by_key(|piece| piece.kind != PieceType::Pawn);
        kinds
            .into_iter()
            .filter_map(|piece| {
                Some(LikeSet {
                    low: pieces.iter().position(|&p| p == piece)?,
                    count: material.count(piece),
                    zone: if piece.kind == PieceType::Pawn {
                        PAWN_SQUARES
                    } else {
                        Bitboard::ALL
                    },
                })
            })
            .collect()
    }

    /// The squares of the set's pieces.
    #[inline(always)]
    pub(super) fn board(&self, squares: &Squares) -> Bitboard {
        let squares = squares[self.low..][..self.count].iter();
        squares.fold(Bitboard::EMPTY, |board, &square| {
            board | Bitboard(1 << (square & 63))
        })
    }

    /// The squares of the set's pieces, in ascending order.
    #[inline(always)]
    pub(super) fn sorted(&self, squares: &Squares) -> [u8; MAX_LIKE] {
        let mut sorted = [0; MAX_LIKE];
        match squares[self.low..][..self.count] {
            // Small sets without branches: no branch on their order could be predicted.
            [a, b] => (sorted[0], sorted[1]) = (a.min(b), a.max(b)),
            [a, b, c] => {
                let (a, b) = (a.min(b), a.max(b));
                let (b, c) = (b.min(c), b.max(c));
                let (a, b) = (a.min(b), a.max(b));
                (sorted[0], sorted[1], sorted[2]) = (a, b, c);
            }
            ref all => {
                for (j, &square) in all.iter().enumerate() {
                    let mut at = j.min(MAX_LIKE - 1);
                    while at > 0 && sorted[at - 1] > square {
                        sorted[at] = sorted[at - 1];
                        at -= 1;
                    }
                    sorted[at] = square;
                }
            }
        }
        sorted
    }

    /// Puts the pieces on squares given in ascending order: the piece with the greatest number on
    /// the first, which is the order of a canonical index.
    #[inline]
    pub(super) fn put(&self, sorted: &[u8], squares: &mut Squares) {
        let pieces = &mut squares[self.low..self.low + self.count];
        for (piece, &square) in pieces.iter_mut().rev().zip(sorted) {
            *piece = square;
        }
    }

    /// The lexicographic number of the set's squares among all that are free, `t` in number (see
    /// [`SetDigit::squares`]), and the squares; `None` if one is not free, or two are the same where they
    /// may not be shared.
    #[inline]
    pub(super) fn rank(
        &self,
        squares: &Squares,
        free: Bitboard,
        t: usize,
        shared: bool,
    ) -> Option<(u64, Bitboard)> {
        if self.count == 1 {
            let square = Square::from_low_bits(squares[self.low]);
            return free.contains(square).then(|| {
                let place = place_in(free, square.number());
                (place as u64, square.into())
            });
        }
        let spread = usize::from(shared);
        let sorted = self.sorted(squares);
        let mut taken = Bitboard::EMPTY;
        let mut after = 0;
        for (j, &square) in sorted[..self.count.min(MAX_LIKE)].iter().enumerate() {
            let board = Bitboard(1 << (square & 63));
            if (board & free).is_empty() || !shared && !(board & taken).is_empty() {
                return None;
            }
            taken |= board;
            let place = place_in(free, square) + spread * j;
            after += choose_few(t - 1 - place, self.count - j);
        }
        Some((CHOOSE[self.count][t] - 1 - after, taken))
    }

    /// The inverse of [`rank`](LikeSet::rank): puts the pieces on their squares, and returns these.
    #[inline]
    pub(super) fn unrank(
        &self,
        number: u64,
        free: Bitboard,
        t: usize,
        shared: bool,
        squares: &mut Squares,
    ) -> Bitboard {
        if self.count == 1 {
            let square = self.square_at(free, number as usize);
            squares[self.low] = square;
            return Bitboard(1 << square);
        }
        let spread = usize::from(shared);
        let mut after = CHOOSE[self.count][t] - 1 - number;
        let mut sorted = [0; MAX_LIKE];
        let mut taken = Bitboard::EMPTY;
        for (j, square) in sorted[..self.count].iter_mut().enumerate() {
            let above = greatest(self.count - j, after);
            after -= CHOOSE[self.count - j][above];
            *square = self.square_at(free, t - 1 - above - spread * j);
            taken |= Bitboard(1 << *square);
        }
        self.put(&sorted[..self.count], squares);
        taken
    }

    /// The free square with a given place: its number if the whole zone were free, raised past
    /// every square that is not.
    #[inline]
    fn square_at(&self, free: Bitboard, place: usize) -> u8 {
        let first = if self.zone == PAWN_SQUARES { 8 } else { 0 };
        (self.zone - free)
            .into_iter()
            .fold(place as u8 + first, |square, taken| {
                square + u8::from(taken.number() <= square)
            })
    }
}

/// The data that the numbering of a set depends on besides its squares.
#[derive(Clone, Copy)]
pub(super) struct SetDigit {
    /// The number of possibilities of the sets after it: the weight of its number in a slot.
    pub(super) weight: u64,
    /// The number of squares that it chooses from; where squares may be shared, one more for each piece
    /// but the first.
    pub(super) squares: usize,
}
