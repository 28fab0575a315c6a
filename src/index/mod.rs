//! Operations on one index: symmetries, conversion and canonical forms, without a loop over the
//! pieces and without tables.
//!
//! A [`Layout`] says where the digits of an index are: `n` pieces, a [`Numbering`] of the squares
//! and a [`Word`] that holds the number. Every piece's square is a six-bit code, a high and a low
//! octal digit. All high digits come first and then all low digits, piece n−1 leading both halves:
//!
//! ```text
//! bits 6n−1 … 3n : h(n−1) … h(1) h(0)        the high half
//! bits 3n−1 … 0  : l(n−1) … l(1) l(0)        the low half
//! ```
//!
//! So the digits' bits form planes: bit 0 of all low digits is `x & ones`, where `ones` has bit 0 of
//! every low digit set, bit 2 of all high digits is `x >> (3n + 2) & ones`. Every formula in this
//! module is a boolean function of these planes and therefore works on all pieces at once, and on vectors of indices as
//! on one.
//!
//! An [`Equivalence`] adds a group of symmetries and sets of like pieces, and gives canonical forms,
//! orbits and classes.

mod canonical;
pub(crate) mod dense;
mod enumerate;
mod flip;
pub(crate) mod kernels;
mod layout;
mod like;
mod material_map;
mod moves;
mod numbering;
mod placement;
pub(crate) mod planes;

pub use canonical::Equivalence;
pub(crate) use dense::{BLOCK, BlockRow, KingMove, Sliced, choose};
pub use dense::{
    Compact, Dense, Diagonal, Estimate, KingDistance, KingPairs, Kings, LeadingPieces, Orbit,
    Rules, Triangle,
};
pub use enumerate::{Enumeration, Stage, StageCounts};
pub use layout::{Layout, LayoutError};
pub use like::LikePieces;
pub use material_map::MaterialMap;
pub(crate) use moves::king_number;
pub use moves::{Move, Moves, Reached};
pub use numbering::Numbering;
pub use placement::{PlacementCodec, PlacementError};

pub use crate::word::{Masks, Word};
