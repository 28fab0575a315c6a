//! Boards of any size up to 64 squares, and the moves of short-range pieces on them.

use std::fmt;
use std::str::FromStr;

use super::Lattice;
use crate::board::{Group, Leaper, Step, Symmetry, drawing, file_name};

/// A board of `width` files and `height` ranks, 1 to 64 squares.
///
/// Squares are numbered rank by rank from the bottom left, `width × rank + file`, so that the squares of
/// the 8×8 board have the numbers of [`Square`](crate::Square). A set of squares is a `u64`; bit `s`
/// stands for the square with number `s`.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::Grid;
/// let board = Grid::CHESS;
/// assert!(board.is_connected(Leaper::KNIGHT));
/// assert_eq!(board.components("F".parse()?).len(), 2);
/// // On a 3×3 board a knight can't leave the middle.
/// let small: Grid = "3x3".parse()?;
/// assert_eq!(small.dead_ends(Leaper::KNIGHT), 1 << 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    width: u8,
    height: u8,
    /// How the 24 steps act on this board.
    pub(super) moves: [GridMove; 24],
}

/// A step on a grid: the squares that it may start from, and the amount by which it shifts their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct GridMove {
    /// The squares from which the step stays on the board.
    pub(super) source: u64,
    /// The difference of the square numbers, between −63 and 63, or 0 if there is no source.
    pub(super) shift: i8,
}

impl GridMove {
    /// The squares reached from these by this step.
    #[inline]
    const fn forward(self, squares: u64) -> u64 {
        let squares = squares & self.source;
        if self.shift >= 0 {
            squares << self.shift
        } else {
            squares >> -self.shift
        }
    }
}

impl Grid {
    /// The chessboard, 8×8.
    pub const CHESS: Grid = Grid::new(8, 8);

    /// The board of `width` files and `height` ranks.
    ///
    /// # Panics
    /// If one of them is 0, or there are more than 64 squares.
    #[must_use]
    pub const fn new(width: u8, height: u8) -> Grid {
        assert!(
            width > 0 && height > 0 && width as u32 * height as u32 <= 64,
            "a board has 1 to 64 squares"
        );
        let (columns, rows) = (width as i32, height as i32);
        let mut moves = [GridMove {
            source: 0,
            shift: 0,
        }; 24];
        let mut index = 0;
        while index < 24 {
            let Step { files, ranks } = Step::ALL[index];
            let (files, ranks) = (files as i32, ranks as i32);
            let mut square = 0;
            while square < columns * rows {
                let (file, rank) = (square % columns + files, square / columns + ranks);
                if 0 <= file && file < columns && 0 <= rank && rank < rows {
                    moves[index].source |= 1 << square;
                    // Both ends are on the board, so the difference is less than 64.
                    moves[index].shift = (columns * ranks + files) as i8;
                }
                square += 1;
            }
            index += 1;
        }
        Grid {
            width,
            height,
            moves,
        }
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

    /// The number of squares, 1 to 64.
    #[must_use]
    pub const fn square_count(&self) -> u32 {
        self.width as u32 * self.height as u32
    }

    /// The set of all squares.
    #[must_use]
    pub(crate) const fn all(&self) -> u64 {
        !0 >> (64 - self.square_count())
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
    pub(crate) const fn file_and_rank(&self, square: u8) -> (u8, u8) {
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
    pub fn square_named(&self, name: &str) -> Result<u8, GridError> {
        (0..self.square_count() as u8)
            .find(|&square| self.square_name(square) == name)
            .ok_or_else(|| GridError::Square {
                name: name.to_owned(),
                grid: self.to_string(),
                last: self.square_name(self.square_count() as u8 - 1),
            })
    }

    /// The squares that the piece reaches from these squares in exactly one move.
    #[must_use]
    pub(crate) fn step(&self, piece: Leaper, squares: u64) -> u64 {
        let moves = self.moves.iter().enumerate();
        moves
            .filter(|(index, _)| piece.bits() >> index & 1 != 0)
            .fold(0, |reached, (_, step)| reached | step.forward(squares))
    }

    /// The squares that the piece reaches from these in any number of moves, these squares included.
    #[must_use]
    pub(crate) fn reachable(&self, piece: Leaper, mut squares: u64) -> u64 {
        loop {
            let next = squares | self.step(piece, squares);
            if next == squares {
                return squares;
            }
            squares = next;
        }
    }

    /// Whether the piece reaches every square from every square: strong connectivity.
    ///
    /// Edges matter, so this is not the same as [`Verdict::is_free`](super::Verdict::is_free). A piece that
    /// is connected on a board of at least two files and two ranks is free.
    #[must_use]
    pub fn is_connected(&self, piece: Leaper) -> bool {
        let mut directions = [piece, piece.reversed()].into_iter();
        directions.all(|piece| self.reachable(piece, 1 << self.middle()) == self.all())
    }

    /// The strongly connected components, which are the largest sets of squares that reach each other. The
    /// one with the lowest square comes first.
    #[must_use]
    pub fn components(&self, piece: Leaper) -> Vec<u64> {
        let mut components = Vec::new();
        let mut rest = self.all();
        while rest != 0 {
            let first = rest & rest.wrapping_neg();
            let component = self.reachable(piece, first) & self.reachable(piece.reversed(), first);
            components.push(component);
            rest &= !component;
        }
        components
    }

    /// The board with a letter for each component of more than one square, a to z and again from a,
    /// and a dot for squares on their own.
    #[must_use]
    pub fn component_picture(&self, piece: Leaper) -> String {
        let mut components = self.components(piece);
        components.retain(|set| set.count_ones() > 1);
        self.draw(|square| {
            let component = components.iter().position(|set| set >> square & 1 != 0);
            let letter = |index: usize| char::from(b'a' + (index % 26) as u8);
            component.map_or('.', letter).to_string()
        })
    }

    /// The squares that the piece can't leave, as none of its moves stays on the board. The dead ends of the
    /// [reversed](Leaper::reversed) piece are the squares that this piece can't get to from another.
    #[must_use]
    pub fn dead_ends(&self, piece: Leaper) -> u64 {
        self.all() & !self.step(piece.reversed(), self.all())
    }

    /// The board with a text on each square.
    #[must_use]
    pub(crate) fn draw(&self, cell: impl Fn(u8) -> String) -> String {
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
        let (file, rank) = self.file_and_rank(self.middle());
        self.draw(|square| {
            let (f, r) = self.file_and_rank(square);
            let (f, r) = (
                i32::from(f) - i32::from(file),
                i32::from(r) - i32::from(rank),
            );
            let colour = lattice.colour(f, r);
            colour.map_or_else(|| ".".to_owned(), |colour| colour.to_string())
        })
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
    type Err = GridError;

    /// Reads files × ranks, `8x8`.
    fn from_str(text: &str) -> Result<Grid, GridError> {
        let (width, height) = text
            .split_once(['x', 'X', '×'])
            .ok_or_else(|| GridError::Text(text.to_owned()))?;
        let number = |digits: &str| match digits.parse::<u32>() {
            Ok(number) if digits.bytes().all(|c| c.is_ascii_digit()) => Ok(number),
            _ => Err(GridError::Text(text.to_owned())),
        };
        let (width, height) = (number(width)?, number(height)?);
        match width.checked_mul(height) {
            Some(1..=64) => Ok(Grid::new(width as u8, height as u8)),
            _ => Err(GridError::Size(text.to_owned())),
        }
    }
}

/// The error that there is no board of a size, or no square of a name on a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// The text is not two numbers with an x between them.
    #[error("{0:?} is not a size of a board: expected files x ranks, such as 8x8")]
    Text(String),
    /// No square, or more than 64.
    #[error("{0} is not a size of a board: it must have 1 to 64 squares")]
    Size(String),
    /// The board does not have this square.
    #[error("{name:?} is not a square of the {grid} board: expected a1 to {last}")]
    Square {
        /// The text.
        name: String,
        /// The board's size.
        grid: String,
        /// The name of the board's last square.
        last: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    fn sizes() -> impl Iterator<Item = Grid> {
        (1..=64).flat_map(|width| (1..=64 / width).map(move |height| Grid::new(width, height)))
    }

    #[test]
    fn the_chessboard_is_numbered_as_everywhere() {
        for square in Square::all() {
            let number = square.number();
            assert_eq!(Grid::CHESS.square_name(number), square.to_string());
            assert_eq!(Grid::CHESS.square_named(&square.to_string()), Ok(number));
        }
        assert_eq!(Grid::CHESS.square_name(Grid::CHESS.middle()), "e4");
    }

    #[test]
    fn names_go_beyond_z() {
        let strip = Grid::new(64, 1);
        let names: Vec<_> = (0..64).map(|square| strip.square_name(square)).collect();
        assert_eq!(
            (&*names[25], &*names[26], &*names[63]),
            ("z1", "aa1", "bl1")
        );
        for (square, name) in names.iter().enumerate() {
            assert_eq!(strip.square_named(name), Ok(square as u8));
        }
    }

    #[test]
    fn sizes_read_back_and_wrong_ones_are_refused() {
        for grid in sizes() {
            assert_eq!(grid.to_string().parse(), Ok(grid));
        }
        for text in ["8x9", "0x4", "4x0", "65x1", "300x1", "99999x1"] {
            let error = text.parse::<Grid>();
            assert_eq!(error, Err(GridError::Size(text.to_owned())));
        }
        for text in ["", "8", "8x", "x8", "+8x8", "8x8x1", "axb"] {
            let error = text.parse::<Grid>();
            assert_eq!(error, Err(GridError::Text(text.to_owned())));
        }
        assert!(Grid::CHESS.square_named("i1").is_err());
    }

    #[test]
    fn components_are_drawn_as_letters() {
        let rank: Leaper = "sW".parse().unwrap();
        let picture = Grid::new(2, 3).component_picture(rank);
        assert_eq!(picture, "3| c c\n2| b b\n1| a a\n   a b\n");
        let knight = Grid::new(3, 3).component_picture(Leaper::KNIGHT);
        assert_eq!(knight, "3| a a a\n2| a . a\n1| a a a\n   a b c\n");
    }

    #[test]
    fn components_partition_the_board() {
        let grid = Grid::new(5, 6);
        for bits in (0..Leaper::COUNT).step_by(65_521) {
            let piece = Leaper::new(bits);
            let components = grid.components(piece);
            let sum: u32 = components.iter().map(|set| set.count_ones()).sum();
            let union = components.iter().fold(0, |all, set| all | set);
            assert_eq!((sum, union), (30, grid.all()), "{piece}");
            assert_eq!(components.len() == 1, grid.is_connected(piece));
        }
    }
}
