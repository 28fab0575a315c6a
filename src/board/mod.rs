//! The chessboard: squares, sets of squares, symmetries, pieces, leapers, materials and
//! positions.
//!
//! Nothing here knows of indices. Squares are numbered rank by rank from a1 = 0 to h8 = 63, white
//! sits at the bottom, and a bitboard's bit `s` is the square with number `s`.

mod attacks;
mod bitboard;
mod conversion;
mod epd;
mod leaper;
mod lines;
mod material;
mod names;
mod piece;
mod position;
mod rights;
mod set_operators;
mod square;
mod step;
mod symmetry;

pub use attacks::attacks;
pub(crate) use attacks::between;
#[doc(hidden)]
pub use bitboard::bits;
pub use bitboard::{Bitboard, Squares};
pub use conversion::Conversion;
pub(crate) use conversion::PROMOTIONS;
pub use epd::EpdLine;
pub use leaper::Leaper;
pub use lines::Lines;
pub use material::{Material, MaterialError};
pub use names::NameError;
pub(crate) use names::{alternatives, by_name, print_names, read_names};
pub use piece::{Color, Piece, PieceType};
pub use position::{Fen, FenError, Position};
pub use rights::{CastlingRights, Rights};
pub(crate) use set_operators::set_operators;
pub use square::{File, Rank, Square};
pub use step::Step;
pub use symmetry::{Group, Symmetry};

/// The chessboard with a text on each square, rank 8 on top, and the names of ranks and files at its edges.
pub(crate) fn drawing(cell: impl Fn(Square) -> String) -> String {
    let cells: Vec<String> = Square::all().map(cell).collect();
    let width = cells.iter().map(String::len).max().unwrap_or(1);
    let mut text = String::new();
    for (row, rank) in cells.chunks(8).zip(1..=8u8).rev() {
        text += &format!("{rank}|");
        for cell in row {
            text += &format!(" {cell:>width$}");
        }
        text.push('\n');
    }
    text += "  ";
    for name in 'a'..='h' {
        text += &format!(" {name:>width$}");
    }
    text.push('\n');
    text
}
