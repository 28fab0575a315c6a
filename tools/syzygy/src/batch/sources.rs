//! What batches read, and what they keep.

use super::cache::Cache;
use super::failures::Failures;
use crate::tables::Tables;

/// Tables, what is kept of them from one batch to the next, and why positions have no answer.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) tables: &'a Tables,
    /// The decoded sub-tables, unless few positions are probed.
    pub(super) cache: Option<&'a Cache>,
    pub(super) failures: &'a Failures,
}
