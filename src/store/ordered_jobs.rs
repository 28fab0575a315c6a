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
pub(super) fn run_in_order<T: Default + Send, S>(
    threads: usize,
    jobs: u64,
    state: impl Fn() -> S + Sync,
    make: impl Fn(&mut S, u64, &mut T) -> Result<(), StoreError> + Sync,
    mut take: impl FnMut(u64, &T) -> Result<(), StoreError>,
    mut watch: impl FnMut(u64) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    if threads <= 1 || jobs <= 1 {
        let (mut state, mut result) = (state(), T::default());
        for job in 0..jobs {
            make(&mut state, job, &mut result)?;
            take(job, &result)?;
            watch(job + 1)?;
        }
        return Ok(());
    }
    let threads = threads.min(usize::try_from(jobs).unwrap_or(threads));
    let queue = Queue {
        jobs,
        most: (RESULTS * threads) as u64,
        place: Mutex::new(Place {
            begun: 0,
            taken: 0,
            made: BTreeMap::new(),
            spare: Vec::new(),
            over: false,
        }),
        was_made: Condvar::new(),
        was_taken: Condvar::new(),
    };
    let work = || {
        let mut own = None;
        while let Some((job, result)) = queue.begin() {
            // After a panic the state is not used any more.
            let made = catch_unwind(AssertUnwindSafe(|| {
                let (own, mut result) = (own.get_or_insert_with(&state), result);
                make(own, job, &mut result).map(|()| result)
            }));
            let panicked = made.is_err();
            queue.deliver(job, made);
            if panicked {
                return;
            }
        }
    };
    let done = thread::scope(|scope| {
        for _ in 1..threads {
            // If the system starts no thread, there is this one.
            spawn(scope, work);
        }
        let done = catch_unwind(AssertUnwindSafe(|| {
            let mut own = state();
            for turn in 0..jobs {
                let made = loop {
                    match queue.next_step(turn) {
                        Step::Take(made) => break made,
                        Step::Make(job, mut result) => {
                            let made = make(&mut own, job, &mut result).map(|()| result);
                            queue.deliver(job, Ok(made));
                        }
                        Step::Wait => {}
                    }
                    watch(turn)?;
                };
                let result = made.unwrap_or_else(|panic| resume_unwind(panic))?;
                take(turn, &result)?;
                queue.give_back(result);
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
struct Queue<T> {
    jobs: u64,
    /// The most jobs that are begun and whose results are not taken.
    most: u64,
    place: Mutex<Place<T>>,
    was_made: Condvar,
    was_taken: Condvar,
}

struct Place<T> {
    begun: u64,
    taken: u64,
    made: BTreeMap<u64, Made<T>>,
    /// Results that were taken, to be written over.
    spare: Vec<T>,
    /// Whether nothing more is to be done.
    over: bool,
}

/// The result of a job, its error or its panic.
type Made<T> = thread::Result<Result<T, StoreError>>;

/// The next step of the calling thread.
enum Step<T> {
    Take(Made<T>),
    Make(u64, T),
    Wait,
}

impl<T: Default> Queue<T> {
    /// Nothing that can panic is done while the place is locked.
    fn place(&self) -> MutexGuard<'_, Place<T>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next job, if there is one and there is room for its result.
    fn begin_in(&self, place: &mut Place<T>) -> Option<(u64, T)> {
        let job = place.begun;
        (job < self.jobs && job < place.taken + self.most).then(|| {
            place.begun += 1;
            (job, place.spare.pop().unwrap_or_default())
        })
    }

    /// Waits for room and begins the next job, unless the work is over or all jobs were begun.
    fn begin(&self) -> Option<(u64, T)> {
        let mut place = self.place();
        while !place.over && place.begun < self.jobs {
            if let Some(begun) = self.begin_in(&mut place) {
                return Some(begun);
            }
            place = (self.was_taken.wait(place)).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    fn next_step(&self, turn: u64) -> Step<T> {
        let mut place = self.place();
        if let Some(made) = place.made.remove(&turn) {
            return Step::Take(made);
        }
        if let Some((job, result)) = self.begin_in(&mut place) {
            return Step::Make(job, result);
        }
        drop(self.was_made.wait_timeout(place, PATIENCE));
        Step::Wait
    }

    fn deliver(&self, job: u64, made: Made<T>) {
        self.place().made.insert(job, made);
        self.was_made.notify_one();
    }

    fn give_back(&self, result: T) {
        let mut place = self.place();
        place.taken += 1;
        place.spare.push(result);
        drop(place);
        self.was_taken.notify_one();
    }
    /// Has the threads begin no more jobs.
    fn end(&self) {
        self.place().over = true;
        self.was_taken.notify_all();
    }
}
