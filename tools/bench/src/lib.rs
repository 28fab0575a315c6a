//! The harness of measurements, for `tbindex bench` and for the benches of this workspace.
//!
//! - [`measure`]: operations on batches beside their rivals, which run in turn on the same buffers.
//! - [`reindex`]: whole tables from one order to another, beside memcpy and the loop over rank and unrank.
//! - [`rivals`]: the loops over look-up tables, and plain loops.
//! - [`machine`]: the facts about a machine without which its figures can't be read.
//! - [`yardstick`]: work that takes seconds, with its processor time, and the copy in memory beside it.
//! - `race`, with the feature `criterion`: contenders under criterion.

mod harness;
pub mod machine;
mod measure;
#[cfg(feature = "criterion")]
pub mod race;
pub mod random;
pub mod reindex;
pub mod yardstick;

pub use harness::{Code, Contender, Operation, Plan, SizeClass, beyond_caches, rivals};
pub use measure::{OFFSETS, Row, measure};
