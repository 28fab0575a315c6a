//! Labels of positions: from all tables of a folder, in batches, or from tables that are solved.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use syzygy_tables::Wdl;
use syzygy_tables::batch::{Answer, PackedBoard};
use tbgen::{BatchProber, Failure, Metric, Tables};

use super::item::{Given, Label, distance};
use super::solved::Solved;

/// Where labels come from.
pub(super) enum Source {
    Files(Box<BatchProber<Box<Tables>>>),
    /// No files.
    Solved(Solved),
}

/// Labels, and why there are none.
pub(super) struct Labels {
    source: Source,
    dtz: bool,
    dtm: bool,
    /// The reasons why positions have no label, and how many have none for each.
    missing: BTreeMap<String, u64>,
    /// How many of these a damaged file has cost theirs.
    damaged: u64,
}

impl Labels {
    /// The labels of a folder's tables.
    pub(super) fn new(folder: &Path, memory: usize, wanted: (bool, bool)) -> Result<Labels> {
        let tables = Tables::open(&[folder]).context("can't open the tables")?;
        let prober = BatchProber::new(Box::new(tables), memory);
        Ok(Labels::of_source(Source::Files(Box::new(prober)), wanted))
    }

    pub(super) fn of_source(source: Source, (dtz, dtm): (bool, bool)) -> Labels {
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
        let prober = match &mut self.source {
            Source::Files(prober) => prober,
            Source::Solved(solved) => return Ok(solved.labels(given, &mut self.missing)?),
        };
        let boards: Vec<PackedBoard> = given.iter().map(|given| given.board).collect();
        let counted = given.iter().any(|given| given.counter > 0);
        let mut found: Vec<Result<Label, Failure>> = vec![Ok(Label::default()); given.len()];
        let mut open: Vec<usize> = (0..given.len()).collect();
        if self.dtz || counted {
            let answers = prober.probe(&boards).into_iter().zip(given);
            for (found, (answer, given)) in found.iter_mut().zip(answers) {
                *found = answer.map(|answer| label(answer, given, self.dtz));
            }
            // Distances to mate may tell who wins.
            open.retain(|&k| found[k].is_err());
        }
        let some: Vec<PackedBoard> = open.iter().map(|&k| boards[k]).collect();
        for (k, wdl) in open.into_iter().zip(prober.probe_wdl(&some)) {
            found[k] = wdl.map(of_outcome);
        }
        let mut failures = Vec::new();
        if self.dtm {
            let mates = prober.probe_dtm(&boards);
            for (found, mate) in found.iter_mut().zip(mates) {
                match (found, mate) {
                    (Ok(label), Ok(mate)) => label.dtm = Some(distance(Metric::Dtm, mate)),
                    (_, Err(failure)) if !failure.is_missing() => failures.push(failure),
                    _ => {}
                }
            }
        }
        failures.extend(found.iter().filter_map(|found| found.err()));
        for failure in failures {
            self.damaged += u64::from(!failure.is_missing());
            let reason = prober.reason(failure).to_string();
            *self.missing.entry(reason).or_default() += 1;
        }
        Ok(found.into_iter().map(Result::ok).collect())
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
