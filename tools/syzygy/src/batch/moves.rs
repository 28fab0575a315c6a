//! Legal moves of positions of a known material, as positions after them.

use cozy_chess::{BitBoard, Color, Piece, Square};

use super::endgame::{Child, Endgame, NONE};
use super::placed::Placed;

/// The attacks of a piece on an empty board: white and black pawns, then the pieces from knight to king.
static REACH: [[u64; 64]; 7] = {
    let mut reach = [[0; 64]; 7];
    let mut i = 0;
    while i < 64 {
        let square = Square::index_const(i);
        reach[0][i] = cozy_chess::get_pawn_attacks(square, Color::White).0;
        reach[1][i] = cozy_chess::get_pawn_attacks(square, Color::Black).0;
        reach[2][i] = cozy_chess::get_knight_moves(square).0;
        reach[3][i] = cozy_chess::get_bishop_rays(square).0;
        reach[4][i] = cozy_chess::get_rook_rays(square).0;
        reach[5][i] = reach[3][i] | reach[4][i];
        reach[6][i] = cozy_chess::get_king_moves(square).0;
        i += 1;
    }
    reach
};

/// The squares between two on a line.
static BETWEEN: [[u64; 64]; 64] = {
    let mut between = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let (a, b) = (Square::index_const(from), Square::index_const(to));
            between[from][to] = cozy_chess::get_between_rays(a, b).0;
            to += 1;
        }
        from += 1;
    }
    between
};

/// The fault of squares past h8.
pub(super) const OUTSIDE: &str = "a square is above 63";

const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;

const fn bit(square: u8) -> u64 {
    1 << (square & 63)
}

fn squares_of(set: u64) -> impl Iterator<Item = u8> {
    BitBoard(set).into_iter().map(|square| square as u8)
}

/// A position with what all its moves need.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    endgame: &'a Endgame,
    placed: Placed,
    squares: [u8; 8],
    occupied: u64,
    /// The slot of the king of the side to move.
    king: usize,
}

impl<'a> Position<'a> {
    /// A position of a material, which is legal but where [`fault`](Position::fault) is asked.
    #[inline]
    #[must_use]
    pub fn new(endgame: &'a Endgame, placed: Placed) -> Position<'a> {
        let squares = placed.squares();
        let pieces = &squares[..endgame.len()];
        Position {
            endgame,
            placed,
            squares,
            occupied: pieces.iter().fold(0, |set, &square| set | bit(square)),
            king: endgame.slots(placed.side()).start,
        }
    }

    /// The row of [`REACH`] for a piece.
    #[inline]
    fn reach(&self, slot: usize) -> &'static [u64; 64] {
        &REACH[usize::from(self.endgame.attackers[slot])]
    }

    /// Whether a piece attacks a square on a board with these squares occupied.
    #[inline]
    fn attacks(&self, slot: usize, square: u8, occupied: u64) -> bool {
        let from = usize::from(self.squares[slot] & 63);
        let between = BETWEEN[from][usize::from(square & 63)];
        (self.reach(slot)[from] & bit(square) != 0) & (between & occupied == 0)
    }

    /// Whether a square is attacked by the other side without the piece of a slot, on a board with these squares
    /// occupied.
    #[inline]
    fn attacked(&self, square: u8, occupied: u64, without: usize) -> bool {
        let slots = self.endgame.slots(!self.placed.side());
        slots.fold(false, |attacked, slot| {
            attacked | self.attacks(slot, square, occupied) & (slot != without)
        })
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.attacked(self.squares[self.king], self.occupied, NONE)
    }

    /// Whether the own king is safe after a piece went to a square, where it may have captured the piece of a slot.
    #[inline]
    fn is_legal(&self, slot: usize, to: u8, captured: usize) -> bool {
        let occupied = self.occupied & !bit(self.squares[slot]) | bit(to);
        let king = if slot == self.king {
            to
        } else {
            self.squares[self.king]
        };
        !self.attacked(king, occupied, captured)
    }

    /// Calls a function with each position after a capture, captures en passant left out.
    #[inline]
    pub fn captures(&self, mut each: impl FnMut(Child, Placed)) {
        let side = self.placed.side();
        let theirs = self.endgame.slots(!side);
        for slot in self.endgame.slots(side) {
            for captured in theirs.start + 1..theirs.end {
                let to = self.squares[captured];
                if self.attacks(slot, to, self.occupied) && self.is_legal(slot, to, captured) {
                    self.convert(slot, to, captured, &mut each);
                }
            }
        }
    }

    /// Calls a function with each position after a capture or promotion, or both.
    #[inline]
    fn convert(&self, slot: usize, to: u8, captured: usize, each: &mut impl FnMut(Child, Placed)) {
        let moved = self.placed.moved(slot, to);
        if self.endgame.pieces[slot].piece() == Piece::Pawn && bit(to) & LAST_RANKS != 0 {
            for (child, placed) in self.endgame.promoted(moved, slot, captured) {
                each(child, placed);
            }
        } else {
            let (child, placed) = self.endgame.captured(moved, captured);
            each(child, placed);
        }
    }

    /// Calls a function with each position after a capture en passant.
    pub fn captures_en_passant(&self, mut each: impl FnMut(Child, Placed)) {
        let Some(file) = self.placed.en_passant() else {
            return;
        };
        let side = self.placed.side();
        let (to, pawn) = match side {
            Color::White => (40 + file, 32 + file),
            Color::Black => (16 + file, 24 + file),
        };
        let mut theirs = self.endgame.slots(!side);
        let Some(captured) = theirs.find(|&slot| self.squares[slot] == pawn) else {
            return;
        };
        for slot in self.endgame.slots(side) {
            let occupied = self.occupied & !bit(self.squares[slot]) & !bit(pawn) | bit(to);
            if self.endgame.pieces[slot].piece() == Piece::Pawn
                && self.attacks(slot, to, 0)
                && !self.attacked(self.squares[self.king], occupied, captured)
            {
                self.convert(slot, to, captured, &mut each);
            }
        }
    }

    /// Calls a function with each position after a promotion without a capture.
    pub fn promotions(&self, mut each: impl FnMut(Child, Placed)) {
        self.pushes(|slot, to| {
            if bit(to) & LAST_RANKS != 0 {
                self.convert(slot, to, NONE, &mut each);
            }
        });
    }

    /// Calls a function with each position after a pawn move that is neither capture nor promotion.
    pub fn pawn_moves(&self, mut each: impl FnMut(Placed)) {
        self.pushes(|slot, to| {
            if bit(to) & LAST_RANKS != 0 {
                return;
            }
            let moved = self.placed.moved(slot, to);
            let double = self.squares[slot].abs_diff(to) == 16;
            let moved = moved.passing(double.then_some(to & 7));
            each(self.endgame.normal(moved));
        });
    }

    /// Calls a function with each legal move of a pawn along its file.
    #[inline]
    fn pushes(&self, mut each: impl FnMut(usize, u8)) {
        let side = self.placed.side();
        for slot in self.endgame.slots(side) {
            if self.endgame.pieces[slot].piece() != Piece::Pawn {
                continue;
            }
            let square = Square::index(usize::from(self.squares[slot] & 63));
            let quiets = cozy_chess::get_pawn_quiets(square, side, BitBoard(self.occupied));
            for to in squares_of(quiets.0) {
                if self.is_legal(slot, to, NONE) {
                    each(slot, to);
                }
            }
        }
    }

    /// Calls a function with each position after a move that is neither a capture nor a pawn's.
    #[inline]
    pub fn quiet_moves(&self, mut each: impl FnMut(Placed)) {
        self.quiet(|slot, to| {
            each(self.endgame.normal(self.placed.moved(slot, to)));
            false
        });
    }

    /// Calls a function with each quiet move until it says to stop.
    #[inline]
    fn quiet(&self, mut each: impl FnMut(usize, u8) -> bool) {
        let checked = self.in_check();
        for slot in self.endgame.slots(self.placed.side()) {
            let from = self.squares[slot];
            let square = Square::index(usize::from(from & 63));
            let blockers = BitBoard(self.occupied);
            let reached = match self.endgame.pieces[slot].piece() {
                Piece::Pawn => continue,
                Piece::Bishop => cozy_chess::get_bishop_moves(square, blockers).0,
                Piece::Rook => cozy_chess::get_rook_moves(square, blockers).0,
                Piece::Queen => {
                    let bishop = cozy_chess::get_bishop_moves(square, blockers);
                    (bishop | cozy_chess::get_rook_moves(square, blockers)).0
                }
                Piece::Knight | Piece::King => self.reach(slot)[usize::from(from & 63)],
            };
            // Without a check, a piece that shields the king from nothing moves freely.
            let king = self.squares[self.king];
            let free = slot != self.king
                && !checked
                && !self.attacked(king, self.occupied & !bit(from), NONE);
            for to in squares_of(reached & !self.occupied) {
                if (free || self.is_legal(slot, to, NONE)) && each(slot, to) {
                    return;
                }
            }
        }
    }

    /// Whether there is a legal move, captures en passant left out.
    #[must_use]
    pub fn can_move(&self) -> bool {
        let mut found = false;
        self.quiet(|_, _| {
            found = true;
            true
        });
        if !found {
            self.pushes(|_, _| found = true);
        }
        if !found {
            self.captures(|_, _| found = true);
        }
        found
    }

    /// Whether the side to move is checkmated.
    #[must_use]
    pub fn is_checkmate(&self) -> bool {
        let mut can_capture = false;
        self.captures_en_passant(|_, _| can_capture = true);
        self.in_check() && !can_capture && !self.can_move()
    }

    /// Why this is no legal position, if it isn't one.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        let endgame = self.endgame;
        let squares = &self.squares[..endgame.len()];
        if squares.iter().any(|&square| square > 63) {
            return Some(OUTSIDE);
        }
        if self.occupied.count_ones() as usize != squares.len() {
            return Some("two pieces stand on one square");
        }
        let pawns = (0..endgame.len()).filter(|&slot| endgame.pieces[slot].piece() == Piece::Pawn);
        if pawns.fold(0, |set, slot| set | bit(squares[slot])) & LAST_RANKS != 0 {
            return Some("a pawn stands on the first or the last rank");
        }
        let side = self.placed.side();
        let theirs = squares[endgame.slots(!side).start];
        if REACH[6][usize::from(theirs)] & bit(squares[self.king]) != 0 {
            return Some("the kings touch");
        }
        let other = Position {
            placed: self.placed.moved(self.king, squares[self.king]),
            ..*self
        };
        (other.attacked(theirs, self.occupied, NONE))
            .then_some("the side that moved last is in check")
    }
}
