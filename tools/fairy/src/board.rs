//! Boards as people see them: names of squares, distances and drawings.

use std::collections::VecDeque;
use std::fmt;
use std::ops::RangeInclusive;

use tbindex::fairy::{Grid, Lattice};
use tbindex::{Leaper, Symmetry};

/// The squares of a [`Grid`]: their names, the ways of pieces between them, and drawings.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::Grid;
/// use tbindex_fairy::Board;
/// assert_eq!(Grid::CHESS.components("F".parse()?).len(), 2);
/// // On a 3×3 board a knight can't leave the middle.
/// let small: Grid = "3x3".parse()?;
/// assert_eq!(small.dead_ends(Leaper::KNIGHT), [4]);
/// // The wanderer: the semi-pinwheel is free, but in no hurry.
/// assert_eq!(Grid::CHESS.diameter("01,10,15,23".parse()?), Some(16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Board {
    /// The number of squares, 1 to 256.
    fn square_count(&self) -> u32;

    /// The numbers of all squares.
    fn squares(&self) -> RangeInclusive<u8>;

    /// The square in the middle. Where there is none, it is the one right of the middle or below it: e4 on
    /// the chessboard.
    fn middle(&self) -> u8;

    /// The file and the rank of a square, both counted from 0.
    fn file_and_rank(&self, square: u8) -> (u8, u8);

    /// The name of a square, such as `e4`; files beyond z are aa, ab, ….
    fn square_name(&self, square: u8) -> String;

    /// The square with this name.
    ///
    /// # Errors
    /// If no square of this board has the name.
    fn square_named(&self, name: &str) -> Result<u8, SquareError>;

    /// The number of moves that the piece needs from `from` to each square.
    ///
    /// # Panics
    /// If `from` is not a square of the board.
    fn distances(&self, piece: Leaper, from: u8) -> Distances;

    /// The most moves that the piece needs from one square to another, or `None` if there are two
    /// between which it can't go at all.
    fn diameter(&self, piece: Leaper) -> Option<u8>;

    /// The strongly connected components, which are the largest sets of squares that reach each other, each in the order
    /// of the squares' numbers. The one with the lowest square comes first.
    fn components(&self, piece: Leaper) -> Vec<Vec<u8>>;

    /// The squares that the piece can't leave, as none of its moves stays on the board. The dead ends of the piece
    /// turned by half, which moves the other way, are the squares that this piece can't get to from another.
    fn dead_ends(&self, piece: Leaper) -> Vec<u8>;

    /// The board with a text on each square, the last rank on top, and the names of ranks and files at its edges.
    fn draw(&self, cell: impl Fn(u8) -> String) -> String;

    /// The board with a letter for each component of more than one square, a to z and again from a,
    /// and a dot for squares on their own.
    fn component_picture(&self, piece: Leaper) -> String;

    /// The board in the colours of a lattice, 0 to index − 1. The middle square's colour is 0. Below rank
    /// 2, where there would be infinitely many colours, every square has a dot.
    ///
    /// ```
    /// use tbindex::fairy::{Grid, Verdict};
    /// use tbindex_fairy::Board;
    /// let pinwheel = Verdict::of("02,10,15,23".parse()?).lattice;
    /// assert_eq!(
    ///     Grid::new(5, 5).colouring(pinwheel),
    ///     "5| 3 0 2 4 1\n\
    ///      4| 2 4 1 3 0\n\
    ///      3| 1 3 0 2 4\n\
    ///      2| 0 2 4 1 3\n\
    ///      1| 4 1 3 0 2\n\
    ///      \x20  a b c d e\n"
    /// );
    /// # Ok::<(), tbindex::fairy::NotationError>(())
    /// ```
    fn colouring(&self, lattice: Lattice) -> String;

    /// The colour of each square under a lattice, in the order of the squares' numbers, with 0 for that of `origin`; `None`
    /// below rank 2.
    fn colours(&self, lattice: Lattice, origin: u8) -> Option<Vec<u32>>;
}

/// The error that a text names no square of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SquareError(String);

impl fmt::Display for SquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SquareError {}

/// The squares that the piece reaches from a square in one move.
fn targets(grid: Grid, piece: Leaper, from: u8) -> impl Iterator<Item = u8> {
    let (file, rank) = grid.file_and_rank(from);
    piece.steps().filter_map(move |step| {
        let file = file.checked_add_signed(step.files);
        let rank = rank.checked_add_signed(step.ranks);
        let file = file.filter(|&file| file < grid.width())?;
        let rank = rank.filter(|&rank| rank < grid.height())?;
        Some(grid.width() * rank + file)
    })
}

/// a, b, … z, aa, ab, ….
fn file_name(file: u8) -> String {
    let letter = char::from(b'a' + file % 26);
    match file / 26 {
        0 => letter.to_string(),
        times => format!("{}{letter}", char::from(b'a' + times - 1)),
    }
}

impl Board for Grid {
    fn square_count(&self) -> u32 {
        u32::from(self.width()) * u32::from(self.height())
    }

    fn squares(&self) -> RangeInclusive<u8> {
        0..=(self.square_count() - 1) as u8
    }

    fn middle(&self) -> u8 {
        self.height().div_ceil(2).saturating_sub(1) * self.width() + self.width() / 2
    }

    fn file_and_rank(&self, square: u8) -> (u8, u8) {
        (square % self.width(), square / self.width())
    }

    fn square_name(&self, square: u8) -> String {
        let (file, rank) = self.file_and_rank(square);
        format!("{}{}", file_name(file), rank + 1)
    }

    fn square_named(&self, name: &str) -> Result<u8, SquareError> {
        let mut squares = self.squares();
        let found = squares.find(|&square| self.square_name(square) == name);
        found.ok_or_else(|| {
            let last = self.square_name(*self.squares().end());
            let expected = format!("expected a1 to {last}");
            SquareError(format!(
                "{name:?} is not a square of the {self} board: {expected}"
            ))
        })
    }

    fn distances(&self, piece: Leaper, from: u8) -> Distances {
        assert!(self.squares().contains(&from), "no such square");
        let mut moves = vec![None; self.square_count() as usize];
        moves[usize::from(from)] = Some(0);
        let mut queue = VecDeque::from([from]);
        while let Some(square) = queue.pop_front() {
            // A way to the last of at most 256 squares takes at most 255 moves.
            let next = moves[usize::from(square)].map(|moves| moves + 1);
            for to in targets(*self, piece, square) {
                let moves = &mut moves[usize::from(to)];
                if moves.is_none() {
                    *moves = next;
                    queue.push_back(to);
                }
            }
        }
        Distances { grid: *self, moves }
    }

    fn diameter(&self, piece: Leaper) -> Option<u8> {
        self.squares()
            .map(|from| {
                let distances = self.distances(piece, from);
                let all = distances.reached() == self.square_count();
                all.then(|| distances.greatest())
            })
            .try_fold(0, |greatest, distance| Some(distance?.max(greatest)))
    }

    fn components(&self, piece: Leaper) -> Vec<Vec<u8>> {
        let mut components: Vec<Vec<u8>> = Vec::new();
        let mut seen = vec![false; self.square_count() as usize];
        for first in self.squares() {
            if seen[usize::from(first)] {
                continue;
            }
            let back = piece.image(Symmetry::Rotate180);
            let [to, from] = [piece, back].map(|piece| self.distances(piece, first));
            let reaches = |ways: &Distances, square: u8| ways.moves[usize::from(square)].is_some();
            let both = |&square: &u8| reaches(&to, square) && reaches(&from, square);
            let component: Vec<u8> = self.squares().filter(both).collect();
            for &square in &component {
                seen[usize::from(square)] = true;
            }
            components.push(component);
        }
        components
    }

    fn dead_ends(&self, piece: Leaper) -> Vec<u8> {
        let is_end = |&square: &u8| targets(*self, piece, square).next().is_none();
        self.squares().filter(is_end).collect()
    }

    fn draw(&self, cell: impl Fn(u8) -> String) -> String {
        let cells: Vec<String> = self.squares().map(cell).collect();
        let names: Vec<String> = (0..self.width()).map(file_name).collect();
        let widths = cells.iter().chain(&names).map(|text| text.chars().count());
        let width = widths.max().unwrap_or(1);
        let label = self.height().to_string().len();
        let mut text = String::new();
        let rows = cells.chunks(self.width().into()).zip(1..=self.height());
        for (row, rank) in rows.rev() {
            text += &format!("{rank:>label$}|");
            for cell in row {
                text += &format!(" {cell:>width$}");
            }
            text.push('\n');
        }
        text += &format!("{:label$} ", "");
        for name in names {
            text += &format!(" {name:>width$}");
        }
        text.push('\n');
        text
    }

    fn component_picture(&self, piece: Leaper) -> String {
        let mut letters = vec!['.'; self.square_count() as usize];
        let components = self.components(piece);
        let large = components.iter().filter(|squares| squares.len() > 1);
        for (squares, letter) in large.zip(('a'..='z').cycle()) {
            for &square in squares {
                letters[usize::from(square)] = letter;
            }
        }
        self.draw(|square| letters[usize::from(square)].to_string())
    }

    fn colouring(&self, lattice: Lattice) -> String {
        let colours = self.colours(lattice, self.middle());
        self.draw(|square| match &colours {
            Some(colours) => colours[usize::from(square)].to_string(),
            None => ".".to_owned(),
        })
    }

    fn colours(&self, lattice: Lattice, origin: u8) -> Option<Vec<u32>> {
        lattice.index()?;
        let (file, rank) = self.file_and_rank(origin);
        // The colours of a file repeat after so many ranks.
        let period = (1..).find(|&ranks| lattice.reduce(0, ranks) == (0, 0))?;
        let colour = |square: u8| {
            let (f, r) = self.file_and_rank(square);
            let difference = |a: u8, b: u8| i32::from(a) - i32::from(b);
            let (f, r) = lattice.reduce(difference(f, file), difference(r, rank));
            (f * period + r) as u32
        };
        Some(self.squares().map(colour).collect())
    }
}

/// The numbers of moves that a piece needs from one square to each: see [`Board::distances`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    grid: Grid,
    moves: Vec<Option<u8>>,
}

impl Distances {
    /// The number of moves to each square, in the order of the squares' numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[Option<u8>] {
        &self.moves
    }

    /// The number of squares reached, with the one that is counted from.
    #[must_use]
    pub fn reached(&self) -> u32 {
        self.moves.iter().flatten().count() as u32
    }

    /// The number of moves to the farthest of the squares reached.
    #[must_use]
    pub fn greatest(&self) -> u8 {
        self.moves.iter().flatten().copied().max().unwrap_or(0)
    }
}

/// Prints the board with the distances on it. A distance is 0 … 9, then A for 10 to Z for 35; on boards
/// with greater ones all are decimal. A dot stands where the piece never gets.
impl fmt::Display for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.greatest() < 36;
        f.write_str(&self.grid.draw(|square| {
            match self.moves[usize::from(square)] {
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
