//! Boards of any size up to 256 squares, 16×16 among them.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::board::{Group, Leaper, NameError, Symmetry};

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
/// assert!(!board.is_connected("F".parse()?));
/// // On a 3×3 board a knight can't leave the middle.
/// assert!(!"3x3".parse::<Grid>()?.is_connected(Leaper::KNIGHT));
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
    pub fn squares(&self) -> RangeInclusive<u8> {
        0..=(self.square_count() - 1) as u8
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

    /// The square in the middle, or the one right of it or below it: e4 on the chessboard.
    #[must_use]
    pub const fn middle(&self) -> u8 {
        self.height.div_ceil(2).saturating_sub(1) * self.width + self.width / 2
    }

    /// The squares that the piece reaches from a square in one move.
    pub(super) fn targets(&self, piece: Leaper, from: u8) -> impl Iterator<Item = u8> + use<> {
        let Grid { width, height } = *self;
        let (file, rank) = (from % width, from / width);
        piece.steps().filter_map(move |step| {
            let file = file.checked_add_signed(step.files);
            let rank = rank.checked_add_signed(step.ranks);
            let file = file.filter(|&file| file < width)?;
            let rank = rank.filter(|&rank| rank < height)?;
            Some(width * rank + file)
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
