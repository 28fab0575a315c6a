//! The squares that the pieces of several positions can go to and come from, as vectors of boards.
//!
//! A vector has the same piece of as many positions as it has words, each as a board with one square. Formulas read as for
//! one board; no branch depends on a position.

use bytemuck::Zeroable;

use super::backend::Backend;
use crate::board::{Bitboard, Color, Piece, PieceType};
use crate::dispatch;
use crate::index::{Word, king_number, numbers};
use crate::simd::{Isa, Lanes};

/// The number of positions that are decoded at a time.
pub(super) const PART: usize = 256;
/// The most pieces that a word of a batch holds.
pub(super) const MAX_PIECES: usize = <u64 as Word>::MAX_PIECES;

/// The positions that are decoded at a time.
#[derive(Zeroable)]
pub(super) struct Part {
    /// The square of each piece in each position.
    pub(super) squares: [[u8; PART]; MAX_PIECES],
    /// Where it can go to or come from, as a board.
    pub(super) boards: [[u64; PART]; MAX_PIECES],
}

/// The squares that a step by one file can lead to: all but the file that it leaves behind.
const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const ALL: u64 = u64::MAX;

/// The number of bits by which a step shifts a board, and the squares where it can end.
type Step = (i32, u64);

const STRAIGHT: [Step; 4] = [(8, ALL), (-8, ALL), (1, NOT_FILE_A), (-1, NOT_FILE_H)];
const DIAGONAL: [Step; 4] = [
    (9, NOT_FILE_A),
    (-9, NOT_FILE_H),
    (7, NOT_FILE_H),
    (-7, NOT_FILE_A),
];
const KNIGHT: [Step; 8] = [
    (17, NOT_FILE_A),
    (-17, NOT_FILE_H),
    (15, NOT_FILE_H),
    (-15, NOT_FILE_A),
    (10, NOT_FILE_A & NOT_FILE_A << 1),
    (-10, NOT_FILE_H & NOT_FILE_H >> 1),
    (6, NOT_FILE_H & NOT_FILE_H >> 1),
    (-6, NOT_FILE_A & NOT_FILE_A << 1),
];

/// Finds the squares that each piece of a side can go to in a legal move or, if `BACK`, those that it can have come from,
/// such that the position before was legal.
pub(super) fn find<const BACK: bool>(
    backend: Backend,
    pieces: &[Piece],
    side: Color,
    part: &mut Part,
    count: usize,
) {
    dispatch!(backend, isa => by_vectors(
        isa,
        count,
        part,
        #[inline(always)]
        |boards| match BACK {
            true => origins(isa, pieces, side, &boards),
            false => targets(isa, pieces, side, &boards),
        },
    ));
}

/// The boards of all pieces of as many positions as a vector has words.
type Boards<I> = [<I as Isa>::Of<u64>; MAX_PIECES];

/// Makes boards of squares, and replaces them by their images, vector by vector.
#[inline(always)]
fn by_vectors<I: Isa>(
    isa: I,
    count: usize,
    part: &mut Part,
    image: impl Fn(Boards<I>) -> Boards<I>,
) {
    let step = I::Of::<u64>::COUNT;
    for first in (0..count).step_by(step) {
        let mut boards = [I::Of::<u64>::splat(isa, 0); MAX_PIECES];
        for (board, squares) in boards.iter_mut().zip(&part.squares) {
            let mut words = [0; 8];
            for (word, square) in words.iter_mut().zip(&squares[first..][..step]) {
                *word = 1 << (square & 63);
            }
            *board = I::Of::<u64>::load(isa, &words);
        }
        for (to, image) in part.boards.iter_mut().zip(image(boards)) {
            image.store(&mut to[first..]);
        }
    }
}

/// The operations on boards of one set of instructions.
#[derive(Clone, Copy)]
struct On<I>(I);

impl<I: Isa> On<I> {
    #[inline(always)]
    fn splat(self, board: u64) -> I::Of<u64> {
        I::Of::<u64>::splat(self.0, board)
    }

    /// Shifts boards by the steps of a piece.
    #[inline(always)]
    fn shift(self, x: I::Of<u64>, by: i32) -> I::Of<u64> {
        let bits = I::Of::<u64>::shift(self.0, by.unsigned_abs());
        if by >= 0 { x << bits } else { x >> bits }
    }

    /// The squares one step away.
    #[inline(always)]
    fn step(self, x: I::Of<u64>, (by, onto): Step) -> I::Of<u64> {
        self.shift(x, by) & self.splat(onto)
    }

    /// The squares that any of the steps leads to.
    #[inline(always)]
    fn leap(self, x: I::Of<u64>, steps: &[Step]) -> I::Of<u64> {
        let mut all = self.splat(0);
        for &step in steps {
            all = all | self.step(x, step);
        }
        all
    }

    /// The squares from the next one on to the first that is not empty.
    #[inline(always)]
    fn ray(self, x: I::Of<u64>, empty: I::Of<u64>, step: Step) -> I::Of<u64> {
        let (by, onto) = step;
        // The squares within one, three and seven steps over empty squares.
        let through = empty & self.splat(onto);
        let x = x | through & self.shift(x, by);
        let through = through & self.shift(through, by);
        let x = x | through & self.shift(x, 2 * by);
        let through = through & self.shift(through, 2 * by);
        let x = x | through & self.shift(x, 4 * by);
        self.step(x, step)
    }

    /// The rays in all directions of a slider.
    #[inline(always)]
    fn rays(self, x: I::Of<u64>, empty: I::Of<u64>, steps: &[Step]) -> I::Of<u64> {
        let mut all = self.splat(0);
        for &step in steps {
            all = all | self.ray(x, empty, step);
        }
        all
    }

    /// The squares that a piece on these squares attacks.
    #[inline(always)]
    fn attacks(self, piece: Piece, x: I::Of<u64>, empty: I::Of<u64>) -> I::Of<u64> {
        match piece.kind {
            PieceType::King => self.leap(x, &STRAIGHT) | self.leap(x, &DIAGONAL),
            PieceType::Queen => self.rays(x, empty, &STRAIGHT) | self.rays(x, empty, &DIAGONAL),
            PieceType::Rook => self.rays(x, empty, &STRAIGHT),
            PieceType::Bishop => self.rays(x, empty, &DIAGONAL),
            PieceType::Knight => self.leap(x, &KNIGHT),
            PieceType::Pawn => self.leap(x, pawn_captures(piece.color)),
        }
    }

    /// All squares in the positions where no bit is set, and the squares of `other` elsewhere.
    #[inline(always)]
    fn all_unless(self, bits: I::Of<u64>, other: I::Of<u64>) -> I::Of<u64> {
        self.splat(ALL).select(bits.equal(self.splat(0)), other)
    }
}

/// The captures of a side's pawns.
const fn pawn_captures(side: Color) -> &'static [Step] {
    match side {
        Color::White => &[(9, NOT_FILE_A), (7, NOT_FILE_H)],
        Color::Black => &[(-9, NOT_FILE_H), (-7, NOT_FILE_A)],
    }
}

impl<I: Isa> On<I> {
    /// All pieces of a side.
    #[inline(always)]
    fn side(self, pieces: &[Piece], side: Color, boards: &Boards<I>) -> I::Of<u64> {
        let mut all = self.splat(0);
        for k in numbers(pieces, side) {
            all = all | boards[k];
        }
        all
    }

    /// For each piece of one side the squares where it leaves the king of a side unattacked by the pieces of `attackers`,
    /// as far as lines to that king are interrupted or opened. An attacker that is the piece itself does not count.
    #[inline(always)]
    fn shields(
        self,
        pieces: &[Piece],
        boards: &Boards<I>,
        (king_of, attackers, shields): (Color, Color, Color),
    ) -> Boards<I> {
        let king = boards[king_number(pieces, king_of)];
        let side = self.side(pieces, shields, boards);
        let empty = !(side | self.side(pieces, !shields, boards));
        let mut allowed = [self.splat(ALL); MAX_PIECES];
        for other in numbers(pieces, attackers) {
            // A piece attacks the king from where it would be attacked by one of the king's side on the king's square.
            let kind = pieces[other].kind;
            if kind == PieceType::Knight || kind == PieceType::Pawn {
                let attack =
                    self.attacks(Piece::new(!attackers, kind), king, empty) & boards[other];
                for k in numbers(pieces, shields).filter(|&k| k != other) {
                    allowed[k] = allowed[k] & self.all_unless(attack, attack);
                }
            }
        }
        for (steps, straight) in [(STRAIGHT, true), (DIAGONAL, false)] {
            let mut sliders = self.splat(0);
            let mut count = 0;
            for k in numbers(pieces, attackers) {
                if pieces[k].kind.slides(straight) {
                    sliders = sliders | boards[k];
                    count += 1;
                }
            }
            if count == 0 {
                continue;
            }
            for step in steps {
                let ray = self.ray(king, empty, step);
                let beyond = self.ray(ray & side, empty, step);
                let pinned = ray & side & !self.all_unless(beyond & sliders, self.splat(0));
                for k in numbers(pieces, shields) {
                    let check = ray & sliders & !boards[k];
                    let pin = pinned & boards[k];
                    let line = self.all_unless(check, ray) & self.all_unless(pin, ray | beyond);
                    allowed[k] = allowed[k] & line;
                }
            }
        }
        allowed
    }
}

/// The squares to which each piece of a side can go.
#[inline(always)]
fn targets<I: Isa>(isa: I, pieces: &[Piece], side: Color, boards: &Boards<I>) -> Boards<I> {
    let on = On(isa);
    let (own, enemies) = (
        on.side(pieces, side, boards),
        on.side(pieces, !side, boards),
    );
    let empty = !(own | enemies);
    let king = boards[king_number(pieces, side)];
    let shields = on.shields(pieces, boards, (side, !side, side));
    let mut targets = [on.splat(0); MAX_PIECES];
    for k in numbers(pieces, side) {
        let piece = pieces[k];
        let reach = on.attacks(piece, boards[k], empty);
        targets[k] = match piece.kind {
            PieceType::King => {
                let mut free = reach & !own;
                for other in numbers(pieces, !side) {
                    // The king does not shield the squares behind it.
                    free = free & !on.attacks(pieces[other], boards[other], empty | king);
                }
                free
            }
            PieceType::Pawn => {
                let forward = 8 * i32::from(side.forward());
                let first_rank = on.splat(Bitboard::from_rank(side.first_rank()).0);
                let one = on.shift(boards[k], forward) & empty;
                let two = on.shift(one & on.shift(first_rank, forward), forward) & empty;
                (reach & enemies | one | two) & shields[k]
            }
            _ => reach & !own & shields[k],
        };
    }
    targets
}

/// The squares from which each piece of a side can have come without a capture, if the king of the other side was not
/// attacked before.
#[inline(always)]
fn origins<I: Isa>(isa: I, pieces: &[Piece], side: Color, boards: &Boards<I>) -> Boards<I> {
    let on = On(isa);
    let empty = !(on.side(pieces, side, boards) | on.side(pieces, !side, boards));
    let king = boards[king_number(pieces, !side)];
    let shields = on.shields(pieces, boards, (!side, side, side));
    let mut origins = [on.splat(0); MAX_PIECES];
    for k in numbers(pieces, side) {
        let piece = pieces[k];
        let from = match piece.kind {
            PieceType::Pawn => {
                let back = -8 * i32::from(side.forward());
                let first_rank = on.splat(Bitboard::from_rank(side.first_rank()).0);
                let behind = on.splat(Bitboard::from_rank((!side).last_rank()).0);
                let one = on.shift(boards[k], back) & empty & !behind;
                one | on.shift(one, back) & empty & first_rank
            }
            _ => on.attacks(piece, boards[k], empty) & empty,
        };
        // Where the piece would have attacked the king, once it had left its square.
        let checks = on.attacks(Piece::new(!side, piece.kind), king, empty | boards[k]);
        origins[k] = from & shields[k] & !checks;
    }
    origins
}
