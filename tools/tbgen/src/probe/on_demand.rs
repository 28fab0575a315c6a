//! Tables without files: what a position can reach is solved when it is asked for, and kept for a while.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;
use tbindex::CastlingRights;
use tbindex::batch::Backend;

use crate::chess::game::GamePosition;
use crate::chess::pawns::Pawns;
use crate::chess::piece_set::Endgame;
use crate::plan::InTurn;
use crate::plan::allocations::solver_memory;
use crate::plan::memory::{after_others, kept_memory, work_memory};
use crate::probe::answer::{Answer, METRICS, TablesError};
use crate::probe::castling::{self, Castling, Stop};
use crate::probe::files::FEW;
use crate::solve::options::Options;
use crate::subtables::library::{Library, SolveError, heed_stop};
use crate::table::reachable::reachable;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};

type Solve = dyn Fn(&Shape, &Library, Options<'_>) -> Result<Table, SolveError> + Send + Sync;

/// A way of solving tables, and the flag that stops the work when it is set.
pub struct Solver {
    solve: Box<Solve>,
    backend: Backend,
    stop: Stop,
    temp: Option<PathBuf>,
}

impl Solver {
    /// Solves by a function of the shape of a table, those that it needs, and options, on the threads of the current rayon pool,
    /// until the flag is set, which the function has to heed: [`solve_shape`](crate::solve_shape) is one.
    #[must_use]
    pub fn new(
        stop: impl Deref<Target = AtomicBool> + Send + Sync + 'static,
        backend: Backend,
        solve: impl Fn(&Shape, &Library, Options<'_>) -> Result<Table, SolveError>
        + Send
        + Sync
        + 'static,
    ) -> Solver {
        Solver {
            solve: Box::new(solve),
            backend,
            stop: Arc::new(stop),
            temp: None,
        }
    }

    /// The same solver with temporary files of large tables in a folder, each in a file of its own, which is gone when the table
    /// is dropped.
    #[must_use]
    pub fn with_temp(self, folder: &Path) -> Solver {
        let temp = Some(folder.to_owned());
        Solver { temp, ..self }
    }

    /// Solves a table, and puts it aside.
    fn solve(&self, shape: &Shape, library: &Library, metric: Metric) -> Result<Table, SolveError> {
        let temp = self.temp.as_deref();
        let temp_file = TempFile::of(shape, temp)?;
        let options = Options::new(metric, self.backend, &self.stop);
        let options = options.with_files(shape, temp, temp_file.as_ref());
        let mut table = (self.solve)(shape, library, options)?;
        table.pack(temp_file.as_ref())?;
        Ok(table)
    }
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").finish_non_exhaustive()
    }
}

/// The tables of shapes by those of some metrics that they have, that which takes more memory first: so fewer tables are kept
/// beside it. Of helpmates, those of both victims come in turn.
fn turns<'s>(shapes: &'s [Shape], wanted: &[Metric]) -> impl Iterator<Item = InTurn<'s>> {
    let is_chess = shapes.iter().all(|shape| shape.piece_set().is_chess());
    let own = match is_chess {
        true => &[Metric::Dtm, Metric::Dtz, Metric::HelpWhite][..],
        false => &[Metric::Dtm],
    };
    let own = own.iter().filter(move |metric| wanted.contains(metric));
    own.map(|metric| InTurn {
        all_stay: true,
        ..InTurn::in_memory(shapes, metric.of_smaller())
    })
}

/// The most memory, in bytes, of a process that answers for a position by these shapes, those that it can
/// [reach](crate::reachable), by all distances that they have. All stay, and one is being solved, or a part with castling rights.
#[must_use]
pub fn reachable_memory(position: &GamePosition, shapes: &[Shape]) -> u64 {
    let tables = KeptTables::default().find(shapes, &METRICS);
    memory_of(&tables, castling::memory(position), false)
}

/// The memory of the process while tables by metrics are solved one after the other and stay, with temporary files or without, but
/// for those that are kept in so many bytes already, with so many bytes beside all of them.
fn memory_of(tables: &[Needed<'_>], beside: u64, files: bool) -> u64 {
    let (mut kept, mut most) = (0, 0);
    for (shape, metric, table) in tables {
        kept += match table {
            Some((bytes, _)) => *bytes,
            None => {
                let work = after_others(work_memory(shape, *metric, files));
                most = most.max(kept + work);
                kept_memory(shape, *metric, files)
            }
        };
    }
    solver_memory().saturating_add(most.max(beside.saturating_add(kept)))
}

/// The tables that a position can reach, by distance to zeroing and to mate and of helpmates, or none of a metric that was not
/// asked for; and what was solved with castling rights.
pub(crate) struct Family {
    libraries: [Library; 3],
    castling: Castling,
}

/// The place of a metric's library among those of a family.
const fn place_of(metric: Metric) -> usize {
    metric.of_smaller()[0] as usize
}

impl Family {
    /// The value of a position.
    pub(super) fn value(
        &self,
        metric: Metric,
        position: &GamePosition,
    ) -> Result<Value, TablesError> {
        let library = &self.libraries[place_of(metric)];
        (self.castling).value(library, metric, position.board(), false)
    }
}

/// Positions of more men can reach so much with pawns that listing it takes seconds: it is listed for those alone who
/// wait for a solution.
const MOST_KEPT_MEN: usize = 6;

/// Of fewer placements of pawns, what each can reach is solved in place of the whole table.
const FEW_PLACEMENTS: usize = 5;

/// A solver, and the tables that it has solved not long ago.
pub(crate) struct OnDemand {
    limit: u64,
    pool: Arc<ThreadPool>,
    solver: Solver,
    /// Whoever solves has it, as solving takes all threads and the memory. Kept tables are looked up beside it.
    solving: Arc<Mutex<()>>,
    kept: Mutex<KeptTables>,
}

/// A table that is kept, with the bytes that it takes.
type KeptTable = (u64, Arc<Table>);

/// A table that is wanted, if it is kept.
type Needed<'s> = (&'s Shape, Metric, Option<KeptTable>);

/// Tables that were solved not long ago.
#[derive(Default)]
struct KeptTables {
    /// The least recently used one first.
    tables: Vec<KeptTable>,
    /// The tables that the last position could reach by some metrics, which others of its pieces and pawns reach, too.
    last: Option<(Reach, Vec<Metric>, Arc<Family>)>,
}

/// All of a position that decides which tables it can reach.
type Reach = (Endgame, Pawns, CastlingRights);

fn reach(position: &GamePosition) -> Reach {
    let pawns = Pawns::among(&position.position());
    (position.endgame(), pawns, position.castling())
}

impl std::fmt::Debug for OnDemand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnDemand")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl OnDemand {
    pub(crate) fn new(limit: u64, pool: Arc<ThreadPool>, solver: Solver) -> OnDemand {
        OnDemand {
            limit,
            pool,
            solver,
            solving: Arc::default(),
            kept: Mutex::default(),
        }
    }

    /// No tables yet.
    fn no_tables(&self) -> Family {
        Family {
            libraries: Default::default(),
            castling: Castling::new(Arc::clone(&self.solver.stop), Arc::clone(&self.solving)),
        }
    }

    /// The tables that a position can reach, by those of these metrics that it has, if they answer without more work.
    pub(crate) fn ready(
        &self,
        position: &GamePosition,
        wanted: &[Metric],
    ) -> Result<Option<Arc<Family>>, TablesError> {
        let family = self.kept_family(position, wanted)?;
        let is_solved = |family: &Arc<Family>| {
            let mut metrics = wanted.iter();
            metrics.all(|&metric| family.castling.is_solved(metric, position.board()))
        };
        Ok(family.filter(is_solved))
    }

    /// The tables that a position can reach, by those of these metrics that it has, if all are kept. With castling rights there
    /// is more to solve, so only the last ones are.
    fn kept_family(
        &self,
        position: &GamePosition,
        wanted: &[Metric],
    ) -> Result<Option<Arc<Family>>, TablesError> {
        let reach = reach(position);
        if let Some((of, metrics, family)) = &self.lock().last
            && *of == reach
            && wanted.iter().all(|metric| metrics.contains(metric))
        {
            return Ok(Some(Arc::clone(family)));
        }
        let (endgame, _, castling) = reach;
        if !castling.is_empty() || endgame.material.piece_count() > MOST_KEPT_MEN {
            return Ok(None);
        }
        let shapes = reachable(position)?;
        let mut family = self.no_tables();
        let mut kept = self.lock();
        for (_, metric, table) in kept.find(&shapes, wanted) {
            let Some((_, table)) = table else {
                return Ok(None);
            };
            family.libraries[place_of(metric)].insert(table);
        }
        let family = Arc::new(family);
        kept.last = Some((reach, wanted.to_vec(), Arc::clone(&family)));
        Ok(Some(family))
    }

    /// Whether what a position can reach, which has at most 6 men, may be solved by these metrics in the memory that there is.
    pub(crate) fn has_room_for(&self, position: &GamePosition, wanted: &[Metric]) -> bool {
        let men = position.position().occupied().count();
        men <= MOST_KEPT_MEN
            && reachable(position).is_ok_and(|shapes| {
                self.memory(&shapes, wanted, castling::memory(position)) <= self.limit
            })
    }

    /// The memory of the process while the tables of shapes by the metrics are solved that are not kept, with so many bytes beside
    /// them.
    pub(crate) fn memory(&self, shapes: &[Shape], metrics: &[Metric], beside: u64) -> u64 {
        let wanted = self.lock().find(shapes, metrics);
        self.memory_of(&wanted, beside)
    }

    /// The memory of the process while these tables are solved, with so many bytes beside them.
    fn memory_of(&self, wanted: &[Needed<'_>], beside: u64) -> u64 {
        let files = self.solver.temp.is_some();
        self.pool.install(|| memory_of(wanted, beside, files))
    }

    /// The tables that a position can reach, by those of these metrics that it has, solved if they are not kept. Nobody waits
    /// for tables that are kept.
    pub(crate) fn family(
        &self,
        position: &GamePosition,
        wanted: &[Metric],
    ) -> Result<Arc<Family>, TablesError> {
        if let Some(family) = self.kept_family(position, wanted)? {
            return Ok(family);
        }
        let family = self.solve_alone(&reachable(position)?, wanted, castling::memory(position))?;
        self.lock().last = Some((reach(position), wanted.to_vec(), Arc::clone(&family)));
        Ok(family)
    }

    /// The answers for positions without castling rights, by a function of the tables. Positions with the same pieces come together, so that their tables are
    /// solved once for them all, or if they have few placements of pawns, or memory does not hold the tables, what each position
    /// can reach.
    pub(super) fn answers(
        &self,
        metrics: &[Metric],
        positions: &[GamePosition],
        answer: impl Fn(Arc<Family>, &GamePosition) -> Result<Answer, TablesError> + Sync,
    ) -> Vec<Result<Answer, TablesError>> {
        let endgame = |place: usize| positions[place].endgame().normal();
        // Positions with the same pawns reach the same tables.
        let pawns = |place: usize| Pawns::among(&positions[place].position());
        let mut places: Vec<usize> = (0..positions.len()).collect();
        places.sort_by_cached_key(|&place| {
            let endgame = endgame(place);
            let men = endgame.material.piece_count();
            (men, endgame.to_string(), pawns(place))
        });
        let mut all = Vec::with_capacity(positions.len());
        for places in places.chunk_by(|&a, &b| endgame(a) == endgame(b)) {
            let placements = places.chunk_by(|&a, &b| pawns(a) == pawns(b)).count();
            let whole = (placements >= FEW_PLACEMENTS).then(|| {
                let shapes = Shape::needed_by(endgame(places[0]))?;
                self.solve_alone(&shapes, metrics, 0)
            });
            let answer = |place: usize| {
                heed_stop(&self.solver.stop)?;
                let family = match &whole {
                    Some(Ok(family)) => Arc::clone(family),
                    _ => self.family(&positions[place], metrics)?,
                };
                answer(family, &positions[place])
            };
            match &whole {
                Some(Ok(_)) => {
                    let places = places.par_iter().with_min_len(FEW);
                    all.par_extend(places.map(|&place| (place, answer(place))));
                }
                Some(Err(error)) if !error.is_missing() => {
                    all.extend(places.iter().map(|&place| (place, Err(error.clone()))));
                }
                _ => all.extend(places.iter().map(|&place| (place, answer(place)))),
            }
        }
        all.sort_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, answer)| answer).collect()
    }

    /// The tables of shapes, as [`solve`](OnDemand::solve) has them, by a thread of its own. A thread of a pool that waits for
    /// others of it takes up more of its work, such as another call of this function, which would wait for the lock that the thread
    /// itself has. A plain thread has the lock and just waits. Where there are no threads, there is none to wait for.
    fn solve_alone(
        &self,
        shapes: &[Shape],
        metrics: &[Metric],
        beside: u64,
    ) -> Result<Arc<Family>, TablesError> {
        match cfg!(target_family = "wasm") {
            true => self.solve(shapes, metrics, beside),
            false => std::thread::scope(|scope| {
                scope.spawn(|| self.solve(shapes, metrics, beside)).join()
            })
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        }
    }

    /// The tables of shapes by a metric, solved if they are not kept.
    pub(crate) fn tables(&self, shapes: &[Shape], metric: Metric) -> Result<Library, TablesError> {
        let family = self.solve_alone(shapes, metric.of_smaller(), 0)?;
        Ok(family.libraries[place_of(metric)].clone())
    }

    fn lock(&self) -> MutexGuard<'_, KeptTables> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables of shapes by the metrics, with so many bytes left beside them for castling rights, if there are any.
    fn solve(
        &self,
        shapes: &[Shape],
        metrics: &[Metric],
        beside: u64,
    ) -> Result<Arc<Family>, TablesError> {
        let _turn = self.solving.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = {
            let mut kept = self.lock();
            kept.last = None;
            let wanted = kept.find(shapes, metrics);
            let needed = self.memory_of(&wanted, beside);
            if needed > self.limit {
                let limit = self.limit;
                let last = shapes.last().expect("two kings need no table");
                let endgame = last.endgame();
                return Err(TablesError::Memory {
                    endgame,
                    needed,
                    limit,
                });
            }
            let used = wanted.iter().filter(|(.., table)| table.is_some()).count();
            let others = |kept: &KeptTables| -> u64 {
                let others = kept.tables.iter().rev().skip(used);
                others.map(|(bytes, _)| bytes).sum()
            };
            while needed + others(&kept) > self.limit {
                kept.tables.remove(0);
            }
            wanted
        };
        let solve = |shape: &Shape, metric, library: &Library| {
            let is_it = |of: &&Needed<'_>| of.0.endgame() == shape.endgame() && of.1 == metric;
            if let Some((.., Some((_, table)))) = wanted.iter().find(is_it) {
                return Ok(Arc::clone(table));
            }
            let table = Arc::new(self.solver.solve(shape, library, metric)?);
            let bytes = kept_memory(shape, metric, self.solver.temp.is_some());
            self.lock().tables.push((bytes, Arc::clone(&table)));
            Ok::<_, SolveError>(table)
        };
        let mut family = self.no_tables();
        for turn in turns(shapes, metrics) {
            let each = |_: &_, _: &_| Ok::<_, SolveError>(());
            let solved = self.pool.install(|| turn.solve(solve, each, Ok));
            (_, family.libraries[place_of(turn.metrics[0])]) = solved?;
        }
        Ok(Arc::new(family))
    }
}

impl KeptTables {
    /// The tables of shapes by those of these metrics that they have, where they are kept.
    fn find<'s>(&mut self, shapes: &'s [Shape], metrics: &[Metric]) -> Vec<Needed<'s>> {
        let tables = turns(shapes, metrics).flat_map(|turn| turn.groups());
        let tables = tables.flatten().map(|(shape, metric)| {
            let has = |table: &Table| table.metric() == metric && table.shape().has_all_of(shape);
            let found = self.tables.iter().rposition(|(_, table)| has(table));
            // The table that is used now is dropped last.
            let table = found.map(|at| {
                self.tables[at..].rotate_left(1);
                self.tables[self.tables.len() - 1].clone()
            });
            (shape, metric, table)
        });
        tables.collect()
    }
}
