//! The pieces whose squares are digits of a domain.

use std::fmt;
use std::ops::Range;

use crate::board::{Bitboard, Color, Leaper, Piece, PieceType, Square, Step, Symmetry, attacks};

/// The way in which a man moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Walk {
    /// As a piece of chess: a queen, a rook, a bishop or a knight, or a king if the kings are
    /// [free](super::Domain::with_free_kings).
    Chess(PieceType),
    /// By the steps of a leaper, which nothing blocks. A step of +1 rank leads towards rank 8 for both colours.
    Leaper(Leaper),
}

/// A free piece of a [`Domain`](super::Domain): it may stand on any square. A pawn is never free, and a king is
/// only in domains [with free kings](super::Domain::with_free_kings).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Man {
    /// The way in which it moves.
    pub walk: Walk,
    /// The side that it belongs to.
    pub color: Color,
}

impl Man {
    /// Whether this is a king.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// // Free kings are the first two men.
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?.with_free_kings();
    /// assert_eq!(domain.men().iter().map(|man| man.is_king()).collect::<Vec<_>>(), [true, true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_king(self) -> bool {
        matches!(self.walk, Walk::Chess(PieceType::King))
    }

    /// The piece of chess that this is, or `None` for a leaper.
    ///
    /// ```
    /// # use tbindex::bitbase::{Man, Walk};
    /// # use tbindex::{Color, Leaper, Piece, PieceType};
    /// let knight = Piece::new(Color::White, PieceType::Knight);
    /// assert_eq!(Man::from(knight).piece(), Some(knight));
    /// // A leaper with the steps of a knight is none.
    /// let leaper = Man { walk: Walk::Leaper(Leaper::KNIGHT), color: Color::White };
    /// assert_eq!(leaper.piece(), None);
    /// ```
    #[must_use]
    pub const fn piece(self) -> Option<Piece> {
        match self.walk {
            Walk::Chess(kind) => Some(Piece::new(self.color, kind)),
            Walk::Leaper(_) => None,
        }
    }

    /// The squares that the man attacks from a square if these squares are occupied. The first occupied
    /// square on a line is attacked. Nothing blocks a leaper.
    ///
    /// ```
    /// # use tbindex::bitbase::Man;
    /// # use tbindex::{Bitboard, Color, Piece, PieceType, Square};
    /// let rook = Man::from(Piece::new(Color::White, PieceType::Rook));
    /// let [a1, c1] = [0, 2].map(Square::new);
    /// assert_eq!(rook.attacks(a1, Bitboard::EMPTY).len(), 14);
    /// assert_eq!(rook.attacks(a1, Bitboard::EMPTY.with(c1)).len(), 9);
    /// ```
    #[must_use]
    #[inline]
    pub fn attacks(self, from: Square, occupied: Bitboard) -> Bitboard {
        match self.walk {
            Walk::Chess(kind) => attacks(Piece::new(self.color, kind), from, occupied),
            Walk::Leaper(leaper) => leaper.attacks(from),
        }
    }

    /// The same man of the other colour. A leaper's steps are mirrored, so that a step forwards for one side
    /// becomes the same step forwards for the other.
    ///
    /// ```
    /// # use tbindex::bitbase::{Man, Walk};
    /// # use tbindex::{Bitboard, Color, Leaper, Square, Step};
    /// let forwards: Leaper = [Step::new(0, 1)].into_iter().collect();
    /// let black = Man { walk: Walk::Leaper(forwards), color: Color::White }.swap_color();
    /// let (e4, e3): (Square, Square) = ("e4".parse()?, "e3".parse()?);
    /// assert_eq!(black.attacks(e4, Bitboard::EMPTY), Bitboard::EMPTY.with(e3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn swap_color(self) -> Man {
        Man {
            color: self.color.other(),
            ..self.image(Symmetry::FlipVertical)
        }
    }

    /// The man on a board that is turned by a symmetry, with his steps turned alike.
    pub(super) fn image(self, symmetry: Symmetry) -> Man {
        let walk = match self.walk {
            Walk::Leaper(leaper) => Walk::Leaper(leaper.image(symmetry)),
            chess @ Walk::Chess(_) => chess,
        };
        Man { walk, ..self }
    }
}

impl From<Piece> for Man {
    /// The man of a piece of chess.
    fn from(piece: Piece) -> Man {
        Man {
            walk: Walk::Chess(piece.kind),
            color: piece.color,
        }
    }
}

impl fmt::Display for Man {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.walk {
            Walk::Chess(kind) => write!(f, "{} {}", self.color, kind),
            Walk::Leaper(leaper) => write!(f, "{} leaper {leaper}", self.color.name()),
        }
    }
}

/// The moves of a man as the operations on sets need them.
#[derive(Clone, Debug)]
pub(super) struct Movement {
    pub(super) straight: bool,
    pub(super) diagonal: bool,
    pub(super) knight: bool,
    /// The steps of a leaper by their [`Direction`], and the squares that they lead to from each square.
    pub(super) steps: [Vec<Step>; 2],
    pub(super) leaps: [[Bitboard; 64]; 2],
}

impl Movement {
    pub(super) fn of(man: Man) -> Movement {
        use PieceType::{King, Knight};
        let leaper = match man.walk {
            Walk::Chess(King) => Leaper::KING,
            Walk::Chess(Knight) => Leaper::KNIGHT,
            Walk::Chess(_) => Leaper::EMPTY,
            Walk::Leaper(leaper) => leaper,
        };
        let slides = |straight| matches!(man.walk, Walk::Chess(kind) if kind.slides(straight));
        let by_way = [leaper, leaper.reversed()];
        Movement {
            straight: slides(true),
            diagonal: slides(false),
            knight: leaper == Leaper::KNIGHT,
            steps: by_way.map(|leaper| leaper.steps().collect()),
            leaps: by_way
                .map(|leaper| std::array::from_fn(|from| leaper.attacks(Square::new(from as u8)))),
        }
    }

    /// The places of the [lines](super::lines::Lines) on which the man slides: 0 for files and ranks, 1 for
    /// diagonals.
    #[inline(always)]
    pub(super) fn axes(&self) -> Range<usize> {
        match (self.straight, self.diagonal) {
            (true, true) => 0..2,
            (true, false) => 0..1,
            (false, true) => 1..2,
            (false, false) => 0..0,
        }
    }

    /// Whether nothing blocks the man.
    #[inline(always)]
    pub(super) fn leaps_over(&self) -> bool {
        !self.straight && !self.diagonal
    }
}

/// The direction in which moves are played.
///
/// Moves back differ from moves forth only for leapers without point symmetry, but the caller's
/// [mask](super#masks) differs for all pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From positions to the positions that moves lead to.
    Forward,
    /// From positions to the positions that moves come from.
    Backward,
}
