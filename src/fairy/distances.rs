//! The numbers of moves that a piece needs from square to square.

use std::collections::VecDeque;
use std::fmt;

use super::Grid;
use crate::board::Leaper;

impl Grid {
    /// The number of moves that the piece needs from `from` to each square.
    ///
    /// # Panics
    /// If `from` is not a square of the board.
    #[must_use]
    pub fn distances(&self, piece: Leaper, from: u8) -> Distances {
        assert!(u32::from(from) < self.square_count(), "no such square");
        let mut moves = vec![None; self.square_count() as usize];
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
        Distances { grid: *self, moves }
    }

    /// The most moves that the piece needs from one square to another, or `None` if there are two
    /// between which it can't go at all.
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
}

/// The numbers of moves that a piece needs from one square to each: see [`Grid::distances`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    grid: Grid,
    moves: Vec<Option<u8>>,
}

impl Distances {
    /// The number of moves to a square, or `None` if the piece never gets there.
    ///
    /// # Panics
    /// If `square` is not a square of the board.
    #[must_use]
    pub(super) fn to(&self, square: u8) -> Option<u8> {
        self.as_slice()[usize::from(square)]
    }

    /// The number of moves to each square, in the order of the squares' numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[Option<u8>] {
        &self.moves
    }

    /// The number of squares reached, with the one that is counted from.
    #[must_use]
    pub fn reached(&self) -> u32 {
        self.as_slice().iter().flatten().count() as u32
    }

    /// The number of moves to the farthest of the squares reached.
    #[must_use]
    pub fn greatest(&self) -> u8 {
        self.as_slice().iter().flatten().copied().max().unwrap_or(0)
    }
}

/// Prints the board with the distances on it. A distance is 0 … 9, then A for 10 to Z for 35; on boards
/// with greater ones all are decimal. A dot stands where the piece never gets.
impl fmt::Display for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.greatest() < 36;
        f.write_str(&self.grid.draw(|square| {
            match self.to(square) {
                None => ".".to_owned(),
                Some(moves) if digits => char::from_digit(moves.into(), 36)
                    .unwrap_or('?')
                    .to_ascii_uppercase()
                    .to_string(),
                Some(moves) => moves.to_string(),
            }
        }))
    }
}
