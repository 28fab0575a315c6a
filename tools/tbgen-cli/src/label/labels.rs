//! Labels of positions: from the tables of folders, and from tables that are solved.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use rayon::prelude::*;
use syzygy_tables::batch::PackedBoard;
use tbgen::{BatchProber, GamePosition, Label, Metric, Tables, TablesError, Wanted};
use tbindex::batch::Backend;

use crate::machine::ThreadsArgs;
use crate::rows::item::{Given, Packed};
use crate::signals::check_stopped;
use crate::tables::{open_tables, solver};

/// Labels, and why there are none.
pub(super) struct Labels {
    prober: BatchProber<Box<Tables>>,
    wanted: Wanted,
    /// The reasons of positions with castling rights.
    reasons: Reasons,
}

/// Why positions have no labels: whether a table is missing, and else can't be used, in words; and how many they are.
pub(super) type Reasons = BTreeMap<(bool, String), u64>;

impl Labels {
    /// The labels of tables in folders, or if there are none, of those that are solved in so much memory, with the distances
    /// that are wanted. With `solve`, what the files leave open is solved in so much memory.
    pub(super) fn new(
        folders: &[PathBuf],
        memory: u64,
        solve: Option<u64>,
        wanted: Wanted,
        threads: &ThreadsArgs,
    ) -> Result<Labels> {
        let solver = || solver(Backend::detect(), 1);
        let tables = match (folders, solve) {
            ([], _) => {
                let tables = Tables::on_demand(memory, threads.pool()?, solver());
                match wanted.dtm {
                    true => tables,
                    false => tables.with_metric(Metric::Dtz),
                }
            }
            (folders, Some(memory)) => {
                open_tables(folders)?.and_on_demand(memory, threads.pool()?, solver())
            }
            (folders, None) => open_tables(folders)?,
        };
        Ok(Labels {
            prober: BatchProber::new(Box::new(tables), memory as usize),
            wanted,
            reasons: Reasons::new(),
        })
    }

    /// The labels of positions, or `None` where tables are missing.
    pub(super) fn of(&mut self, given: &[&Given]) -> Result<Vec<Option<Label>>> {
        let packed = given.iter().filter_map(|given| match given {
            Given::Packed(packed) => Some(*packed),
            Given::Castling(_) => None,
        });
        let packed: Vec<Packed> = packed.collect();
        let boards: Vec<PackedBoard> = packed.par_iter().map(|given| given.board).collect();
        let counters: Vec<u16> = packed.par_iter().map(|given| given.counter).collect();
        let found = self.prober.labels(self.wanted, &boards, &counters);
        check_stopped()?;
        let reasons = self.prober.failures().into_iter();
        let mut reasons = reasons.map(|(reason, _)| reason);
        if let Some(error) = reasons.find(|of| matches!(of, TablesError::Solve(_))) {
            return Err(error.into());
        }
        let mut found = found.into_iter().map(Result::ok);
        let labels = given.iter().map(|given| match given {
            Given::Packed(_) => Ok(found.next().flatten()),
            Given::Castling(position) => self.label_with_castling(position),
        });
        labels.collect()
    }

    fn label_with_castling(&mut self, position: &GamePosition) -> Result<Option<Label>> {
        match self.prober.tables().answer(position) {
            Ok(answer) => Ok(Some(Label::of(answer.evaluation, self.wanted))),
            Err(TablesError::Solve(error)) => Err(error.into()),
            Err(error) => {
                let reason = (error.is_missing(), error.to_string());
                *self.reasons.entry(reason).or_default() += 1;
                Ok(None)
            }
        }
    }

    /// Why positions have no labels.
    pub(super) fn reasons(&self) -> Reasons {
        let mut reasons = self.reasons.clone();
        for (error, count) in self.prober.failures() {
            let reason = (error.is_missing(), error.to_string());
            *reasons.entry(reason).or_default() += count;
        }
        reasons
    }
}
