//! Jobs that several threads do, and whose results the calling thread takes in order.
//!
//! `tests/interleavings.rs` compiles this file with locks and threads whose order of events it chooses.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use super::error::StoreError;
use super::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use super::{spawn, thread};

/// The most results of each thread that [`run_in_order`] keeps at a time.
pub(super) const RESULTS: usize = 2;

/// The number of results that [`run_in_order`] keeps at a time.
pub(super) const fn result_count(threads: usize) -> usize {
    match threads {
        0 | 1 => 1,
        threads => RESULTS.saturating_mul(threads),
    }
}

/// How long the calling thread waits for a result before it tells its watch.
const PATIENCE: Duration = Duration::from_millis(100);

/// Does the jobs 0 to `jobs` − 1 with the states of their threads, and hands the results to `take` in the order of
/// the jobs. `make` writes its result over an earlier one or over the default.
///
/// The calling thread makes results, too, while the next one to take is not there. `take` and `watch` are called on
/// this thread alone: `watch` with the number of results taken, after each result that this thread made or took, and
/// while it waits.
///
/// # Errors
/// The first error of `take`, of `watch`, or of a job whose turn has come. It ends the work.
///
/// # Panics
/// With the panic of any of the functions, after all threads have ended.
pub(super) fn run_in_order<T: Default + Send, S: Send>(
    threads: usize,
    jobs: u64,
    state: impl Fn() -> S + Sync,
    make: impl Fn(&mut S, u64, &mut T) -> Result<(), StoreError> + Sync,
    mut take: impl FnMut(u64, &T) -> Result<(), StoreError>,
    mut watch: impl FnMut(u64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let threads = usize::try_from(jobs).map_or(threads, |jobs| threads.min(jobs));
    let threads = threads.max(1);
    let most = result_count(threads);
    let states: Vec<Own<S>> = (0..threads).map(|_| Own::default()).collect();
    let results: Vec<Own<T>> = (0..most).map(|_| Own::default()).collect();
    run(
        Queue::new(jobs, most),
        threads,
        &|thread, job, place| {
            states[thread].with(&state, |state| {
                results[place].with(&T::default, |result| make(state, job, result))
            })
        },
        &mut |job, place| results[place].with(&T::default, |result| take(job, result)),
        &mut watch,
    )
}

/// A value that is made where it is first used, and that one thread uses at a time, for which no other waits.
struct Own<T>(std::sync::Mutex<Option<T>>);

impl<T> Default for Own<T> {
    fn default() -> Own<T> {
        Own(std::sync::Mutex::new(None))
    }
}

impl<T> Own<T> {
    fn with<R>(&self, new: &dyn Fn() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        // After a panic all that is left is to end the work.
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(own.get_or_insert_with(new))
    }
}

/// Does the jobs of a queue on so many threads. `make` is given the numbers of the thread, of the job, and of the place for
/// its result.
fn run(
    queue: Queue,
    threads: usize,
    make: &(dyn Fn(usize, u64, usize) -> Result<(), StoreError> + Sync),
    take: &mut dyn FnMut(u64, usize) -> Result<(), StoreError>,
    watch: &mut dyn FnMut(u64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let work = |thread: usize| {
        while let Some((job, place)) = queue.begin() {
            let made = catch_unwind(AssertUnwindSafe(|| make(thread, job, place)));
            let panicked = made.is_err();
            queue.deliver(job, place, made);
            if panicked {
                return;
            }
        }
    };
    let work = &work;
    let done = thread::scope(|scope| {
        for thread in 1..threads {
            // If the system starts no thread, there is this one.
            spawn(scope, move || work(thread));
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            for turn in 0..queue.jobs {
                let (place, made) = loop {
                    match queue.next_task(turn) {
                        CallerTask::Take(place, made) => break (place, made),
                        CallerTask::Make(job, place) => {
                            let made = make(0, job, place);
                            queue.deliver(job, place, Ok(made));
                        }
                        CallerTask::Wait => {}
                    }
                    watch(turn)?;
                };
                made.unwrap_or_else(|panic| resume_unwind(panic))?;
                take(turn, place)?;
                queue.give_back(place);
                watch(turn + 1)?;
            }
            Ok(())
        }));
        queue.end();
        done
    });
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

/// The state that the threads share.
struct Queue {
    jobs: u64,
    shared: Mutex<Shared>,
    was_made: Condvar,
    was_taken: Condvar,
}

struct Shared {
    begun: u64,
    made: BTreeMap<u64, (usize, Made)>,
    /// The places that hold no result which is still to be taken.
    spare: Vec<usize>,
    /// Whether nothing more is to be done.
    over: bool,
}

/// Success, the error or the panic of a job.
type Made = thread::Result<Result<(), StoreError>>;

/// The next task of the calling thread.
enum CallerTask {
    Take(usize, Made),
    Make(u64, usize),
    Wait,
}

impl Queue {
    /// A queue of so many jobs, with so many places for their results.
    fn new(jobs: u64, most: usize) -> Queue {
        Queue {
            jobs,
            shared: Mutex::new(Shared {
                begun: 0,
                made: BTreeMap::new(),
                spare: (0..most).collect(),
                over: false,
            }),
            was_made: Condvar::new(),
            was_taken: Condvar::new(),
        }
    }

    /// Nothing that can panic is done while this is locked.
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next job, if there is one and there is a place for its result.
    fn begin_in(&self, shared: &mut Shared) -> Option<(u64, usize)> {
        let job = shared.begun;
        let place = (job < self.jobs).then(|| shared.spare.pop()).flatten()?;
        shared.begun += 1;
        Some((job, place))
    }

    /// Waits for a place and begins the next job, unless the work is over or all jobs were begun.
    fn begin(&self) -> Option<(u64, usize)> {
        let mut shared = self.shared();
        while !shared.over && shared.begun < self.jobs {
            if let Some(begun) = self.begin_in(&mut shared) {
                return Some(begun);
            }
            shared = (self.was_taken.wait(shared)).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    fn next_task(&self, turn: u64) -> CallerTask {
        let mut shared = self.shared();
        if let Some((place, made)) = shared.made.remove(&turn) {
            return CallerTask::Take(place, made);
        }
        if let Some((job, place)) = self.begin_in(&mut shared) {
            return CallerTask::Make(job, place);
        }
        drop(self.was_made.wait_timeout(shared, PATIENCE));
        CallerTask::Wait
    }

    fn deliver(&self, job: u64, place: usize, made: Made) {
        self.shared().made.insert(job, (place, made));
        self.was_made.notify_one();
    }

    fn give_back(&self, place: usize) {
        self.shared().spare.push(place);
        self.was_taken.notify_one();
    }

    /// Has the threads begin no more jobs.
    fn end(&self) {
        self.shared().over = true;
        self.was_taken.notify_all();
    }
}
