//! What batches are made of, for probers of other files: positions of one material as rows of squares, and where their moves
//! lead.
//!
//! ```
//! use syzygy_tables::batch::PackedBoard;
//! use syzygy_tables::batch::rows::{Children, Endgames, Group, Position};
//! use syzygy_tables::cozy_chess::Board;
//!
//! let board: Board = "8/8/2k5/3r4/8/8/8/2KQ4 w - - 0 1".parse()?;
//! let endgames = Endgames::default();
//! for group in Group::all(&[PackedBoard::try_from(&board)?], &endgames) {
//!     let mut children = Children::default();
//!     for (number, &placed) in group.rows.iter().enumerate() {
//!         let position = Position::new(&group.endgame, placed);
//!         position.captures(|child, after| children.push(child, after, number));
//!     }
//!     let mut after = children.of(&group.endgame);
//!     let (material, rows, parents) = after.next().expect("the queen takes the rook");
//!     assert_eq!((material.to_string().as_str(), rows.len(), parents), ("KQvK", 1, &[0][..]));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use super::children::Children;
pub use super::endgame::{Child, Endgame, Endgames};
pub use super::group::Group;
pub use super::moves::Position;
pub use super::placed::Placed;
