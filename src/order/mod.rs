//! Orders of tables, and whole tables moved from one order to another.
//!
//! # Move a table to another order, piece by piece
//!
//! ```
//! use tbindex::batch::Backend;
//! use tbindex::bitbase::Domain;
//! use tbindex::order::{Order, Reindexing, Scheme};
//! use tbindex::{Diagonal, Rules};
//! let from = Order::of_domain(&Domain::try_new("KQvKR".parse()?, &[])?);
//! let to = Order::of_scheme("KQvKR".parse()?, Scheme::Compact(Rules::KingsApart, Diagonal::Exact))?;
//! let source: Vec<u16> = (0..from.size()).map(|slot| (slot / 64) as u16).collect();
//! let plan = Reindexing::try_new(&from, &to)?;
//! let mut piece = [0; 4096];
//! plan.range_into(&source, u16::MAX, 1_000_000, &mut piece, Backend::detect());
//! assert!(piece.iter().all(|&entry| entry != u16::MAX));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Reindexing::range_into`] moves a whole table, or the entries of a range of slots, so that a file that
//! exceeds the memory is written piece by piece. The source is a slice, and may be a mapped file.
//!
//! # The digits of an order
//!
//! A table has an entry for each position, and every format puts the positions into an order of its own. An [`Order`] is
//! a list of digits. The slot of a position is the sum of its digits, each times its weight:
//!
//! - The *leading* digit is the number of the leading men's squares up to symmetry, in a list. The symmetry that leads
//!   to a placement of the list turns the other men, too.
//! - Each other digit is the square of one man, or the set of squares of like men, combined.
//! - Where men can't share squares, a digit may leave out the squares of men *before* it: its squares are counted through
//!   without gaps. Which digits are before it has nothing to do with their weights.
//!
//! ```text
//! slots of a bitbase domain, KRBvK        slice         R       B          64² slots a slice,
//! [Order::of_domain]                    ┌───────┬───────────┬───────────┐  men may share squares
//!                                       │ K, k  │  a1 … h8  │  a1 … h8  │
//!                                       └───────┴───────────┴───────────┘
//!                                         0…461     0…63        0…63
//!
//! Compact, KRRvK                        ┌───────┬───────────────────────┐  like men are combined, and
//! [Order::of_scheme]                    │ K, k  │ {R, R} of 62 squares  │  those of K and k left out
//!                                       └───────┴───────────────────────┘
//!                                         0…461         0…1890
//!
//! a Syzygy file, KRBNvK                 ┌────────────┬─────────┬────────┐  three lead; K leaves out
//! [Order::try_new]                      │     K      │ R, B, N │   k    │  the squares of R, B, N and k,
//!                                       └────────────┴─────────┴────────┘  though k counts faster
//!                                           0…59      0…31331     0…60
//!
//! Orbit, KRBvK                          ┌──────┬──────┬──────┬──────┬───┐  octal digits of the alternate
//! [Order::of_scheme]                    │ high │ high │ high │ high │low│  numbering: those of one square
//!                                       │  K   │  k   │  R   │  B   │ … │  are far from each other
//!                                       └──────┴──────┴──────┴──────┴───┘
//! ```
//!
//! # How tables are moved
//!
//! The squares of all men but two are chosen from the highest weight of the target to the lowest, and choices are left out
//! whose slots are outside of the range. The two others are the man whose square counts fastest in the target and the
//! one whose square counts fastest in the source, of those who do not lead in the target. Their squares make a *tile* of 64 rows and columns, which stays in the
//! first-level cache:
//!
//! ```text
//!          source                        tile                         target
//!   row a: ▒▒▒▒▒▒ 64 squares of B   →   B →            →   row b: ▒▒▒▒▒▒ 64 squares of A
//!                                     A ▒▒▒▒▒▒
//!   row a':▒▒▒▒▒▒                     ↓ ▒▒▒▒▒▒  exchange     row b': ▒▒▒▒▒▒
//!                                       ▒▒▒▒▒▒  of rows
//!   …                                           and columns  …
//! ```
//!
//! If one man counts fastest on both sides, there is nothing to exchange. While the entries of a tile move, the processor
//! is asked for the lines of the next one.
//!
//! In a row one man moves, and the others stay. The row's entries in the source are spread to the 64 squares, and of these
//! the target's are put together again:
//!
//! ```text
//!   squares left out, k on a3 and R on d1     ▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒ …   62 slots that follow each other
//!   one address and a set of squares          ▒▒▒·▒▒▒▒ ▒▒▒▒▒▒▒▒ ·▒▒▒▒▒▒▒ …
//!
//!   octal digits of the alternate numbering   ▒▒▒▒▒▒▒▒ … ▒▒▒▒▒▒▒▒ … ▒▒▒▒▒▒▒▒   8 words of 8 slots
//!   the distances of words                    and the place of each square in them
//! ```
//!
//! A row has more than one such *run* where its man passes another who leaves out his square, as the addresses jump there.
//! The men of other tiles' choices divide the board into stretches for the second man of the tile. In a stretch all rows
//! have the same runs: addresses grow by a constant, and only his own square is left out in another place. So one row
//! is computed from the squares, and the others by additions. A source whose leading digit turns the positions has its
//! rows in another order, and the squares of each row, too.

mod exact;
mod mirror;
mod mover;
mod numbering;
mod plan;
mod reindex;
mod rows;
mod schemes;
mod squares;
mod tile;

pub use numbering::{Digit, Leading, Order, OrderError, SetOrder};
pub use plan::Reindexing;
pub use reindex::Entry;
pub use schemes::Scheme;
