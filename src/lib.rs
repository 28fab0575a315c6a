//! The index layer of chess endgame tablebases.

pub mod board;
pub mod index;
pub mod reference;
pub mod store;

pub use board::{
    Bitboard, Color, Fen, FenError, File, Group, Material, MaterialError, Piece, PieceType,
    Position, Rank, Square, SquareError, Squares, Symmetry, SymmetryError, SymmetrySet, attacks,
    between, is_attacked,
};
pub use index::{
    Enumeration, Equivalence, Layout, LayoutError, LikePieces, LikePiecesError, Masks, Numbering,
    NumberingError, PlacementCodec, PlacementError, Stage, StageCounts, StageError, Word,
};
