//! Labels of positions: from all tables of a folder, in batches, or from tables that are solved.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use rayon::prelude::*;
use syzygy_tables::batch::PackedBoard;
use tbgen::{BatchProber, GamePosition, Label, Tables, TablesError, Wanted};
use tbindex::batch::Backend;

use super::item::{Given, Packed};
use super::solved::Solved;
use crate::machine::pool;
use crate::tables::{solver, tables_in};

/// Labels, and why there are none.
pub(super) enum Labels {
    Files(Box<Files>),
    /// No files.
    Solved(Box<Solved>),
}

/// Files, and what is solved where they leave something open.
pub(super) struct Files {
    prober: BatchProber<Box<Tables>>,
    wanted: Wanted,
    /// Why positions with castling rights have no labels, and of how many a table is damaged.
    missing: BTreeMap<String, u64>,
    damaged: u64,
}

impl Labels {
    /// The labels of tables in folders, or if there are none, of those that are solved in so much memory, with the distances
    /// that are wanted. With `solve`, what the files leave open is solved in so much memory.
    pub(super) fn new(
        folders: &[PathBuf],
        memory: u64,
        solve: Option<u64>,
        wanted: Wanted,
    ) -> Result<Labels> {
        if folders.is_empty() {
            return Ok(Labels::Solved(Box::new(Solved::new(memory, wanted))));
        }
        let mut tables = tables_in(folders)?;
        if let Some(memory) = solve {
            tables = tables.and_on_demand(memory, pool(0)?, solver(Backend::detect(), 1));
        }
        Ok(Labels::Files(Box::new(Files {
            prober: BatchProber::new(Box::new(tables), memory as usize),
            wanted,
            missing: BTreeMap::new(),
            damaged: 0,
        })))
    }

    /// The labels of positions, or `None` where tables are missing.
    pub(super) fn of(&mut self, given: &[&Given]) -> Result<Vec<Option<Label>>> {
        let packed = given.iter().filter_map(|given| match given {
            Given::Packed(packed) => Some(*packed),
            Given::Castling(_) => None,
        });
        let packed: Vec<Packed> = packed.collect();
        let found = match self {
            Labels::Files(files) => files.labels(&packed),
            Labels::Solved(solved) => solved.labels(&packed)?,
        };
        let mut found = found.into_iter();
        let labels = given.iter().map(|given| match (given, &mut *self) {
            (Given::Packed(_), _) => Ok(found.next().flatten()),
            (Given::Castling(position), Labels::Files(files)) => {
                files.label_with_castling(position)
            }
            (Given::Castling(position), Labels::Solved(solved)) => {
                solved.label_with_castling(position)
            }
        });
        labels.collect()
    }

    /// Why positions have no labels, and how many for each reason.
    pub(super) fn missing(&self) -> BTreeMap<String, u64> {
        let files = match self {
            Labels::Files(files) => files,
            Labels::Solved(solved) => return solved.missing.clone(),
        };
        let mut missing = files.missing.clone();
        for (reason, count) in files.prober.failures() {
            *missing.entry(reason.to_string()).or_default() += count;
        }
        missing
    }

    /// How many positions have no label because a file is damaged.
    pub(super) fn damaged(&self) -> u64 {
        let Labels::Files(files) = self else {
            return 0;
        };
        let failures = files.prober.failures().into_iter();
        let damaged = failures.filter(|(reason, _)| !reason.is_missing());
        damaged.map(|(_, count)| count).sum::<u64>() + files.damaged
    }
}

impl Files {
    fn labels(&self, given: &[Packed]) -> Vec<Option<Label>> {
        let boards: Vec<PackedBoard> = given.par_iter().map(|given| given.board).collect();
        let counters: Vec<u16> = given.par_iter().map(|given| given.counter).collect();
        let found = self.prober.labels(self.wanted, &boards, &counters);
        found.into_iter().map(Result::ok).collect()
    }

    fn label_with_castling(&mut self, position: &GamePosition) -> Result<Option<Label>> {
        match self.prober.tables().answer(position) {
            Ok(answer) => {
                let label = Label::from(answer.evaluation);
                let dtz = label.dtz.filter(|_| self.wanted.dtz);
                let dtm = label.dtm.filter(|_| self.wanted.dtm);
                Ok(Some(Label { dtz, dtm, ..label }))
            }
            Err(TablesError::Solve(error)) => Err(error.into()),
            Err(error) => {
                let is_damage = matches!(error, TablesError::File(_) | TablesError::Syzygy(_));
                self.damaged += u64::from(is_damage);
                *self.missing.entry(error.to_string()).or_default() += 1;
                Ok(None)
            }
        }
    }
}
