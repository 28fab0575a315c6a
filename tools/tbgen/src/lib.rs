//! A generator of chess endgame tables of 3 to 7 pieces, with and without pawns, by the distance to zeroing or to
//! mate. It works on sets of positions, the bitbases of `tbindex`, with 64 positions to a machine word and 512 to a
//! vector register.
//!
//! [`solve`] makes the [`Table`] of a material from those in a [`Library`], which have to be there; [`needed_by`] and
//! [`all_up_to`] list them in the order in which they can be made. Tables are written with [`Table::write`] and read
//! with [`TableFile`]. A [`GamePosition`] has what tables leave out: the right to capture en passant, and the moves.
//!
//! The source lies in rooms, and each uses those above it:
//!
//! | room | contents |
//! |---|---|
//! | `chess` | boards and moves, short-range pieces, placements of pawns, which table needs which |
//! | `table` | the parts of a table, values as codes in bit planes, in memory or in a temporary file, counts |
//! | `storage` | files of tables, packed ones, files of records such as checkpoints |
//! | `subtables` | conversions out of a part, and the values that they lead to |
//! | `distributed` | several processes that solve a table together: who has which slices, messages, common files |
//! | `solve` | retrograde analysis, level after level and ply after ply |
//! | `plan` | the memory, disk and time that a table takes |
//! | `verify` | checks of tables by their moves |
//! | `probe` | answers for positions by files or on demand |
//! | `questions` | queries over whole tables, helpmates, dead positions |
//! | `syzygy` | tables as Syzygy files and packed ones |
//! | `make` | tables into files of any kind, each from those that its moves lead to |

#![forbid(unsafe_code)]

mod chess;
mod distributed;
#[doc(hidden)]
pub mod internals;
mod make;
mod plan;
mod probe;
mod questions;
mod solve;
mod storage;
mod subtables;
mod syzygy;
mod table;
mod verify;

pub use chess::dependencies::{all_up_to, depth_first, in_order, led_to_by, needed_by};
pub use chess::error::ProbeError;
pub use chess::error::{BoardError, IllegalReason};
pub use chess::game::{GamePosition, Move};
pub use chess::piece_set::{Endgame, EndgameError, Letters, LettersError, PieceSet};
pub use distributed::Transport;
pub use distributed::crossing::Crossed;
pub use make::{Done, Event, InWork, Job, Journal, Made, MakeError, Output, Watch, begin_file};
pub use plan::disk::{file_bytes, files_bytes, syzygy_files_bytes};
pub use plan::memory::{
    asked_memory, compare_memory, export_memory, led_to_memory, look_up_memory, pack_memory,
    stats_memory, work_memory,
};
pub use plan::sizes::{at_least, mebibytes, parse_size};
pub use plan::{InTurn, Plan, ProcessPlan, SharedPlan, Speed, process_memory};
pub use probe::answer::{Answer, Ending, Evaluation, Line, MoveAnswer, TablesError, Wanted};
pub use probe::batch::{BatchProber, Sides, index_order, pack_indices};
pub use probe::on_demand::{Solver, reachable_memory};
pub use probe::tables::Tables;
pub use questions::best::Listed;
pub use questions::by_distance::ByDistance;
pub use questions::chain::Chains;
pub use questions::found::{Mined, MinedSide};
pub use questions::help::{HelpSearch, Solutions};
pub use questions::log::MineLog;
pub use questions::members::Members;
pub use questions::memory::MineMemory;
pub use questions::mine::{Hit, MineOptions, mine};
pub use questions::query::{Query, QueryError};
pub use questions::reservoir::Reservoir;
pub use solve::levels::{solve, solve_shape, solve_shared};
pub use solve::options::{Options, Progress, Residence};
pub use storage::checkpoint::{
    CheckpointOf, check_checkpoint, checkpoint_bytes, remove_checkpoint,
};
pub use storage::packed::PackedFile;
pub use storage::record_file::RecordError;
pub use storage::table_file::{FileError, TableFile};
pub use subtables::library::{Library, SolveError};
pub use syzygy::files::{Published, intact_files};
pub use syzygy::pack::{check_packed, may_be_packed, pack};
pub use syzygy::source::{ExportError, export};
pub use syzygy_tables::batch::Failure;
pub use table::reachable::reachable;
pub use table::shape::{Shape, ShapeError, table_of};
pub use table::solved::Table;
pub use table::stats::{Counting, SideStats, Stats};
pub use table::temp_file::TempFile;
pub use table::value::{Metric, Outcome, Value};
pub use verify::{Check, Sample, VerifyError, verify_moves};
