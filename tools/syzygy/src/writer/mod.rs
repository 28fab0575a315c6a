//! From the values of a generator to files.

mod blocks;
mod code;
mod compare;
mod dtz;
mod file;
pub(crate) mod gaps;
mod memory;
pub(crate) mod orders;
mod pairs;
pub(crate) mod runs;
mod source;
pub(crate) mod stretches;
pub(crate) mod sub_table;
pub(crate) mod watch;
mod wdl;

pub use compare::compare;
pub use file::{publish, remove_stale, write_dtz, write_wdl};

pub use memory::{MemorySource, TooManyDistances};
pub use orders::most_places;
pub use source::{DtzEntry, Source, WdlEntry};
pub use watch::{Control, Interrupted, Progress, Step};

/// How many values are turned into symbols by themselves.
pub(crate) const CHUNK: usize = 1 << 18;

/// How distances are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distances {
    /// In plies. Probers need no guess near the fifty-move limit.
    #[default]
    Exact,
    /// In moves, where that can't turn a win into a draw: the convention of the published files, which are smaller.
    Rounded,
}
