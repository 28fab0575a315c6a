//! From any indices to the reduced set: canonical, sorted, each once, within a stated memory.
//!
//! Two methods, chosen by what fits:
//!
//! - *bitmap*: a bit for every canonical index there can be. Five pieces take 32 MiB (64 with pawns),
//!   whatever is read; nothing is sorted.
//! - *sort*: as many indices as fit are sorted in memory; if there are more, sorted runs go to
//!   temporary files, which are merged in the end.
//!
//! A [`Reducer`] is fed slices, and hands out slices. [`Reduction::reduce_files_into`] does all of it from
//! files to a file.

mod any_sorter;
mod bitmap;
mod files;
mod keys;
mod merge;
mod pipe;
mod plan;
mod radix;
mod reducer;
mod reduction;
mod runs;
mod share;
mod sizes;
mod sort;

pub use self::plan::ReductionPlan;
pub use self::reducer::{Reducer, Summary};
pub use self::reduction::Reduction;
