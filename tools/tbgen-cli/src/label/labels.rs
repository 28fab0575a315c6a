//! Labels of positions: from all tables of a folder, in batches, or from tables that are solved.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;
use syzygy_tables::batch::PackedBoard;
use tbgen::{BatchProber, Label, Tables, TablesError, Wanted};

use super::item::Given;
use super::solved::Solved;
use crate::answers::tables_in;

/// Labels, and why there are none.
pub(super) enum Labels {
    Files(Box<BatchProber<Box<Tables>>>, Wanted),
    /// No files.
    Solved(Box<Solved>),
}

impl Labels {
    /// The labels of a folder's tables, or of those that are solved in so much memory, with the distances that are wanted.
    pub(super) fn new(folder: Option<&Path>, memory: u64, wanted: Wanted) -> Result<Labels> {
        let Some(folder) = folder else {
            return Ok(Labels::Solved(Box::new(Solved::new(memory, wanted))));
        };
        let tables = tables_in(folder)?;
        let prober = BatchProber::new(Box::new(tables), memory as usize);
        Ok(Labels::Files(Box::new(prober), wanted))
    }

    /// The labels of positions, or `None` where tables are missing.
    pub(super) fn of(&mut self, given: &[&Given]) -> Result<Vec<Option<Label>>> {
        let (prober, wanted) = match self {
            Labels::Files(prober, wanted) => (prober, *wanted),
            Labels::Solved(solved) => return solved.labels(given),
        };
        let boards: Vec<PackedBoard> = given.par_iter().map(|given| given.board).collect();
        let counters: Vec<u16> = given.par_iter().map(|given| given.counter).collect();
        let found = prober.labels(wanted, &boards, &counters);
        Ok(found.into_iter().map(Result::ok).collect())
    }

    /// Why positions have no labels, and how many for each reason.
    pub(super) fn missing(&self) -> BTreeMap<String, u64> {
        let prober = match self {
            Labels::Files(prober, _) => prober,
            Labels::Solved(solved) => return solved.missing.clone(),
        };
        let mut missing = BTreeMap::new();
        for (reason, count) in prober.failures() {
            *missing.entry(reason.to_string()).or_default() += count;
        }
        missing
    }

    /// How many positions have no label because a file is damaged.
    pub(super) fn damaged(&self) -> u64 {
        let Labels::Files(prober, _) = self else {
            return 0;
        };
        let failures = prober.failures().into_iter();
        let damaged = failures.filter(|(reason, _)| !matches!(reason, TablesError::Missing { .. }));
        damaged.map(|(_, count)| count).sum()
    }
}
