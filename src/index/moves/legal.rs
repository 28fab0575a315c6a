//! Legality, check, and the legal moves.

use super::placed::Placed;
use super::{Move, Moves, Reached};
use crate::board::{Bitboard, Color, PROMOTIONS, PieceType, Rank, Square, attacks};
use crate::index::{MaterialMap, Word};

/// Any of the promotions, or none, as what a pawn may become.
const PROMOTES: [Option<PieceType>; 4] = [
    Some(PROMOTIONS[0]),
    Some(PROMOTIONS[1]),
    Some(PROMOTIONS[2]),
    Some(PROMOTIONS[3]),
];
const STAYS: [Option<PieceType>; 1] = [None];

/// # Positions
impl<W: Word> Moves<W> {
    /// Returns whether the position is legal with `side` to move: no two pieces share a square, pawns
    /// stand on ranks 2 to 7, and the king of the side that is not to move is not attacked, so that the
    /// kings do not touch either. An index with bits above its digits is not legal.
    #[must_use]
    pub fn is_legal(&self, index: W, side: Color) -> bool {
        if !self.layout.is_valid(index) {
            return false;
        }
        let placed = self.place(index);
        placed.is_placement(&self.pieces) && !self.attacks_king(&placed, !side)
    }

    /// Returns whether the king of `side` is attacked. The index must be valid.
    #[must_use]
    pub fn is_check(&self, index: W, side: Color) -> bool {
        self.attacks_king(&self.place(index), side)
    }

    /// Returns whether `side`, to move in this legal position, is checkmated.
    #[must_use]
    pub fn is_mate(&self, index: W, side: Color) -> bool {
        self.is_check(index, side) && self.moves(index, side).next().is_none()
    }

    /// Returns whether `side`, to move in this legal position, is stalemated.
    ///
    /// After a double step it is not if it can still take en passant: see
    /// [`moves_en_passant`](Moves::moves_en_passant).
    #[must_use]
    pub fn is_stalemate(&self, index: W, side: Color) -> bool {
        !self.is_check(index, side) && self.moves(index, side).next().is_none()
    }

    /// Returns whether the king of `side` is attacked.
    fn attacks_king(&self, placed: &Placed, side: Color) -> bool {
        let square = placed.squares[self.king(side)];
        placed.attacks(&self.pieces, !side, square, placed.occupied(), None)
    }
}

/// # Moves
impl<W: Word> Moves<W> {
    /// Returns the legal moves of `side` in this legal position, piece by piece from the leading one
    /// down.
    pub fn moves(&self, index: W, side: Color) -> impl Iterator<Item = Move<W>> + '_ {
        self.moves_en_passant(index, side, None)
    }

    /// Returns the legal moves of `side` in this legal position, after a double step of the other side's
    /// pawn over the square `passed`, if there is one.
    pub fn moves_en_passant(
        &self,
        index: W,
        side: Color,
        passed: Option<Square>,
    ) -> impl Iterator<Item = Move<W>> + '_ {
        let placed = self.place(index);
        (0..self.pieces.len())
            .rev()
            .filter(move |&k| self.pieces[k].color == side)
            .flat_map(move |k| {
                let targets = self.targets(&placed, k, passed);
                targets.iter().flat_map(move |to| {
                    let kinds = if self.promotes(k, to) {
                        &PROMOTES[..]
                    } else {
                        &STAYS[..]
                    };
                    let captured = self.captured(&placed, k, to, passed);
                    let safe = self.is_safe_after(&placed, k, to, captured);
                    let kinds = kinds.iter().take(if safe { kinds.len() } else { 0 });
                    kinds.map(move |&kind| self.make(&placed, index, k, to, captured, kind))
                })
            })
    }

    /// The squares that a piece can go to, whether or not this uncovers a check.
    fn targets(&self, placed: &Placed, k: usize, passed: Option<Square>) -> Bitboard {
        let (piece, from) = (self.pieces[k], placed.squares[k]);
        let occupied = placed.occupied();
        let attacked = attacks(piece, from, occupied);
        if piece.kind != PieceType::Pawn {
            return attacked - placed.sides[piece.color as usize];
        }
        let mut to = attacked & placed.sides[!piece.color as usize];
        let victim = passed.and_then(|passed| behind(passed, piece.color));
        if let (Some(passed), Some(victim)) = (passed, victim) {
            let pawn = placed.number(&self.pieces, !piece.color, victim);
            if pawn.is_some_and(|k| self.pieces[k].kind == PieceType::Pawn) {
                to |= attacked & Bitboard::from_square(passed);
            }
        }
        to | pushes(piece.color, from, occupied)
    }

    /// Whether a piece that goes to this square promotes.
    fn promotes(&self, k: usize, to: Square) -> bool {
        let last = match self.pieces[k].color {
            Color::White => Rank::Eighth,
            Color::Black => Rank::First,
        };
        self.pieces[k].kind == PieceType::Pawn && to.rank() == last
    }

    /// The number of the piece that is taken if piece `k` goes to this square.
    fn captured(
        &self,
        placed: &Placed,
        k: usize,
        to: Square,
        passed: Option<Square>,
    ) -> Option<usize> {
        let piece = self.pieces[k];
        let direct = placed.number(&self.pieces, !piece.color, to);
        let en_passant = piece.kind == PieceType::Pawn
            && Some(to) == passed
            && to.file() != placed.squares[k].file();
        match behind(to, piece.color) {
            Some(victim) if en_passant && direct.is_none() => {
                placed.number(&self.pieces, !piece.color, victim)
            }
            _ => direct,
        }
    }

    /// Whether the mover's own king is not attacked after this move.
    fn is_safe_after(
        &self,
        placed: &Placed,
        k: usize,
        to: Square,
        captured: Option<usize>,
    ) -> bool {
        let side = self.pieces[k].color;
        let mut occupied = placed.occupied().without(placed.squares[k]);
        if let Some(captured) = captured {
            occupied = occupied.without(placed.squares[captured]);
        }
        let king = self.king(side);
        let square = if k == king { to } else { placed.squares[king] };
        !placed.attacks(&self.pieces, !side, square, occupied.with(to), captured)
    }

    /// The move with all that is told of it.
    fn make(
        &self,
        placed: &Placed,
        index: W,
        k: usize,
        to: Square,
        captured: Option<usize>,
        promotion: Option<PieceType>,
    ) -> Move<W> {
        let (piece, from) = (self.pieces[k], placed.squares[k]);
        let moved = self.layout.move_piece(index, k, from, to);
        let map = match (promotion, captured) {
            (Some(kind), _) => self.promotion(k, kind, captured),
            (None, Some(captured)) => self.captures[captured].as_ref(),
            (None, None) => None,
        };
        Move {
            piece: k,
            from,
            to,
            captured,
            promotion,
            en_passant: self.passed(placed, k, to),
            after: self.reached(map, moved, !piece.color),
        }
    }

    fn reached(&self, map: Option<&MaterialMap<W>>, index: W, side: Color) -> Reached<W> {
        match map {
            Some(map) => Reached {
                material: map.target(),
                index: map.map(index),
                side: map.color(side),
            },
            None => Reached {
                material: self.material,
                index,
                side,
            },
        }
    }

    /// The square that a double step passes, if a pawn of the other side attacks it.
    fn passed(&self, placed: &Placed, k: usize, to: Square) -> Option<Square> {
        let (piece, from) = (self.pieces[k], placed.squares[k]);
        let is_double = piece.kind == PieceType::Pawn && from.number().abs_diff(to.number()) == 16;
        let passed = behind(to, piece.color).filter(|_| is_double)?;
        let takers = self.numbers(!piece.color).filter(|&k| {
            let taker = self.pieces[k];
            let square = placed.squares[k];
            taker.kind == PieceType::Pawn
                && attacks(taker, square, Bitboard::EMPTY).contains(passed)
        });
        takers.into_iter().next().map(|_| passed)
    }
}

/// The square behind another, seen from a side.
pub(super) fn behind(square: Square, side: Color) -> Option<Square> {
    square.offset(0, -forward(side))
}

/// The direction in which a side's pawns go.
pub(super) const fn forward(side: Color) -> i8 {
    match side {
        Color::White => 1,
        Color::Black => -1,
    }
}

/// The rank on which a side's pawns begin.
pub(super) const fn first_rank(side: Color) -> Rank {
    match side {
        Color::White => Rank::Second,
        Color::Black => Rank::Seventh,
    }
}

/// The squares that a pawn can be pushed to.
fn pushes(side: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let free = |square: Option<Square>| square.filter(|&square| !occupied.contains(square));
    let mut to = Bitboard::EMPTY;
    if let Some(one) = free(from.offset(0, forward(side))) {
        to = to.with(one);
        if from.rank() == first_rank(side)
            && let Some(two) = free(one.offset(0, forward(side)))
        {
            to = to.with(two);
        }
    }
    to
}
