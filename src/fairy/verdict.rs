//! The exact verdict on a piece on the unbounded board.

use std::fmt;

use super::{Directions, Lattice, Wind};
use crate::board::Leaper;

/// The verdict on a piece on a board without edges: whether it can reach every square, and the reason.
///
/// The squares that a piece can reach are the sums of its moves. They are all squares exactly if the moves
/// generate Z² as a [lattice](Lattice), and no closed half-plane through the piece holds all
/// moves. (If no half-plane does, the negative of every move is a sum of moves, so the sums are a group,
/// and that is the lattice.) Then the piece is *free*, otherwise *bound*.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::Verdict;
/// let verdict = Verdict::of("F".parse()?);
/// assert!(!verdict.is_free());
/// assert_eq!(verdict.lattice.index(), Some(2));
/// assert_eq!(
///     verdict.to_string(),
///     "Bound: every move keeps to one colour of 2 (checker), \
///      as f + r is divisible by 2 for all moves (f,r)."
/// );
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Verdict {
    /// The piece.
    pub piece: Leaper,
    /// The lattice that the moves generate, with its rank, index and colouring.
    pub lattice: Lattice,
    missing: Directions,
}

impl Verdict {
    /// The verdict on a piece.
    #[must_use]
    pub fn of(piece: Leaper) -> Verdict {
        Verdict {
            piece,
            lattice: Lattice::generated_by(piece),
            missing: Directions::of(piece).missing(),
        }
    }

    /// Whether a closed half-plane through the piece holds all its moves.
    ///
    /// This is so for all pieces of lattice rank 0 and 1, as their moves are on one line.
    #[must_use]
    pub const fn is_confined(&self) -> bool {
        !self.missing.is_empty()
    }

    /// The names of the directions in which the piece can never get, however it moves, clockwise from `north` on:
    /// `north-north-east`, `north-east`, …. North is forward. There are none unless the piece is confined.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> {
        self.missing.iter().map(Wind::name)
    }

    /// Whether the piece can reach every square from every square.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.lattice == Lattice::PLANE && !self.is_confined()
    }
}

/// Prints one or two plain sentences that say whether the piece is free or bound, and why.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colours = |f: &mut fmt::Formatter<'_>, colours: u32| {
            write!(f, "every move keeps to one colour of {colours}")?;
            if let Some(name) = self.lattice.name() {
                write!(f, " ({name})")?;
            }
            let congruences = self.lattice.congruences().join(" and ");
            write!(f, ", as {congruences} for all moves (f,r).")
        };
        match (self.lattice.index(), self.is_confined()) {
            (Some(1), false) => f.write_str(
                "Free: its moves add up to every square, and no half-plane holds them all.",
            ),
            (Some(index), false) => {
                f.write_str("Bound: ")?;
                colours(f, index)
            }
            (None, _) if self.piece.is_empty() => f.write_str("Bound: it has no move at all."),
            (None, _) => {
                let (x, y) = self.lattice.generators()[0];
                let both = self.missing.len() == 14;
                let ways = if both { "to and fro" } else { "one way only" };
                write!(
                    f,
                    "Bound: all its moves are on one line, that of ({x},{y}), {ways}."
                )
            }
            (Some(index), true) => {
                f.write_str("Bound: all its moves lie in one half-plane")?;
                if let Some((first, last)) = self.missing.arc() {
                    write!(
                        f,
                        ", so it can never make up a direction from {} clockwise to {}",
                        first.name(),
                        last.name(),
                    )?;
                }
                f.write_str(".")?;
                if index > 1 {
                    f.write_str(" Besides, ")?;
                    colours(f, index)?;
                }
                Ok(())
            }
        }
    }
}
