//! Boards of any size up to 256 squares, 16×16 among them, and where short-range pieces get on them.

use std::fmt;
use std::str::FromStr;

use super::Lattice;
use crate::board::{Group, Leaper, NameError, Symmetry, drawing, file_name};

/// A board of `width` files and `height` ranks, 1 to 256 squares.
///
/// Squares are numbered rank by rank from the bottom left, `width × rank + file`, so that the squares of
/// the 8×8 board have the numbers of [`Square`](crate::Square).
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::Grid;
/// let board = Grid::CHESS;
/// assert!(board.is_connected(Leaper::KNIGHT));
/// assert_eq!(board.components("F".parse()?).len(), 2);
/// // On a 3×3 board a knight can't leave the middle.
/// let small: Grid = "3x3".parse()?;
/// assert_eq!(small.dead_ends(Leaper::KNIGHT), [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u8,
    height: u8,
}

impl Grid {
    /// The chessboard, 8×8.
    pub const CHESS: Grid = Grid::new(8, 8);

    /// The board of `width` files and `height` ranks.
    ///
    /// # Panics
    /// If one of them is 0 or above 64, or there are more than 256 squares.
    #[must_use]
    pub const fn new(width: u8, height: u8) -> Grid {
        assert!(
            Grid::is_size(width as u32, height as u32),
            "a board has 1 to 256 squares, and at most 64 files and ranks"
        );
        Grid { width, height }
    }

    const fn is_size(width: u32, height: u32) -> bool {
        0 < width && width <= 64 && 0 < height && height <= 64 && width * height <= 256
    }

    /// How many files there are.
    #[must_use]
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// The number of ranks.
    #[must_use]
    pub const fn height(&self) -> u8 {
        self.height
    }

    /// The number of squares, 1 to 256.
    #[must_use]
    pub const fn square_count(&self) -> u32 {
        self.width as u32 * self.height as u32
    }

    /// The numbers of all squares.
    pub fn squares(&self) -> impl Iterator<Item = u8> + use<> {
        (0..self.square_count()).map(|square| square as u8)
    }

    /// The symmetries that keep the board: all eight if it is a square, else the four that exchange no file
    /// with a rank.
    #[must_use]
    pub const fn symmetries(&self) -> &'static [Symmetry] {
        if self.width == self.height {
            return Group::D4.members();
        }
        &[
            Symmetry::Identity,
            Symmetry::FlipHorizontal,
            Symmetry::FlipVertical,
            Symmetry::Rotate180,
        ]
    }

    /// The square in the middle. Where there is none, it is the one right of the middle or below it: e4 on
    /// the chessboard.
    #[must_use]
    pub const fn middle(&self) -> u8 {
        self.height.div_ceil(2).saturating_sub(1) * self.width + self.width / 2
    }

    /// The file and the rank of a square, both counted from 0.
    #[must_use]
    pub const fn file_and_rank(&self, square: u8) -> (u8, u8) {
        (square % self.width, square / self.width)
    }

    /// The name of a square, such as `e4`; files beyond z are aa, ab, ….
    #[must_use]
    pub fn square_name(&self, square: u8) -> String {
        let (file, rank) = self.file_and_rank(square);
        format!("{}{}", file_name(file), rank + 1)
    }

    /// The square with this name.
    ///
    /// # Errors
    /// If no square of this board has the name.
    pub fn square_named(&self, name: &str) -> Result<u8, NameError> {
        self.squares()
            .find(|&square| self.square_name(square) == name)
            .ok_or_else(|| {
                let last = self.square_name((self.square_count() - 1) as u8);
                let kind = format!("square of the {self} board");
                NameError::new(name, &kind, &format!("a1 to {last}"))
            })
    }

    /// The squares that the piece reaches from a square in one move.
    pub(super) fn targets(&self, piece: Leaper, from: u8) -> impl Iterator<Item = u8> + use<> {
        let Grid { width, height } = *self;
        let (file, rank) = self.file_and_rank(from);
        piece.steps().filter_map(move |step| {
            let file = file.checked_add_signed(step.files);
            let rank = rank.checked_add_signed(step.ranks);
            let file = file.filter(|&file| file < width)?;
            let rank = rank.filter(|&rank| rank < height)?;
            Some(width * rank + file)
        })
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
    #[must_use]
    pub fn components(&self, piece: Leaper) -> Vec<Vec<u8>> {
        let mut components: Vec<Vec<u8>> = Vec::new();
        let mut seen = vec![false; self.square_count() as usize];
        for first in self.squares() {
            if seen[usize::from(first)] {
                continue;
            }
            let [to, from] = [piece, piece.reversed()].map(|piece| self.distances(piece, first));
            let both = |&square: &u8| to.to(square).and(from.to(square)).is_some();
            let component: Vec<u8> = self.squares().filter(both).collect();
            for &square in &component {
                seen[usize::from(square)] = true;
            }
            components.push(component);
        }
        components
    }

    /// The board with a letter for each component of more than one square, a to z and again from a,
    /// and a dot for squares on their own.
    #[must_use]
    pub fn component_picture(&self, piece: Leaper) -> String {
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

    /// The squares that the piece can't leave, as none of its moves stays on the board. The dead ends of the piece
    /// turned by half, which moves the other way, are the squares that this piece can't get to from another.
    #[must_use]
    pub fn dead_ends(&self, piece: Leaper) -> Vec<u8> {
        let is_end = |&square: &u8| self.targets(piece, square).next().is_none();
        self.squares().filter(is_end).collect()
    }

    /// The board with a text on each square.
    #[must_use]
    pub fn draw(&self, cell: impl Fn(u8) -> String) -> String {
        drawing(self.width, self.height, cell)
    }

    /// The board in the colours of a lattice, 0 to index − 1. The middle square's colour is 0. Below rank
    /// 2, where there would be infinitely many colours, every square has a dot.
    ///
    /// ```
    /// use tbindex::fairy::{Grid, Verdict};
    /// let pinwheel = Verdict::of("02,10,15,23".parse()?).lattice();
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
    #[must_use]
    pub fn colouring(&self, lattice: Lattice) -> String {
        let colours = self.colours(lattice, self.middle());
        self.draw(|square| match &colours {
            Some(colours) => colours[usize::from(square)].to_string(),
            None => ".".to_owned(),
        })
    }

    /// The colour of each square under a lattice, in the order of the squares' numbers, with 0 for that of `origin`; `None`
    /// below rank 2.
    #[must_use]
    pub fn colours(&self, lattice: Lattice, origin: u8) -> Option<Vec<u32>> {
        let (file, rank) = self.file_and_rank(origin);
        let colour = |square: u8| {
            let (f, r) = self.file_and_rank(square);
            let difference = |a: u8, b: u8| i32::from(a) - i32::from(b);
            lattice.colour(difference(f, file), difference(r, rank))
        };
        self.squares().map(colour).collect()
    }
}

/// The size, `8x8`.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.width, self.height))
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({self})")
    }
}

impl FromStr for Grid {
    type Err = NameError;

    /// Reads files × ranks, `8x8`.
    fn from_str(text: &str) -> Result<Grid, NameError> {
        let error = |expected| NameError::new(text, "size of a board", expected);
        let number = |digits: &str| {
            let digits = Some(digits).filter(|text| text.bytes().all(|c| c.is_ascii_digit()));
            digits?.parse::<u32>().ok()
        };
        let numbers = text.split_once(['x', 'X', '×']);
        let numbers = numbers.and_then(|(width, height)| Some((number(width)?, number(height)?)));
        match numbers {
            None => Err(error("files x ranks, such as 8x8")),
            Some((width, height)) if Grid::is_size(width, height) => {
                Ok(Grid::new(width as u8, height as u8))
            }
            Some(_) => Err(error("1 to 256 squares, and at most 64 files and ranks")),
        }
    }
}
