//! Which short-range pieces can give mate: king and piece against king.
//!
//! White has a king and the piece, Black a king. The piece leaps, so nothing blocks it; it may not land on its own
//! king's square. The black king may take it unless the white king guards it. That is a draw, and so is stalemate
//! of either side. A piece need not have any symmetry, so all placements count. There are 223 944 legal ones on the
//! chessboard with Black to move.
//!
//! [`MateSolver`] answers for slices of pieces how many positions are won and how long the longest mate takes,
//! [`MateCensus`] for all pieces. [`MateTable`] has the distances of all positions of one piece, and lines of
//! play.

mod census;
mod fast;
mod histogram;
mod plain;
mod power;
mod solver;
mod table;

pub use census::{MateCensus, MateClass, MateClasses, MateTally};
pub use histogram::longest_mates_picture;
pub use power::MatingPower;
pub use solver::MateSolver;
pub use table::{MatePosition, MateTable};
