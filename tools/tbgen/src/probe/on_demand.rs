//! Tables without files: what a position can reach is solved when it is asked for, and kept for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use rayon::ThreadPool;

use crate::chess::game::{AnyBoard, GamePosition};
use crate::chess::pawns::Pawns;
use crate::chess::piece_set::Endgame;
use crate::plan::process_memory;
use crate::probe::answer::TablesError;
use crate::subtables::library::{Library, SolveError};
use crate::table::reachable::reachable;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::value::{Metric, Value};

/// A function that solves the table of a shape from those in a library, on the threads of the current rayon pool.
pub type Solver = Box<dyn Fn(&Shape, &Library, Metric) -> Result<Table, SolveError> + Send + Sync>;

/// The metrics that tables with these shapes may have.
fn metrics_of(shapes: &[Shape]) -> &'static [Metric] {
    match shapes.iter().all(|shape| shape.piece_set().is_chess()) {
        true => &[Metric::Dtz, Metric::Dtm],
        false => &[Metric::Dtm],
    }
}

/// The most memory, in bytes, of a process that solves tables of these shapes, each after those that it needs, by all
/// metrics that they have. All stay, and one is being solved.
#[must_use]
pub fn reachable_memory(shapes: &[Shape]) -> u64 {
    let (mut kept, mut most) = (0, 0);
    for &metric in metrics_of(shapes) {
        for shape in shapes {
            most = most.max(kept + shape.work_memory(metric, false));
            kept += shape.kept_memory(metric);
        }
    }
    process_memory() + most
}

/// The tables that a position can reach, by distance to zeroing and to mate, or none of a metric that was not asked for.
pub(crate) type Family = [Library; 2];

/// A solver, and the tables that it has solved not long ago.
pub(crate) struct OnDemand {
    limit: u64,
    pool: ThreadPool,
    solve: Solver,
    kept: Mutex<Kept>,
}

/// Tables that were solved not long ago.
struct Kept {
    /// Each under a number of its own, with the bytes that it takes.
    tables: LruCache<u64, (u64, Arc<Table>)>,
    last: Option<Last>,
}

/// The tables that the last position could reach, which others of its pieces and pawns reach, too.
struct Last {
    endgame: Endgame,
    pawns: Pawns,
    metrics: Vec<Metric>,
    family: Arc<Family>,
}

impl std::fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnDemand")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// The value of a position by the tables that it can reach.
pub(crate) fn value(
    family: &Family,
    metric: Metric,
    position: &GamePosition,
) -> Result<Value, TablesError> {
    let library = &family[metric as usize];
    Ok(match position.board() {
        AnyBoard::Chess(board) => board.value(metric, |position| library.value(position))?,
        AnyBoard::ShortRange(board, _) => library.value(&board.position())?,
    })
}

impl OnDemand {
    pub(crate) fn new(limit: u64, pool: ThreadPool, solve: Solver) -> OnDemand {
        OnDemand {
            limit,
            pool,
            solve,
            kept: Mutex::new(Kept {
                tables: LruCache::unbounded(),
                last: None,
            }),
        }
    }

    /// The tables that a position can reach, by those of these metrics that it has, solved if they are not kept.
    pub(crate) fn family(
        &self,
        position: &GamePosition,
        wanted: &[Metric],
    ) -> Result<Arc<Family>, TablesError> {
        let pieces: Vec<_> = position.position().occupied().collect();
        let (endgame, pawns) = (position.endgame(), Pawns::among(&pieces));
        if let Some(last) = &self.lock().last
            && (last.endgame, last.pawns) == (endgame, pawns)
            && wanted.iter().all(|metric| last.metrics.contains(metric))
        {
            return Ok(Arc::clone(&last.family));
        }
        let shapes = reachable(position)?;
        // A thread of a pool that waits for others of it takes up more of its work, such as another call of this
        // function, which would wait for the lock that the thread itself has. A plain thread has the lock and just waits.
        // Where there are no threads, there is none to wait for.
        let family = match cfg!(target_family = "wasm") {
            true => self.solve(&shapes, wanted),
            false => std::thread::scope(|scope| scope.spawn(|| self.solve(&shapes, wanted)).join())
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        };
        let family = Arc::new(family?);
        self.lock().last = Some(Last {
            endgame,
            pawns,
            metrics: wanted.to_vec(),
            family: Arc::clone(&family),
        });
        Ok(family)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn solve(&self, shapes: &[Shape], metrics: &[Metric]) -> Result<Family, TablesError> {
        let mut kept = self.lock();
        kept.last = None;
        let kept = &mut kept.tables;
        let mut wanted = Vec::new();
        let (mut bytes, mut most) = (0, 0);
        let own = metrics_of(shapes).iter();
        for &metric in own.filter(|metric| metrics.contains(metric)) {
            for shape in shapes {
                let has =
                    |table: &Table| table.metric() == metric && table.shape().has_all_of(shape);
                let found = kept.iter().find(|(_, (_, table))| has(table));
                let found = found.map(|(&number, _)| number);
                // What is used now is dropped last.
                let found = found.and_then(|number| kept.get(&number)).cloned();
                if found.is_none() {
                    most = most.max(bytes + shape.work_memory(metric, false));
                }
                let there = found.as_ref();
                bytes += there.map_or(shape.kept_memory(metric), |(bytes, _)| *bytes);
                wanted.push((metric, shape, found));
            }
        }
        let needed = process_memory() + most.max(bytes);
        if needed > self.limit {
            let limit = self.limit;
            return Err(TablesError::Memory { needed, limit });
        }
        let used = wanted.iter().filter(|(.., found)| found.is_some()).count();
        let others = |kept: &LruCache<u64, (u64, Arc<Table>)>| -> u64 {
            kept.iter().skip(used).map(|(_, (bytes, _))| bytes).sum()
        };
        while needed + others(kept) > self.limit {
            kept.pop_lru();
        }
        let mut family = Family::default();
        for (metric, shape, found) in wanted {
            let library = &mut family[metric as usize];
            let table = match found {
                Some((_, table)) => table,
                None => {
                    let table = self.pool.install(|| {
                        let mut table = (self.solve)(shape, library, metric)?;
                        table.pack(None)?;
                        Ok::<_, SolveError>(Arc::new(table))
                    })?;
                    let number = kept.iter().map(|(&number, _)| number + 1).max();
                    let bytes = shape.kept_memory(metric);
                    kept.put(number.unwrap_or(0), (bytes, Arc::clone(&table)));
                    table
                }
            };
            library.insert(table);
        }
        Ok(family)
    }
}
