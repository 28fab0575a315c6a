//! Answers about many positions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use rayon::prelude::*;
use syzygy_tables::batch::{self, PackedBoard};
use syzygy_tables::{Error as Syzygy, Wdl};
use tbgen::{
    BatchProber, Evaluation, Failure, GamePosition, Metric, SolveError, Tables, TablesError, Value,
    Wanted,
};

use super::positions::{Chunk, Lack, Positions, of_cozy};
use crate::enums::Sides;
use crate::errors::Refusal;

/// The prober of the files in some folders.
pub(super) struct Batch {
    pub(super) tables: Arc<Tables>,
    /// `None` if what positions reach is solved.
    prober: Option<BatchProber<Arc<Tables>>>,
    /// How many positions that the prober did not count had no label, by the reasons.
    failures: Mutex<BTreeMap<String, u64>>,
}

/// A question about many positions.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) wanted: Wanted,
    /// Whether what is no position, or can't be answered, is masked, and no error.
    pub(super) masks: bool,
}

/// The answers for some positions.
pub(super) enum Found {
    Labels(Vec<Result<Evaluation, Lack>>),
    /// Answers that need no more than one look are not made into labels first, which would take most of the time.
    Outcomes(Vec<Result<Wdl, Failure>>),
    Distances(Vec<Result<(Value, bool), Failure>>),
}

impl Found {
    /// For each position why it has no answer, or `None` if it has one.
    pub(super) fn lacks(&self) -> Box<dyn Iterator<Item = Option<Lack>> + '_> {
        fn failed<A>(all: &[Result<A, Failure>]) -> impl Iterator<Item = Option<Lack>> {
            all.iter()
                .map(|one| one.as_ref().err().copied().map(Lack::Failed))
        }
        match self {
            Found::Outcomes(all) => Box::new(failed(all)),
            Found::Distances(all) => Box::new(failed(all)),
            Found::Labels(all) => Box::new(all.iter().map(|one| one.as_ref().err().cloned())),
        }
    }
}

impl Batch {
    /// A prober of tables in files, with so much memory, or of tables that are solved on demand.
    pub(super) fn new(tables: Arc<Tables>, memory: Option<u64>) -> Batch {
        let prober = memory.map(|memory| {
            let memory = usize::try_from(memory).unwrap_or(usize::MAX);
            BatchProber::new(Arc::clone(&tables), memory)
        });
        Batch {
            tables,
            prober,
            failures: Mutex::default(),
        }
    }

    fn counted(&self) -> MutexGuard<'_, BTreeMap<String, u64>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many positions had no label, by the names of missing tables and other reasons.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        let mut failures = self.counted().clone();
        for (reason, count) in self.prober.iter().flat_map(BatchProber::failures) {
            *failures.entry(reason.brief()).or_default() += count;
        }
        failures
    }

    /// Counts positions that the prober did not count.
    fn count<'a>(&self, lacks: impl Iterator<Item = &'a Lack>) {
        let mut failures = self.counted();
        for lack in lacks {
            let reason = match lack {
                Lack::Absent => "no position".to_owned(),
                Lack::Wrong(_) => "not a position".to_owned(),
                Lack::Error(error) => error.brief(),
                Lack::Failed(_) => continue,
            };
            *failures.entry(reason).or_default() += 1;
        }
    }

    /// Why a position has no label, in words.
    pub(super) fn reason(&self, lack: &Lack) -> String {
        match (lack, &self.prober) {
            (Lack::Wrong(why), _) => why.clone(),
            (Lack::Error(error), _) => error.to_string(),
            (Lack::Failed(failure), Some(prober)) => prober.reason(*failure).to_string(),
            (Lack::Absent | Lack::Failed(_), _) => "there is no position".to_owned(),
        }
    }

    /// The first error among what was found, if a table that is missing or damaged is one, and its place.
    pub(super) fn error(&self, found: &Found) -> Option<(usize, PyErr)> {
        let error = |(place, lack): (usize, Option<Lack>)| {
            let error = match (lack?, &self.prober) {
                (Lack::Failed(failure), Some(prober)) => prober.reason(failure),
                (Lack::Error(error), _) => *error,
                _ => return None,
            };
            let is_of_tables = !matches!(
                error,
                TablesError::Illegal(_)
                    | TablesError::Syzygy(Syzygy::Illegal(_) | Syzygy::KingsTouch)
            );
            is_of_tables.then(|| (place, error.exception()))
        };
        found.lacks().enumerate().find_map(error)
    }

    /// The labels by files. A position that is in no batch has neither a label nor a failure.
    fn by_files(
        prober: &BatchProber<Arc<Tables>>,
        wanted: Wanted,
        positions: &Positions,
    ) -> Vec<Result<Evaluation, Option<Failure>>> {
        let found = |labels: Vec<Result<Evaluation, Failure>>| {
            labels.into_iter().map(|label| label.map_err(Some))
        };
        match positions {
            Positions::Boards(boards) => {
                let packed = |board: &GamePosition| Some((board.packed()?, board.counter()));
                let packed: Vec<_> = boards.par_iter().map(packed).collect();
                let (there, counters): (Vec<PackedBoard>, Vec<u16>) =
                    packed.iter().flatten().copied().unzip();
                let mut labels = found(prober.labels(wanted, &there, &counters));
                let all = packed.iter().map(|packed| match packed {
                    Some(_) => labels.next().unwrap_or(Err(None)),
                    None => Err(None),
                });
                all.collect()
            }
            Positions::Squares(order, packed, sides) => {
                let sides = match sides {
                    Sides::One(side) => tbgen::Sides::Same(*side),
                    Sides::Each(black) => tbgen::Sides::Black(black),
                };
                found(prober.labels_of(wanted, order, sides, packed)).collect()
            }
        }
    }

    /// The answers for some positions.
    pub(super) fn find(
        &self,
        stop: &AtomicBool,
        asked: Asked,
        chunk: &Chunk,
    ) -> Result<Found, TablesError> {
        tbindex::fail_point!("tables::probing");
        let Chunk { positions, lacks } = chunk;
        if let (Positions::Squares(order, packed, Sides::One(side)), Some(prober)) =
            (positions, &self.prober)
            && lacks.is_empty()
        {
            let side = order.side(of_cozy(*side));
            let positions = batch::Positions::Squares(order.material(), side, packed);
            match asked.wanted {
                Wanted::WDL => return Ok(Found::Outcomes(prober.probe_wdl(positions))),
                Wanted::DTZ => return Ok(Found::Distances(prober.values(Metric::Dtz, positions))),
                _ => (),
            }
        }
        let found = match &self.prober {
            Some(prober) => Batch::by_files(prober, asked.wanted, positions),
            None => vec![Err(None); positions.len()],
        };
        // Some are in no batch: positions of short-range pieces or of many, and those that are solved.
        let one = |(place, found): (usize, Result<Evaluation, Option<Failure>>)| {
            let position = match found {
                Err(None) => positions.get(place),
                Err(Some(failure)) => return Ok(Err(Lack::Failed(failure))),
                Ok(label) => return Ok(Ok(label)),
            };
            if stop.load(Ordering::Relaxed) {
                return Err(TablesError::Solve(SolveError::Interrupted));
            }
            let Some(position) = position else {
                let error = TablesError::Illegal("it is in no table".to_owned());
                return Ok(Err(Lack::Error(Box::new(error))));
            };
            match self.tables.label(asked.wanted, &position) {
                Ok(label) => Ok(Ok(label)),
                Err(error @ TablesError::Solve(SolveError::Interrupted)) => Err(error),
                Err(error) if asked.masks || matches!(error, TablesError::Missing { .. }) => {
                    Ok(Err(Lack::Error(Box::new(error))))
                }
                Err(error) => Err(error),
            }
        };
        let labels = found.into_par_iter().enumerate().map(one);
        let mut labels = labels.collect::<Result<Vec<_>, _>>()?;
        if !lacks.is_empty() {
            let (mut lacks, mut there) = (lacks.iter().peekable(), labels.into_iter());
            let next = |place| match lacks.next_if(|(lack, _)| *lack == place) {
                Some((_, lack)) => Some(Err(lack.clone())),
                None => there.next(),
            };
            labels = (0..).map_while(next).collect();
        }
        self.count(labels.iter().filter_map(|label| label.as_ref().err()));
        Ok(Found::Labels(labels))
    }
}
