//! The files that batches read, and those that they keep.

use super::cache::Cache;
use super::failures::Report;
use crate::error::Error;
use crate::tables::Tables;

/// Syzygy files, as they are asked for positions of one material. Several threads share the work.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The files.
    pub tables: &'a Tables,
    /// The decoded sub-tables, which are kept from one batch to the next, unless few positions are probed.
    pub cache: Option<&'a Cache>,
    /// The reasons why there is no answer.
    pub reasons: &'a dyn Report,
}

impl Sources<'_> {
    /// A number, or that of the reason why there is none.
    #[inline]
    pub(super) fn or_failed(self, found: Result<u16, Error>) -> u16 {
        found.unwrap_or_else(|error| self.reasons.failed(error).0)
    }
}
