//! The chessboard: squares, sets of squares, symmetries, pieces, leapers, materials and
//! positions.
//!
//! Nothing here knows of indices. Squares are numbered rank by rank from a1 = 0 to h8 = 63, white
//! sits at the bottom, and a bitboard's bit `s` is the square with number `s`.

mod attacks;
mod bitboard;
mod conversion;
mod leaper;
mod material;
mod names;
mod piece;
mod position;
mod set_operators;
mod square;
mod step;
mod symmetry;

pub use attacks::attacks;
pub(crate) use attacks::between;
pub use bitboard::{Bitboard, Squares};
pub use conversion::Conversion;
pub(crate) use conversion::PROMOTIONS;
pub use leaper::Leaper;
pub use material::{Material, MaterialError};
pub use names::NameError;
pub(crate) use names::by_name;
pub use piece::{Color, Piece, PieceType};
pub use position::{Fen, FenError, Position};
pub(crate) use set_operators::set_operators;
pub use square::{File, Rank, Square, SquareError};
pub use step::Step;
pub use symmetry::{Group, Symmetry};

use std::fmt;

/// The board with rank 8 on top and the names of ranks and files at its edges.
pub(crate) fn drawing<T: fmt::Display>(mut cell: impl FnMut(Square) -> T) -> String {
    let mut text = String::new();
    let mut width = 1;
    for rank in Rank::ALL.into_iter().rev() {
        text.push(rank.digit());
        text.push('|');
        for file in File::ALL {
            let cell = cell(Square::at(file, rank)).to_string();
            width = cell.chars().count();
            text.push(' ');
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text.push_str("  ");
    for file in File::ALL {
        text.push_str(&format!(" {:>width$}", file.letter()));
    }
    text.push('\n');
    text
}
