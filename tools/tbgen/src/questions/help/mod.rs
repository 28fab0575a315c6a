//! Helpmates: both sides help to have one side, the *victim*, checkmated as soon as possible.
//!
//! The value of a position is the least number of plies to such a mate, or none, and whether exactly one sequence of so
//! many moves leads to any. A mated position has 0; every other has one more than the least of its successors. A position is
//! *dead* if no mate of either side can be reached.

mod search;
mod solutions;

pub use search::HelpSearch;
pub use solutions::Solutions;
