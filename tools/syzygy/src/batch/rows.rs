//! Parts of batches, for probers of other files: positions of one material as rows of squares, and where their moves
//! lead.
//!
//! ```
//! use syzygy_tables::batch::PackedBoard;
//! use syzygy_tables::batch::rows::{Children, Endgame, Endgames, Placed, Position};
//! use syzygy_tables::cozy_chess::Board;
//!
//! let board: Board = "8/8/2k5/3r4/8/8/8/2KQ4 w - - 0 1".parse()?;
//! let endgames = Endgames::default();
//! let board = PackedBoard::try_from(&board)?;
//! let endgame = endgames.get(board.material());
//! let mut children = Children::default();
//! let position = Position::new(&endgame, board.placed());
//! position.captures(|child, after| children.push(child, after, 7));
//! let look_up = |after: &Endgame, rows: &[Placed]| vec![after.material().to_string(); rows.len()];
//! let drawn = "two kings".to_owned();
//! children.for_each((&endgame, &endgames), 1000, drawn, look_up, |parent, found| {
//!     assert_eq!((parent, found.as_str()), (7, "KQvK"));
//! });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use super::cache::Cache;
pub use super::children::Children;
pub use super::endgame::{Child, Endgame, Endgames};
pub use super::failures::{Failures, Reason, Report};
pub use super::moves::Position;
pub use super::placed::Placed;
pub use super::rounds::Rounds;
pub use super::sources::Sources;
