//! Short-range pieces beyond their [verdicts](tbindex::fairy): which can give mate with their king, which meet
//! conditions, which hold records, and how they look.
//!
//! - [`Board`]: names of squares, colourings and drawings.
//! - [`mates`]: king and piece against king, for one piece, for slices of pieces and for all of them.
//! - [`Filter`]: conditions that pick pieces out of all 2²⁴.
//! - [`MateRecords`]: a census of mates beside the plain census, in groups, and the classes that hold its records.
//! - [`verdict_picture`], [`distances_picture`], [`mates_picture`], [`longest_mates_picture`]: pictures as SVG.

mod board;
mod filter;
pub mod mates;
mod pictures;
mod records;

pub use board::{Board, SquareError};
pub use filter::Filter;
pub use mates::{
    MateCensus, MateClass, MateClasses, MatePosition, MateSolver, MateTable, MateTally,
    MatingPower, longest_mates_picture,
};
pub use pictures::{distances_picture, mates_picture, verdict_picture};
pub use records::{Group, MateRecords, symmetry_name};
