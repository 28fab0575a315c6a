//! Sets of positions, one bit for each, and moves as operations on whole sets.

mod add_moves;
mod captures;
mod classes;
mod confine;
mod domain;
mod frontier;
mod gathered;
mod image;
mod lanes;
mod man;
mod moves;
mod pages;
mod row;
mod seen;
mod set;
mod slice;
mod ways;

pub use captures::{Captured, Captures};
pub use classes::LikeMen;
pub use domain::{Domain, DomainError, MOST_PIECES, Slot, SlotError};
pub use frontier::{Frontier, FrontierSlice};
pub use gathered::{Gathered, Positions};
pub use man::{Man, Walk, Way};
pub use row::Row;
pub use seen::SeenError;
pub use set::Bitbase;
pub use slice::Slice;
