//! Short-range pieces.

mod batch;
pub mod betza;
mod census;
mod directions;
mod filter;
mod grid;
mod lattice;
mod masks;
mod notation;
mod piece;
pub mod reference;
mod svg;
mod verdict;

pub use self::svg::{distances_picture, verdict_picture};
pub use batch::{Classifier, VerdictWord};
pub use census::{Census, Facts, Tally};
pub use directions::{Direction, Directions};
pub use filter::{Filter, FilterError};
pub use grid::{Distances, Grid, GridError};
pub use lattice::Lattice;
pub use masks::{FreeAtom, Mask, MaskError};
pub use notation::{Found, NotationError, NotationProblem};
pub use piece::{ShortRange, Step};
pub use verdict::Verdict;
