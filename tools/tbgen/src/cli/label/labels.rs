//! Labels of positions: from Syzygy files in batches, from tbgen's own tables, or from tables that are solved.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;
use syzygy_tables::batch::{Answer, BatchProber, Failure, PackedBoard};
use syzygy_tables::{Error, Wdl};
use tbgen::{Metric, Tables, TablesError};

use super::item::{Given, Label, distance};
use super::solved::Solved;
use crate::cli::folder::kinds_in;

/// Where labels come from.
pub(super) enum Source<'t> {
    /// Syzygy files, and own tables if there are any.
    Files(Box<BatchProber<'t>>, Option<Tables>),
    /// No files.
    Solved(Solved),
}

/// Labels, and why there are none.
pub(super) struct Labels<'t> {
    source: Source<'t>,
    dtz: bool,
    dtm: bool,
    /// The reasons why positions have no label, and how many have none for each.
    missing: BTreeMap<String, u64>,
    /// How many of these a damaged file has cost theirs.
    damaged: u64,
}

impl<'t> Labels<'t> {
    /// The labels of a folder's tables.
    pub(super) fn new(
        folder: &Path,
        syzygy: &'t syzygy_tables::Tables,
        memory: usize,
        wanted: (bool, bool),
    ) -> Result<Labels<'t>> {
        let (own, _) = kinds_in(folder)?;
        let own = own.then(|| Tables::open(&[folder])).transpose();
        let own = own.context("can't open the tables")?;
        let prober = Box::new(BatchProber::new(syzygy, memory));
        Ok(Labels::of_source(Source::Files(prober, own), wanted))
    }

    pub(super) fn of_source(source: Source<'t>, (dtz, dtm): (bool, bool)) -> Labels<'t> {
        Labels {
            source,
            dtz,
            dtm,
            missing: BTreeMap::new(),
            damaged: 0,
        }
    }

    /// The labels of positions, or `None` where tables are missing.
    pub(super) fn of(&mut self, given: &[&Given]) -> Result<Vec<Option<Label>>> {
        let (dtz, dtm) = (self.dtz, self.dtm);
        let (prober, own) = match &mut self.source {
            Source::Files(prober, own) => (prober, own),
            Source::Solved(solved) => return Ok(solved.labels(given, &mut self.missing)?),
        };
        let boards: Vec<PackedBoard> = given.iter().map(|given| given.board).collect();
        let mut failures = Vec::new();
        let counted = given.iter().any(|given| given.counter > 0);
        let found: Vec<Result<Label, Failure>> = if dtz || counted {
            let answers = prober.probe(&boards).into_iter().zip(given);
            answers
                .map(|(answer, given)| Ok(label(answer?, given, dtz)))
                .collect()
        } else {
            let outcomes = prober.probe_wdl(&boards).into_iter();
            outcomes.map(|wdl| Ok(of_outcome(wdl?))).collect()
        };
        let mut labels: Vec<Option<Label>> = found.iter().map(|label| label.ok()).collect();
        if let Some(own) = own {
            let more = labels.par_iter_mut().zip(given).map(|(label, given)| {
                if label.is_none() {
                    *label = own_label(own, given, dtz)?;
                }
                if let Some(label) = label.as_mut().filter(|_| dtm) {
                    label.dtm = distance_to_mate(own, given)?;
                }
                Ok(())
            });
            failures.extend(more.filter_map(Result::err).collect::<Vec<TablesError>>());
        }
        for (label, found) in labels.iter().zip(found) {
            if let (None, Err(failure)) = (label, found) {
                let reason = prober.reason(failure);
                self.damaged += u64::from(!matches!(reason, Error::Missing { .. }));
                *self.missing.entry(reason.to_string()).or_default() += 1;
            }
        }
        for error in failures {
            self.damaged += 1;
            *self.missing.entry(error.to_string()).or_default() += 1;
        }
        Ok(labels)
    }

    /// Why positions have no labels, and how many for each reason.
    pub(super) fn missing(&self) -> &BTreeMap<String, u64> {
        &self.missing
    }

    /// How many positions have no label because a file is damaged.
    pub(super) fn damaged(&self) -> u64 {
        self.damaged
    }
}

fn label(answer: Answer, given: &Given, dtz: bool) -> Label {
    let (outcome, _) = answer.with_counter(given.counter.into());
    Label {
        dtz: dtz.then_some(answer.dtz.plies),
        ..of_outcome(outcome)
    }
}

fn of_outcome(outcome: Wdl) -> Label {
    Label {
        wdl: outcome as i8,
        ..Label::default()
    }
}

/// The label by own tables, or none if there is no table.
fn own_label(own: &Tables, given: &Given, dtz: bool) -> Result<Option<Label>, TablesError> {
    let Some(position) = given.position() else {
        return Ok(None);
    };
    let answer = match own.answer(&position) {
        Err(TablesError::Missing { .. }) => return Ok(None),
        answer => answer?,
    };
    let found = answer.evaluation.dtz.filter(|_| dtz);
    Ok(Some(Label {
        wdl: answer.evaluation.outcome as i8,
        dtz: found.map(|value| distance(Metric::Dtz, value)),
        dtm: None,
    }))
}

fn distance_to_mate(own: &Tables, given: &Given) -> Result<Option<i32>, TablesError> {
    let Some(position) = given.position() else {
        return Ok(None);
    };
    match own.value(Metric::Dtm, &position) {
        Err(TablesError::Missing { .. }) => Ok(None),
        value => value.map(|(value, _)| Some(distance(Metric::Dtm, value))),
    }
}
