//! The numbers of moves that a piece needs from square to square, and the squares that reach each other.

use std::collections::VecDeque;
use std::ops::Deref;

use super::Grid;
use crate::board::Leaper;

/// The numbers of moves that a piece needs from one square to each, in the order of the squares' numbers, or `None` where
/// it never gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances(Vec<Option<u8>>);

impl Distances {
    /// The number of squares reached, with the one that is counted from.
    #[must_use]
    pub fn reached(&self) -> u32 {
        self.iter().flatten().count() as u32
    }

    /// The number of moves to the farthest of the squares reached.
    #[must_use]
    pub fn greatest(&self) -> u8 {
        self.iter().flatten().copied().max().unwrap_or(0)
    }
}

impl Deref for Distances {
    type Target = [Option<u8>];

    fn deref(&self) -> &[Option<u8>] {
        &self.0
    }
}

impl Grid {
    /// The number of moves that the piece needs from `from` to each square.
    ///
    /// ```
    /// use tbindex::{Leaper, fairy::Grid};
    /// let from_a1 = Grid::CHESS.distances(Leaper::KNIGHT, 0);
    /// assert_eq!((from_a1[63], from_a1.reached()), (Some(6), 64));
    /// ```
    ///
    /// # Panics
    /// If `from` is not a square of the board.
    #[must_use]
    #[track_caller]
    pub fn distances(&self, piece: Leaper, from: u8) -> Distances {
        let squares = self.square_count();
        assert!(
            u32::from(from) < squares,
            "distances: square {from} of a board of {squares}"
        );
        let mut moves = vec![None; squares as usize];
        moves[usize::from(from)] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(square) = queue.pop_front() {
            // A way to the last of at most 256 squares takes at most 255 moves.
            let next = moves[usize::from(square)].map(|moves| moves + 1);
            for to in self.targets(piece, square) {
                let moves = &mut moves[usize::from(to)];
                if moves.is_none() {
                    *moves = next;
                    queue.push_back(to);
                }
            }
        }
        Distances(moves)
    }

    /// The most moves that the piece needs from one square to another, or `None` if there are two
    /// between which it can't go at all.
    ///
    /// ```
    /// use tbindex::fairy::Grid;
    /// // The wanderer: the semi-pinwheel is free, but in no hurry.
    /// assert_eq!(Grid::CHESS.diameter("01,10,15,23".parse()?), Some(16));
    /// # Ok::<(), tbindex::fairy::NotationError>(())
    /// ```
    #[must_use]
    pub fn diameter(&self, piece: Leaper) -> Option<u8> {
        self.squares()
            .map(|from| {
                let distances = self.distances(piece, from);
                let all = distances.reached() == self.square_count();
                all.then(|| distances.greatest())
            })
            .try_fold(0, |greatest, distance| Some(distance?.max(greatest)))
    }

    /// Whether the piece reaches every square from every square: strong connectivity.
    ///
    /// Edges matter, so this is not the same as [`Verdict::is_free`](super::Verdict::is_free). A piece that
    /// is connected on a board of at least two files and two ranks is free.
    #[must_use]
    pub fn is_connected(&self, piece: Leaper) -> bool {
        let mut directions = [piece, piece.reversed()].into_iter();
        directions
            .all(|piece| self.distances(piece, self.middle()).reached() == self.square_count())
    }

    /// The strongly connected components, which are the largest sets of squares that reach each other, each in the order
    /// of the squares' numbers. The one with the lowest square comes first.
    ///
    /// ```
    /// use tbindex::fairy::Grid;
    /// assert_eq!(Grid::CHESS.components("F".parse()?).len(), 2);
    /// # Ok::<(), tbindex::fairy::NotationError>(())
    /// ```
    #[must_use]
    pub fn components(&self, piece: Leaper) -> Vec<Vec<u8>> {
        let mut components: Vec<Vec<u8>> = Vec::new();
        let mut seen = vec![false; self.square_count() as usize];
        for first in self.squares() {
            if seen[usize::from(first)] {
                continue;
            }
            let [to, from] = [piece, piece.reversed()].map(|piece| self.distances(piece, first));
            let both = |&square: &u8| {
                [&to, &from]
                    .iter()
                    .all(|of| of[usize::from(square)].is_some())
            };
            let component: Vec<u8> = self.squares().filter(both).collect();
            for &square in &component {
                seen[usize::from(square)] = true;
            }
            components.push(component);
        }
        components
    }

    /// The squares that the piece can't leave, as none of its moves stays on the board. The dead ends of the piece
    /// turned by half, which moves the other way, are the squares that this piece can't get to from another.
    ///
    /// ```
    /// use tbindex::{Leaper, fairy::Grid};
    /// // On a 3×3 board a knight can't leave the middle.
    /// assert_eq!(Grid::new(3, 3).dead_ends(Leaper::KNIGHT), [4]);
    /// ```
    #[must_use]
    pub fn dead_ends(&self, piece: Leaper) -> Vec<u8> {
        let is_end = |&square: &u8| self.targets(piece, square).next().is_none();
        self.squares().filter(is_end).collect()
    }
}
