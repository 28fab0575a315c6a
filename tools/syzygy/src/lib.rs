//! A reader, prober and writer of Syzygy endgame tables.
//!
//! A Syzygy table is two files: `KQvKR.rtbw` says who wins, `KQvKR.rtbz` how far the next capture, pawn move or mate
//! is. [`Tables`] answers questions about positions from folders of such files, [`TableFile`] is one file, and
//! [`numbering`] is the order of a file's values. [`writer`] makes files of a generator's values. [`mod@format`] is a page
//! that describes the format.

pub mod batch;
pub mod checksum;
pub mod coding;
mod error;
mod file;
#[doc = include_str!("format.md")]
pub mod format {}
#[doc(hidden)]
pub mod internals;
mod kind;
mod material;
pub mod numbering;
mod tables;
mod value;
pub mod writer;

pub use cozy_chess;

pub use error::Error;
pub use file::{SubTable, TableFile};
pub use kind::Kind;
pub use material::{ColoredPiece, MOST_PIECES, Material, MaterialError};
pub use tables::Tables;
pub use value::{Dtz, Wdl};

/// The examples of README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
