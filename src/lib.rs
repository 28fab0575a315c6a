//! The index layer of chess endgame tablebases.
#![doc = "(documentation follows as the layers come in)"]

pub mod board;

pub use board::{
    Bitboard, Color, Fen, FenError, File, Group, Material, MaterialError, Piece, PieceType,
    Position, Rank, Square, SquareError, Squares, Symmetry, SymmetryError, SymmetrySet, attacks,
    between, is_attacked,
};
