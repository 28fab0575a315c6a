//! Legality, check, and the legal moves.

use std::iter::FusedIterator;

use super::placed::PlacedPieces;
use super::{Move, Moves, Reached, king_number, numbers};
use crate::board::{Bitboard, Color, PROMOTIONS, PieceType, Square, attacks, between};
use crate::index::{MaterialMap, Word};

/// # Positions
impl<W: Word> Moves<W> {
    /// Returns whether the position is legal with `side` to move: no two pieces share a square, pawns
    /// stand on ranks 2 to 7, and the king of the side that is not to move is not attacked, so that the
    /// kings do not touch either. An index with bits above its digits is not legal.
    ///
    /// ```
    /// # use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// // K on a1, k on h8 and R on h1: white has given check, so it is black's turn.
    /// let index = 0o070_077;
    /// assert!(moves.is_legal(index, Color::Black) && !moves.is_legal(index, Color::White));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_legal(&self, index: W, side: Color) -> bool {
        if !self.layout.is_valid(index) {
            return false;
        }
        let placed = self.place(index);
        placed.is_placement(&self.pieces) && !self.attacks_king(&placed, !side)
    }

    /// Returns whether the king of `side` is attacked. The index must be valid. A legal position without [moves](Moves::moves)
    /// is checkmate if it is, and else stalemate.
    ///
    /// ```
    /// # use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// // K on g6, k on g8 and R on a8: checkmate.
    /// let index = 0o577_660;
    /// assert!(moves.is_check(index, Color::Black));
    /// assert!(moves.moves(index, Color::Black, None).next().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_check(&self, index: W, side: Color) -> bool {
        self.attacks_king(&self.place(index), side)
    }

    /// Returns whether the king of `side` is attacked.
    fn attacks_king(&self, placed: &PlacedPieces, side: Color) -> bool {
        let square = placed.squares[king_number(&self.pieces, side)];
        placed.attacks(&self.pieces, !side, square, placed.occupied(), None)
    }
}

/// # Moves
impl<W: Word> Moves<W> {
    /// Returns the legal moves of `side` in this legal position, piece by piece from the leading one down; after a
    /// double step of the other side's pawn with the square `passed`, so that pawns may take en passant there.
    ///
    /// ```
    /// # use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// // K on a1, k on h8 and R on h1.
    /// let escapes = moves.moves(0o070_077, Color::Black, None).map(|m| m.to_string());
    /// assert_eq!(escapes.collect::<Vec<_>>(), ["h8g7", "h8g8"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moves(
        &self,
        index: W,
        side: Color,
        passed: Option<Square>,
    ) -> impl FusedIterator<Item = Move<W>> + Clone + '_ {
        LegalMoves::new(self, index, side, passed)
    }

    /// The map of a capture or a promotion by piece `k`, from indices in which it has gone to its square.
    #[inline]
    pub(crate) fn map_of(
        &self,
        k: usize,
        captured: Option<usize>,
        promotion: Option<PieceType>,
    ) -> Option<&MaterialMap<W>> {
        let Some(kind) = promotion else {
            return self.captures[captured?].as_ref();
        };
        let kind = PROMOTIONS.iter().position(|&other| other == kind)?;
        let captured = captured.unwrap_or(self.pieces.len());
        let place = (k * PROMOTIONS.len() + kind) * (self.pieces.len() + 1) + captured;
        self.promotions[place].as_ref()
    }
}

/// The legal moves of a position: see [`Moves::moves`].
#[derive(Clone)]
struct LegalMoves<'a, W> {
    moves: &'a Moves<W>,
    index: W,
    placed: PlacedPieces,
    side: Color,
    passed: Option<Square>,
    /// The squares that are attacked when the king is off the board; it may not go there.
    attacked: Bitboard,
    /// The squares to which another piece must go, so that the king is not in check afterwards.
    answers: Bitboard,
    /// The pieces that alone stand between their king and a piece that would attack it.
    pinned: Bitboard,
    /// The number of the piece that moves now, or the number of pieces; pieces above it are done.
    next: usize,
    /// Where the piece that moves now can still go.
    targets: Bitboard,
    /// The number of promotions that were made on the first of these squares.
    promotions: usize,
}

impl<'a, W: Word> LegalMoves<'a, W> {
    fn new(moves: &'a Moves<W>, index: W, side: Color, passed: Option<Square>) -> Self {
        let placed = moves.place(index);
        let (occupied, own) = (placed.occupied(), placed.sides[side as usize]);
        let king = placed.squares[king_number(&moves.pieces, side)];
        let (mut attacked, mut answers, mut pinned) =
            (Bitboard::EMPTY, Bitboard::ALL, Bitboard::EMPTY);
        for k in numbers(&moves.pieces, !side) {
            let (piece, square) = (moves.pieces[k], placed.squares[k]);
            let reach = attacks(piece, square, occupied.without(king));
            attacked |= reach;
            let line = between(king, square);
            if reach.contains(king) {
                answers &= line.with(square);
            } else if slides_along(piece.kind, king, square) {
                let blockers = line & occupied;
                if blockers.len() == 1 {
                    pinned |= blockers & own;
                }
            }
        }
        LegalMoves {
            moves,
            index,
            placed,
            side,
            passed,
            attacked,
            answers,
            pinned,
            next: moves.pieces.len(),
            targets: Bitboard::EMPTY,
            promotions: 0,
        }
    }

    /// The squares to which piece `k` can go.
    #[inline]
    fn targets(&self, k: usize) -> Bitboard {
        let (piece, from) = (self.moves.pieces[k], self.placed.squares[k]);
        let (occupied, own) = (
            self.placed.occupied(),
            self.placed.sides[self.side as usize],
        );
        let reach = attacks(piece, from, occupied);
        if piece.kind == PieceType::King {
            return reach - own - self.attacked;
        }
        let mut to = match piece.kind {
            PieceType::Pawn => reach & (occupied - own) | pushes(self.side, from, occupied),
            _ => reach - own,
        };
        to &= self.answers;
        if self.pinned.contains(from) {
            to &= self.line_of_pin(from);
        }
        match self.passed {
            Some(passed) if piece.kind == PieceType::Pawn && reach.contains(passed) => {
                to | self.en_passant(k, passed)
            }
            _ => to,
        }
    }

    /// The squares that a pinned piece may go to: up to the square of the piece that pins it.
    fn line_of_pin(&self, from: Square) -> Bitboard {
        let king = self.placed.squares[king_number(&self.moves.pieces, self.side)];
        let mut enemies = numbers(&self.moves.pieces, !self.side);
        let line = enemies.find_map(|k| {
            let square = self.placed.squares[k];
            let line = between(king, square);
            let pins = line.contains(from) && slides_along(self.moves.pieces[k].kind, king, square);
            pins.then_some(line.with(square))
        });
        line.unwrap_or(Bitboard::ALL)
    }

    /// The square `passed`, which pawn `k` attacks, if the pawn can take en passant there.
    fn en_passant(&self, k: usize, passed: Square) -> Bitboard {
        let (moves, placed) = (self.moves, &self.placed);
        let victim = behind(passed, self.side)
            .filter(|_| !placed.occupied().contains(passed))
            .and_then(|square| placed.number(&moves.pieces, !self.side, square))
            .filter(|&victim| moves.pieces[victim].kind == PieceType::Pawn);
        let Some(victim) = victim else {
            return Bitboard::EMPTY;
        };
        // Two pieces leave a rank, so that pins do not tell whether this uncovers a check.
        let [from, taken] = [k, victim].map(|k| placed.squares[k]);
        let occupied = placed.occupied().without(from).without(taken).with(passed);
        let king = placed.squares[king_number(&moves.pieces, self.side)];
        match placed.attacks(&moves.pieces, !self.side, king, occupied, Some(victim)) {
            true => Bitboard::EMPTY,
            false => passed.into(),
        }
    }

    /// Whether piece `k` promotes when it goes to this square.
    #[inline]
    fn promotes(&self, k: usize, to: Square) -> bool {
        self.moves.pieces[k].kind == PieceType::Pawn && to.rank() == self.side.last_rank()
    }

    /// The move of piece `k` to one of its targets.
    #[inline(always)]
    fn make(&self, k: usize, to: Square, promotion: Option<PieceType>) -> Move<W> {
        let (moves, placed) = (self.moves, &self.placed);
        let (piece, from) = (moves.pieces[k], placed.squares[k]);
        let is_pawn = piece.kind == PieceType::Pawn;
        let mut captured = placed.number(&moves.pieces, !self.side, to);
        if is_pawn && captured.is_none() && to.file() != from.file() {
            let victim = behind(to, self.side);
            captured = victim.and_then(|at| placed.number(&moves.pieces, !self.side, at));
        }
        let is_double = is_pawn && from.number().abs_diff(to.number()) == 16;
        let index = moves.layout.move_piece(self.index, k, from, to);
        let after = match moves.map_of(k, captured, promotion) {
            Some(map) => Reached {
                material: map.target(),
                index: map.map(index),
                side: map.color(!self.side),
            },
            None => Reached {
                material: moves.material,
                index,
                side: !self.side,
            },
        };
        Move {
            piece: k,
            from,
            to,
            captured,
            promotion,
            en_passant: if is_double { self.passed_by(to) } else { None },
            after,
        }
    }

    /// The square that a double step to `to` passes, if a pawn of the other side attacks it.
    fn passed_by(&self, to: Square) -> Option<Square> {
        let passed = behind(to, self.side)?;
        let takes = |k: usize| {
            let taker = self.moves.pieces[k];
            taker.kind == PieceType::Pawn
                && attacks(taker, self.placed.squares[k], Bitboard::EMPTY).contains(passed)
        };
        numbers(&self.moves.pieces, !self.side)
            .any(takes)
            .then_some(passed)
    }
}

impl<W: Word> Iterator for LegalMoves<'_, W> {
    type Item = Move<W>;

    #[inline]
    fn next(&mut self) -> Option<Move<W>> {
        while self.targets.is_empty() {
            self.next = self.next.checked_sub(1)?;
            if self.moves.pieces[self.next].color == self.side {
                self.targets = self.targets(self.next);
            }
        }
        let (k, to) = (self.next, self.targets.first()?);
        let mut promotion = None;
        if self.promotes(k, to) {
            promotion = Some(PROMOTIONS[self.promotions]);
            self.promotions = (self.promotions + 1) % PROMOTIONS.len();
        }
        if self.promotions == 0 {
            self.targets = self.targets.without(to);
        }
        Some(self.make(k, to, promotion))
    }
}

impl<W: Word> FusedIterator for LegalMoves<'_, W> {}

/// Whether a piece of this type would attack one square from the other on an empty board, along a line with
/// squares between the two.
#[inline]
fn slides_along(kind: PieceType, a: Square, b: Square) -> bool {
    let straight = a.file() == b.file() || a.rank() == b.rank();
    kind.slides(straight) && !between(a, b).is_empty()
}

/// The square behind another, seen from a side.
pub(super) fn behind(square: Square, side: Color) -> Option<Square> {
    square.offset(0, -side.forward())
}

/// The squares that a pawn can be pushed to.
fn pushes(side: Color, from: Square, occupied: Bitboard) -> Bitboard {
    let free = |square: Option<Square>| square.filter(|&square| !occupied.contains(square));
    let mut to = Bitboard::EMPTY;
    if let Some(one) = free(from.offset(0, side.forward())) {
        to = to.with(one);
        if from.rank() == side.first_rank()
            && let Some(two) = free(one.offset(0, side.forward()))
        {
            to = to.with(two);
        }
    }
    to
}
