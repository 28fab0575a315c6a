//! From any indices to the reduced set: canonical, sorted, each once, within a stated memory.
//!
//! Two methods, chosen by the memory that there is:
//!
//! - *bitmap*: a bit for every canonical index. Five pieces take 32 MiB (64 with pawns), however many
//!   indices are read; nothing is sorted.
//! - *sort*: indices are dealt out into piles, each of which is sorted in the end; if the memory does not hold
//!   them, the piles go to a temporary file.
//!
//! A [`Reducer`] is fed slices, and hands out slices. [`Reduction::reduce_files_into`] does all of it from
//! files to a file.

mod bitmap;
mod collectors;
mod files;
mod keys;
mod piles;
mod plan;
mod radix;
mod reducer;
mod reduction;
mod sizes;
mod sort;
mod spills;

pub use self::plan::ReductionPlan;
pub use self::reducer::{Reducer, Summary};
pub use self::reduction::Reduction;
