//! Where answers come from: files, and tables that are solved on demand.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use rayon::ThreadPoolBuilder;
use serde_json::json;
use tbgen::{
    Answer, BatchProber, Counting, Endgame, GamePosition, InTurn, Job, Letters, MakeError, Metric,
    Shape, Stats, Table, TableFile, Tables, TablesError, process_memory, stats_memory,
};
use tbindex::Position;
use tbindex::batch::Backend;
use tokio::sync::{Semaphore, oneshot};

use crate::answers::{Found, Lookup};
use crate::problem::Problem;
use crate::startup::say;

/// The most tables whose counts are kept, each of which takes a few kilobytes.
const MOST_COUNTED: NonZero<usize> = NonZero::new(1024).expect("some");

/// Tables in files, and what is solved on demand where they have no answer.
#[derive(Debug)]
pub struct Sources {
    folders: Vec<PathBuf>,
    prober: BatchProber<Box<Tables>>,
    memory: u64,
    /// How long a request may solve.
    patience: Duration,
    /// Solving takes all threads of its pool, so one request solves at a time, and the others wait.
    solving: Arc<Semaphore>,
    /// The counts of tables that were asked for not long ago.
    stats: Mutex<LruCache<(String, Metric), String>>,
    /// The damage that was told.
    logged: Mutex<BTreeSet<String>>,
}

/// Whether solving may say more.
fn is_open(found: &Found) -> bool {
    !matches!(found, Ok(Some(answer)) if answer.evaluation.is_settled())
}

/// No answer is no error where nothing is damaged.
fn known(found: Result<Answer, TablesError>) -> Found {
    match found {
        Ok(answer) => Ok(Some(answer)),
        Err(
            error @ (TablesError::File(_)
            | TablesError::Syzygy(_)
            | TablesError::Contradiction { .. }),
        ) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Runs work on rayon's threads, unless the request is given up before it begins.
async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let (result, found) = oneshot::channel();
    rayon::spawn(move || {
        if !result.is_closed()
            && let Ok(found) = catch_unwind(AssertUnwindSafe(work))
        {
            let _ = result.send(found);
        }
    });
    found.await.map_err(Problem::internal)
}

impl Sources {
    /// The tables in folders. Of memory, in bytes, so much may be taken by what is decoded of them, and as much by what is
    /// solved where these have no answer, for which a request has a limited time.
    ///
    /// # Errors
    /// If a folder can't be read, or threads can't be started.
    pub fn open(folders: Vec<PathBuf>, memory: u64, patience: Duration) -> anyhow::Result<Sources> {
        let (pool, solver) = (
            ThreadPoolBuilder::new().build()?,
            Tables::solver(Backend::detect()),
        );
        let tables = Tables::open(&folders)?.and_on_demand(memory, pool, solver);
        Ok(Sources {
            folders,
            prober: BatchProber::new(Box::new(tables), usize::try_from(memory)?),
            memory,
            patience,
            solving: Arc::new(Semaphore::new(1)),
            stats: Mutex::new(LruCache::new(MOST_COUNTED)),
            logged: Mutex::default(),
        })
    }

    /// The result of some work by the files and by tables that were solved before, or if these have no answer for one of its positions, by
    /// them and what is solved.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Sources>,
        work: impl Fn(Lookup<'_>) -> T + Clone + Send + 'static,
    ) -> Result<T, Problem> {
        let (sources, of_ready) = (Arc::clone(self), work.clone());
        let found = compute(move || {
            let open = Cell::new(false);
            let found = of_ready(&|positions| {
                let found = sources.ready(positions);
                let tables = sources.prober.tables();
                let mut all = positions.iter().zip(&found);
                let may_be_solved =
                    all.any(|(position, found)| is_open(found) && tables.may_solve(position));
                open.set(open.get() || may_be_solved);
                found
            });
            Some(found).filter(|_| !open.get())
        });
        if let Some(found) = found.await? {
            return Ok(found);
        }
        let sources = Arc::clone(self);
        let end = Instant::now() + self.patience;
        self.solving(move || Ok(work(&|positions| sources.anywhere(positions, end))))
            .await
    }

    /// Runs work that may solve tables, which waits for the threads that solve.
    pub(crate) async fn solving<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = Arc::clone(&self.solving).acquire_owned().await;
        let found = tokio::task::spawn_blocking(move || {
            let _turn = turn.map_err(Problem::internal)?;
            work()
        });
        found.await.map_err(Problem::internal)?
    }

    /// The values in files and in tables that were solved before, which wait for nobody who solves.
    fn ready(&self, positions: &[GamePosition]) -> Vec<Found> {
        let answers = self.prober.answers_at_once(positions).into_iter();
        answers.map(known).collect()
    }

    /// Solves values that files leave open, and damaged ones, until the time is up.
    fn anywhere(&self, positions: &[GamePosition], end: Instant) -> Vec<Found> {
        let tables = self.prober.tables();
        let found = self.ready(positions).into_iter().zip(positions);
        let found = found.map(|(found, position)| {
            if !is_open(&found) || Instant::now() >= end || !tables.may_solve(position) {
                return found;
            }
            let Err(damage) = found else {
                return known(tables.answer(position));
            };
            self.log(&damage);
            let solved = tables.answer_by_solving(position);
            solved.map_or(Err(damage), |answer| Ok(Some(answer)))
        });
        found.collect()
    }

    /// Says once what is wrong with a table.
    fn log(&self, damage: &TablesError) {
        let message = damage.to_string();
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        if !logged.contains(&message) {
            say(&message);
            logged.insert(message);
        }
    }

    /// The counts of a table as JSON, from its own file or solved. They are kept for a while.
    pub(crate) fn stats(&self, endgame: Endgame, metric: Metric) -> Result<String, Problem> {
        let key = (endgame.to_string(), metric);
        let kept = || self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(json) = kept().get(&key) {
            return Ok(json.clone());
        }
        let table = self.table(endgame, metric)?;
        let stats = Stats::of(&table, Counting::Unordered).map_err(Problem::internal)?;
        let letters = Letters::for_leapers(&endgame.leapers());
        let fen = |position: &Position| letters.fen(position, endgame.piece_set);
        let mut json = json!({ "material": key.0, "metric": metric.name() });
        if let (Some(json), serde_json::Value::Object(sides)) =
            (json.as_object_mut(), stats.to_json(&fen))
        {
            json.extend(sides);
        }
        let json = json.to_string();
        kept().put(key, json.clone());
        Ok(json)
    }

    /// A table that is counted within the memory.
    fn table(&self, endgame: Endgame, metric: Metric) -> Result<Table, Problem> {
        let name = format!("{endgame}.{}", metric.extension());
        let mut paths = self.folders.iter().map(|folder| folder.join(&name));
        if let Some(path) = paths.find(|path| path.exists()) {
            let table = TableFile::open(&path).map_err(Problem::internal)?;
            let table = table.as_it_is();
            if process_memory() + stats_memory(table.shape()) <= self.memory {
                return Ok(table);
            }
            let message = format!("the table of {endgame} takes too much memory to count");
            return Err(Problem::Missing(message));
        }
        let missing = || Problem::Missing(format!("there is no table of {endgame} to count"));
        let shapes = Shape::needed_by(endgame).map_err(|_| missing())?;
        let metrics = [metric];
        let turn = InTurn::in_memory(&shapes, &metrics);
        if turn.memory() > self.memory {
            return Err(missing());
        }
        let never = AtomicBool::new(false);
        let job = Job::in_memory(Backend::detect(), &never, &());
        let table = job.each(turn, |_| Ok::<_, MakeError>(()));
        table.map_err(Problem::internal)?.ok_or_else(missing)
    }
}
