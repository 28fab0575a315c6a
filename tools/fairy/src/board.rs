//! Boards as people see them: names of squares and drawings.

use std::fmt;

use tbindex::Leaper;
use tbindex::fairy::{Distances, Grid, Lattice};

/// The names of the squares of a [`Grid`], and drawings.
///
/// ```
/// use tbindex::fairy::Grid;
/// use tbindex_fairy::Board;
/// assert_eq!(Grid::CHESS.square_name(28), "e4");
/// ```
pub trait Board {
    /// The file and the rank of a square, both counted from 0.
    fn file_and_rank(&self, square: u8) -> (u8, u8);

    /// The name of a square, such as `e4`; files beyond z are aa, ab, ….
    fn square_name(&self, square: u8) -> String;

    /// The square with this name.
    ///
    /// # Errors
    /// If no square of this board has the name.
    fn square_named(&self, name: &str) -> Result<u8, SquareError>;

    /// The board with a text on each square, the last rank on top, and the names of ranks and files at its edges.
    fn draw(&self, cell: impl Fn(u8) -> String) -> String;

    /// The board with the distances on it. A distance is 0 … 9, then A for 10 to Z for 35; on boards
    /// with greater ones all are decimal. A dot stands where the piece never gets.
    fn draw_distances(&self, distances: &Distances) -> String;

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

/// a, b, … z, aa, ab, ….
fn file_name(file: u8) -> String {
    let letter = char::from(b'a' + file % 26);
    match file / 26 {
        0 => letter.to_string(),
        times => format!("{}{letter}", char::from(b'a' + times - 1)),
    }
}

impl Board for Grid {
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

    fn draw_distances(&self, distances: &Distances) -> String {
        let digits = distances.greatest() < 36;
        self.draw(|square| match distances[usize::from(square)] {
            None => ".".to_owned(),
            Some(moves) if digits => char::from_digit(moves.into(), 36)
                .unwrap_or('?')
                .to_ascii_uppercase()
                .to_string(),
            Some(moves) => moves.to_string(),
        })
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
