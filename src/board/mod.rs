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

/// A board of so many files and ranks with a text on each square, the last rank on top, and the names of ranks and files at
/// its edges. Squares, at most 256, are numbered rank by rank.
pub(crate) fn drawing(files: u8, ranks: u8, cell: impl Fn(u8) -> String) -> String {
    let cells: Vec<String> = (0..u16::from(files) * u16::from(ranks))
        .map(|square| cell(square as u8))
        .collect();
    let names: Vec<String> = (0..files).map(file_name).collect();
    let widths = cells.iter().chain(&names).map(|text| text.chars().count());
    let width = widths.max().unwrap_or(1);
    let label = ranks.to_string().len();
    let mut text = String::new();
    for (row, rank) in cells.chunks(files.into()).zip(1..=ranks).rev() {
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

/// a, b, … z, aa, ab, ….
pub(crate) fn file_name(file: u8) -> String {
    let letter = char::from(b'a' + file % 26);
    match file / 26 {
        0 => letter.to_string(),
        times => format!("{}{letter}", char::from(b'a' + times - 1)),
    }
}
