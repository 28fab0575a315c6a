//! A generator of chess endgame tables of 3 to 7 pieces, with and without pawns, by the distance to zeroing or to
//! mate. It works on sets of positions, the bitbases of `tbindex`, with 64 positions to a machine word and 512 to a
//! vector register.
//!
//! [`solve`] makes the [`Table`] of a material from those in a [`Library`], which have to be there; [`needed_by`] and
//! [`all_up_to`] list them in the order in which they can be made. Tables are written with [`Table::write`] and read
//! with [`TableFile`]. A [`Board`] has what tables leave out: the right to capture en passant, and the moves.

#![forbid(unsafe_code)]

mod at;
mod carrier;
mod cast;
mod code_sets;
mod codes;
mod doors;
mod due;
mod entries;
mod error;
mod export;
mod file;
mod library;
mod log;
mod mates;
mod naive;
mod options;
mod order;
mod owners;
mod part_log;
mod pawns;
mod places;
mod plan;
mod planes;
mod plies;
mod promises;
mod promoted;
mod reach;
mod recent;
mod revision;
mod room;
mod sets;
mod shape;
mod shelf;
mod size;
mod solve;
mod solved;
mod sparse;
mod spool;
mod stats;
mod steps;
mod syzygy;
mod table;
#[cfg(test)]
mod testing;
mod value;
mod verify;
mod walk;

pub use carrier::{Alone, Carrier};
pub use cast::{Cast, Endgame, EndgameError, Letters, LettersError};
pub use error::ProbeError;
pub use export::{ExportError, ExportOptions, export};
pub use file::{FileError, TableFile};
pub use library::{Library, SolveError};
pub use log::{LogError, LogOf, is_log};
pub use naive::{BoardError, ShortRangeBoard, ShortRangeMove, verify_short_range};
pub use options::{Crossed, Options, Progress, Residence};
pub use order::{all_up_to, in_order, led_to_by, needed_by};
pub use plan::{Plan, ProcessPlan, SharedPlan, kept_memory, look_up_memory, process_memory};
pub use reach::reachable;
pub use shape::{Shape, ShapeError, table_of};
pub use shelf::ShelfError;
pub use size::{at_least, mebibytes, parse_size};
pub use solve::{remove_shared_logs, solve, solve_shape, solve_shared};
pub use spool::Spool;
pub use stats::{Counting, SideStats, Stats};
pub use syzygy::{Answer, Published, intact_files};
pub use table::Table;
pub use value::{Metric, Outcome, Value};
pub use verify::{Board, Check, IllegalReason, Move, Sample, VerifyError, verify_moves};
