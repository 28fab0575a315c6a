//! Short-range pieces: whether they can get everywhere, why not, and how many can.
//!
//! A piece that leaps at most two files and two ranks is one of 2²⁴ [sets of steps](crate::Leaper). Can it get
//! everywhere? Its [`Verdict`] is the exact answer for a board without edges, with the reason: the moves
//! must generate the plane as a [`Lattice`], and must not all lie in one half-plane. On a real board, a
//! [`Grid`], edges matter too: the piece gets everywhere if the squares are strongly connected. A [`Classifier`] answers
//! both questions for slices of pieces, and a [`Census`] for all pieces, in a tenth of a second. The package `tbindex-fairy`
//! has distances and pictures, and tells which pieces can give mate with the help of their king, and from where.
//!
//! ```
//! use tbindex::Leaper;
//! use tbindex::fairy::{Verdict, masks_of};
//! // Passes all published masks, and is bound all the same.
//! let piece: Leaper = "01,02,10,15".parse()?;
//! let verdict = Verdict::of(piece);
//! assert!(masks_of(piece).next().is_none() && !verdict.is_free());
//! assert_eq!(
//!     verdict.to_string(),
//!     "Bound: all its moves lie in one half-plane, so it can never make up a direction from east \
//!      clockwise to south-west."
//! );
//! # Ok::<(), tbindex::fairy::NotationError>(())
//! ```
//!
//! # The census
//!
//! The list of [published masks](MASKS) was given as incomplete, and the source doubted that all bound
//! pieces can be found. This table has all of them (`tbindex fairy census`; with `--symmetric` it counts
//! the classes of pieces that are images of each other):
//!
//! | | pieces | classes | smallest example |
//! |---|--:|--:|---|
//! | all | 16 777 216 | 2 105 872 | |
//! | free on the plane | 16 614 446 | 2 084 994 | 07,09,17 (the Y) |
//! | bound on the plane | 162 770 | 20 878 | |
//! | · on a point or a line (rank 0, 1) | 73 | 21 | the empty piece |
//! | · confined to a half-plane (rank 2) | 130 960 | 16 619 | 07,09 (`fF`) |
//! | · to one colour of 2, not confined | 31 340 | 4 157 | 01,05,17 (`bWfA`) |
//! | · to one colour of 3 | 208 | 39 | 04,15,18 |
//! | · to one colour of 4 | 182 | 39 | 03,15,19 (`fDbsN`) |
//! | · to one colour of 5 | 2 | 1 | 02,10,15,23 (`hlN`) |
//! | · to one colour of 6 | 4 | 1 | 01,10,15,24 |
//! | · to one colour of 8 | 1 | 1 | 01,05,20,24 (`A`) |
//! | within a published mask | 146 954 | 18 901 | |
//! | bound, but in no published mask | 15 816 | 1 977 | 09,10,15 |
//!
//! - **One kind is missing from the list.** All 15 816 pieces that are bound and in no published mask
//!   are confined to a half-plane whose edge runs along a knight's move, and generate the whole plane as
//!   a lattice. The list has the eight half-planes with edges along files, ranks and diagonals; these
//!   are eight more, and no other. The smallest examples have three moves: 09,10,15 and
//!   10,12,15, with their images 16 pieces; the source's own example is 01,02,10,15.
//! - **The colourings are complete.** A piece that is bound but not confined is within one of the seven
//!   published colourings. Two of these, the pinwheels, have no other piece than themselves. The colourings
//!   with 4, 6 and 8 colours are not new ones, but refine the colourings checker, rows or files of the
//!   list. Seven colours, or more than eight, do not occur.
//! - So a piece is bound exactly if one of 15 + 8 masks holds it.
//! - No piece with fewer than three moves is free; 224 with three are (31 classes). Every piece with more
//!   than 14 moves is free. Ten pieces with 14 moves are bound; they are masks themselves.
//! - On the 8×8 board 16 452 080 pieces are connected (2 064 565 classes), the same number that a
//!   computer search by Sam Trenholme found. 162 366 pieces (20 429 classes) are free on the plane, but
//!   not connected on the board; the largest have 16 moves: 01 to 12, 15, 16, 20, 21 and its images.
//! - **Edges do harm in the corners only.** A free piece is connected on the board exactly if it can leave
//!   every corner, that is, if it has a move in every quadrant, edges included. The census shows this for
//!   8×8, 10×6 and all the way down to 4×5, so the counts for these boards are the same. On 4×4 and on
//!   boards of three files or ranks there are exceptions. The smallest pieces that are connected have three
//!   moves (104 pieces, 15 classes), and all pieces with 17 moves or more are connected.
//! - On boards of at least two files and ranks no bound piece is connected.

mod batch;
mod betza;
mod census;
mod directions;
mod distances;
mod grid;
mod grid_moves;
mod lattice;
mod masks;
mod notation;
mod notation_error;
mod verdict;

pub use batch::{Classifier, PieceFacts};
#[doc(hidden)]
pub use census::HalfImages;
pub use census::{Census, Tally};
use directions::{Directions, Wind};
pub use distances::Distances;
pub use grid::Grid;
#[doc(hidden)]
pub use grid_moves::GridMoves;
pub use lattice::Lattice;
pub use masks::{FREE_ATOMS, MASKS, UNLISTED_MASKS, free_atoms_of, masks_of, unlisted_masks_of};
pub use notation::NAMED;
pub use notation_error::NotationError;
pub use verdict::Verdict;
