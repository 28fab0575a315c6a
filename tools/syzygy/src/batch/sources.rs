//! What batches read, and what they keep.

use std::ops::Deref;
use std::sync::Arc;

use super::cache::Cache;
use super::endgame::Endgames;
use super::failures::Failures;
use crate::tables::Tables;

/// Tables that the caller keeps, or has a share of.
#[derive(Debug)]
pub(super) enum Held<'t> {
    Borrowed(&'t Tables),
    Shared(Arc<Tables>),
}

impl Deref for Held<'_> {
    type Target = Tables;

    #[inline]
    fn deref(&self) -> &Tables {
        match self {
            Held::Borrowed(tables) => tables,
            Held::Shared(tables) => tables,
        }
    }
}

/// Tables, and what is kept of them from one batch to the next.
#[derive(Debug)]
pub(super) struct Sources<'t> {
    pub(super) tables: Held<'t>,
    /// The bytes that may be taken.
    pub(super) memory: usize,
    pub(super) cache: Cache,
    pub(super) failures: Failures,
    pub(super) endgames: Endgames,
}

impl<'t> Sources<'t> {
    /// Five eighths of the memory are for decoded sub-tables.
    pub(super) fn new(tables: Held<'t>, memory: usize) -> Sources<'t> {
        Sources {
            tables,
            memory,
            cache: Cache::new(memory as u64 / 8 * 5),
            failures: Failures::default(),
            endgames: Endgames::default(),
        }
    }
}
