//! The squares that a piece attacks: enough chess to tell whether a king is in check.
//!
//! Leapers look up their attacks; sliders walk the eight rays and cut each at its first blocker.

use super::{Bitboard, Leaper, Piece, PieceType, Square, Step};

/// The steps along a file, a rank and the diagonals; the first four lead to higher square numbers.
const DIRECTIONS: [(i8, i8); 8] = [
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
    (-1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
];
const STRAIGHT: [usize; 4] = [0, 2, 4, 6];
const DIAGONAL: [usize; 4] = [1, 3, 5, 7];
/// The squares that a white pawn attacks; a black one attacks the reverse.
const PAWN_STEPS: Leaper = Leaper::EMPTY.with(Step::new(-1, 1)).with(Step::new(1, 1));

const fn from_every_square(leaper: Leaper) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut from = 0;
    while from < 64 {
        table[from] = leaper.attacks(Square::new(from as u8));
        from += 1;
    }
    table
}

const fn rays() -> [[Bitboard; 64]; 8] {
    let mut table = [[Bitboard::EMPTY; 64]; 8];
    let mut direction = 0;
    while direction < 8 {
        let (files, ranks) = DIRECTIONS[direction];
        let mut from = 0;
        while from < 64 {
            let mut at = Square::new(from as u8);
            while let Some(next) = at.offset(files, ranks) {
                table[direction][from] = table[direction][from].with(next);
                at = next;
            }
            from += 1;
        }
        direction += 1;
    }
    table
}

const fn betweens() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut direction = 0;
    while direction < 8 {
        let mut from = 0;
        while from < 64 {
            let ray = RAYS[direction][from];
            let mut to = 0;
            while to < 64 {
                if ray.contains(Square::new(to as u8)) {
                    let beyond = RAYS[direction][to];
                    table[from][to] = Bitboard(ray.0 & !beyond.0 & !(1 << to));
                }
                to += 1;
            }
            from += 1;
        }
        direction += 1;
    }
    table
}

static KING: [Bitboard; 64] = from_every_square(Leaper::KING);
static KNIGHT: [Bitboard; 64] = from_every_square(Leaper::KNIGHT);
static PAWN: [[Bitboard; 64]; 2] = [
    from_every_square(PAWN_STEPS),
    from_every_square(PAWN_STEPS.reversed()),
];
const RAYS: [[Bitboard; 64]; 8] = rays();
static RAY: [[Bitboard; 64]; 8] = RAYS;
static BETWEEN: [[Bitboard; 64]; 64] = betweens();

#[inline]
fn slide(directions: [usize; 4], from: Square, occupied: Bitboard) -> Bitboard {
    let mut attacked = Bitboard::EMPTY;
    for direction in directions {
        let ray = RAY[direction][from.index()];
        let blockers = ray & occupied;
        let blocker = if direction < 4 {
            blockers.first()
        } else {
            blockers.last()
        };
        attacked |= match blocker {
            Some(square) => ray - RAY[direction][square.index()],
            None => ray,
        };
    }
    attacked
}

/// The squares that `piece` on `from` attacks when the squares of `occupied` block its way. The
/// first blocker of a ray is attacked; whether `from` itself is in `occupied` makes no difference.
///
/// ```
/// use tbindex::{Bitboard, Color, Piece, PieceType, Square, attacks};
/// let rook = Piece::new(Color::White, PieceType::Rook);
/// let blocker: Square = "a4".parse()?;
/// let set = attacks(rook, Square::A1, blocker.into());
/// assert_eq!(set.len(), 7 + 3);
/// # Ok::<(), tbindex::NameError>(())
/// ```
#[must_use]
#[inline]
pub fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceType::King => KING[from.index()],
        PieceType::Knight => KNIGHT[from.index()],
        PieceType::Pawn => PAWN[piece.color as usize][from.index()],
        PieceType::Bishop => slide(DIAGONAL, from, occupied),
        PieceType::Rook => slide(STRAIGHT, from, occupied),
        PieceType::Queen => slide(DIAGONAL, from, occupied) | slide(STRAIGHT, from, occupied),
    }
}

/// The squares strictly between two squares of one rank, file or diagonal; none between others.
#[inline]
pub(crate) fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}
