//! Jobs that several threads do, and whose results are taken in order.
//!
//! `tests/interleavings.rs` compiles this file with locks and threads whose order of events it chooses.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use super::error::StoreError;
use super::job_output::{JobOutput, SLACK};
use super::sync::atomic::{AtomicU64, Ordering::Relaxed};
use super::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use super::thread;
use crate::index::Word;

/// The most results that a thread may have made in [`run_in_order`] and that were not yet taken.
const RESULTS: usize = 2;

/// The bytes that a thread's results take in [`run_in_order`], for each word that one of them has at most.
pub(super) const fn bytes_of_result_word<W>() -> usize {
    RESULTS * (size_of::<W>() + size_of::<W>().div_ceil(SLACK))
}

/// Does the jobs 0 to `jobs` − 1, each with the state of its thread and an empty buffer for its result, and
/// hands the results to `take` in the order of the jobs, each in one slice or several. With one thread all of
/// it happens on the calling one.
///
/// The thread that made a result takes it, too, because the result is in its cache. But a result that is made
/// before its turn is left to the threads before it, so that its own thread need not wait; for each thread
/// there are at most two results.
///
/// `watch` is told how many jobs are done and their results taken. It is called on the calling thread alone:
/// after each job that this thread did and each result that it took, while it waits for others, and at the
/// very end; never again once it returned an error.
///
/// # Errors
/// The first error of `make`, `take` or `watch`, which ends the work. Of the errors of `make` and `take` that
/// is the one of the first job that has one.
///
/// # Panics
/// With the panic of any of the functions, after all threads have ended.
pub(super) fn run_in_order<'a, W, S, E>(
    threads: usize,
    jobs: u64,
    state: impl Fn() -> S + Sync,
    make: impl Fn(&mut S, u64, &mut JobOutput<'a, W>) -> Result<(), StoreError> + Sync,
    mut take: impl FnMut(u64, &[W]) -> Result<(), E> + Send,
    mut watch: impl FnMut(u64) -> Result<(), E>,
) -> Result<(), E>
where
    W: Word,
    E: From<StoreError> + Send,
{
    if threads <= 1 || jobs <= 1 {
        let (mut state, mut out) = (state(), JobOutput::default());
        for job in 0..jobs {
            out.clear();
            make(&mut state, job, &mut out)?;
            for some in out.slices() {
                take(job, some)?;
            }
            watch(job + 1)?;
        }
        return Ok(());
    }
    let threads = threads.min(usize::try_from(jobs).unwrap_or(threads));
    let mut take = |job, out: &JobOutput<'a, W>| out.slices().try_for_each(|some| take(job, some));
    let queue = Queue::new(jobs, threads, &mut take);
    let work = |watch: &mut Watch<'_, E>| {
        // After a panic nothing is used any more that a function may have left half changed.
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let (mut state, mut spare) = (state(), None);
            while let Some(job) = queue.next_job() {
                let mut out = spare.take().unwrap_or_else(|| queue.buffer());
                out.clear();
                let made = make(&mut state, job, &mut out).map(|()| out);
                spare = queue.deliver(job, made, watch);
                queue.tell(watch);
            }
        }));
        if let Err(panic) = worked {
            queue.end(End::Panic(panic));
        }
    };
    let theirs = || work(&mut |_| Ok(()));
    on_threads(threads - 1, &theirs, &mut || work(&mut watch));
    queue.result()?;
    watch(jobs)
}

/// Calls one function on so many other threads, and another on this one. No type of a caller's is known here,
/// so that what starts threads is compiled once.
fn on_threads(others: usize, theirs: &(dyn Fn() + Sync), own: &mut dyn FnMut()) {
    thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(theirs);
        }
        own();
    });
}

/// A function that takes the result of a job.
type Take<'t, 'a, W, E> = dyn FnMut(u64, &JobOutput<'a, W>) -> Result<(), E> + Send + 't;

/// A function that is told how many jobs are done, and can end the work by an error.
type Watch<'w, E> = dyn FnMut(u64) -> Result<(), E> + 'w;

/// How long a thread waits for others before it tells its watch.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the threads that do jobs share.
struct Queue<'t, 'a, W, E> {
    jobs: u64,
    /// How many results may be early.
    most_early: usize,
    /// The next job that no one does yet.
    next: AtomicU64,
    turns: Mutex<Turns<'a, W, E>>,
    /// Notified when the turn changes, and at the end.
    changed: Condvar,
    /// Used by the thread whose turn it is.
    take: Mutex<&'t mut Take<'t, 'a, W, E>>,
}

struct Turns<'a, W, E> {
    /// The job whose result is to be taken next, or is being taken.
    turn: u64,
    taking: bool,
    /// The results that came before their turn.
    early: BTreeMap<u64, Result<JobOutput<'a, W>, StoreError>>,
    /// Buffers for threads that have none.
    empty: Vec<JobOutput<'a, W>>,
    /// Why nothing more is to be done, if that is so.
    end: Option<End<E>>,
}

/// What ends the work early.
enum End<E> {
    Error(E),
    Panic(Box<dyn Any + Send>),
}

impl<'t, 'a, W, E> Queue<'t, 'a, W, E>
where
    W: Word,
    E: From<StoreError>,
{
    fn new(jobs: u64, threads: usize, take: &'t mut Take<'t, 'a, W, E>) -> Queue<'t, 'a, W, E> {
        Queue {
            jobs,
            most_early: (RESULTS - 1) * threads,
            next: AtomicU64::new(0),
            turns: Mutex::new(Turns {
                turn: 0,
                taking: false,
                early: BTreeMap::new(),
                empty: Vec::new(),
                end: None,
            }),
            changed: Condvar::new(),
            take: Mutex::new(take),
        }
    }

    fn next_job(&self) -> Option<u64> {
        let job = self.next.fetch_add(1, Relaxed);
        (job < self.jobs && self.turns().end.is_none()).then_some(job)
    }

    fn buffer(&self) -> JobOutput<'a, W> {
        self.turns().empty.pop().unwrap_or_default()
    }

    /// Takes the result of a job and those that wait for it, if its turn has come or soon will. Otherwise
    /// leaves the result to the thread before it. Returns the result's buffer, if that is free.
    fn deliver(
        &self,
        job: u64,
        mut made: Result<JobOutput<'a, W>, StoreError>,
        watch: &mut Watch<'_, E>,
    ) -> Option<JobOutput<'a, W>> {
        let mut turns = self.turns();
        while turns.turn != job && turns.end.is_none() {
            let soon = turns.taking && turns.turn + 1 == job;
            if !soon && turns.early.len() < self.most_early {
                turns.early.insert(job, made);
                return None;
            }
            let changed = self.changed.wait_timeout(turns, PATIENCE);
            drop(changed.unwrap_or_else(PoisonError::into_inner));
            self.tell(watch);
            turns = self.turns();
        }
        if turns.end.is_some() {
            return None;
        }
        turns.taking = true;
        let spare = loop {
            let turn = turns.turn;
            drop(turns);
            let taken = made.map_err(E::from).and_then(|out| {
                // It is poisoned only if `take` panicked; then everything ends.
                (self.take.lock().expect("no panic"))(turn, &out).map(|()| out)
            });
            turns = self.turns();
            let out = match taken {
                Ok(out) => out,
                Err(error) => {
                    turns.end.get_or_insert(End::Error(error));
                    break None;
                }
            };
            turns.turn += 1;
            let turn = turns.turn;
            let Some(next) = turns.early.remove(&turn).filter(|_| turns.end.is_none()) else {
                break Some(out);
            };
            made = next;
            // Given back before another buffer is taken, so that there are no more than were counted.
            turns.empty.push(out);
            drop(turns);
            self.changed.notify_all();
            self.tell(watch);
            turns = self.turns();
        };
        turns.taking = false;
        drop(turns);
        self.changed.notify_all();
        spare
    }

    /// Tells the watch how far the work is, and ends it if the watch says so. Once the work is over, nobody
    /// is told any more: who ended it must not be asked again.
    fn tell(&self, watch: &mut Watch<'_, E>) {
        let done = {
            let turns = self.turns();
            if turns.end.is_some() {
                return;
            }
            turns.turn
        };
        if let Err(error) = watch(done) {
            self.end(End::Error(error));
        }
    }

    /// Ends the work, unless it was ended before, so that no thread waits for another.
    fn end(&self, end: End<E>) {
        self.turns().end.get_or_insert(end);
        self.changed.notify_all();
    }

    fn result(self) -> Result<(), E> {
        let turns = self.turns.into_inner();
        match turns.unwrap_or_else(PoisonError::into_inner).end {
            None => Ok(()),
            Some(End::Error(error)) => Err(error),
            Some(End::Panic(panic)) => resume_unwind(panic),
        }
    }
}

impl<'a, W, E> Queue<'_, 'a, W, E> {
    /// Locks the turns. Nothing that can panic is done while they are locked.
    fn turns(&self) -> MutexGuard<'_, Turns<'a, W, E>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
