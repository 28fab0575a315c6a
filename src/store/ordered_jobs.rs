//! Jobs that several threads do, and whose results are taken in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::error::StoreError;
use super::job_output::{JobOutput, SLACK};
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
        let _end = EndOnPanic(&queue);
        let (mut state, mut spare) = (state(), None);
        while let Some(job) = queue.next_job() {
            let mut out = spare.take().unwrap_or_else(|| queue.buffer());
            out.clear();
            let made = make(&mut state, job, &mut out).map(|()| out);
            spare = queue.deliver(job, made, watch);
            queue.tell(watch);
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
    std::thread::scope(|scope| {
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
    /// Whether nothing more is to be done, because of an error or because a thread panicked.
    over: bool,
    error: Option<E>,
}

impl<W, E> Turns<'_, W, E> {
    fn end(&mut self, error: E) {
        self.error.get_or_insert(error);
        self.over = true;
    }
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
                over: false,
                error: None,
            }),
            changed: Condvar::new(),
            take: Mutex::new(take),
        }
    }

    fn next_job(&self) -> Option<u64> {
        let job = self.next.fetch_add(1, Relaxed);
        (job < self.jobs && !self.turns().over).then_some(job)
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
        while turns.turn != job && !turns.over {
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
        if turns.over {
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
                    turns.end(error);
                    break None;
                }
            };
            turns.turn += 1;
            let turn = turns.turn;
            let Some(next) = turns.early.remove(&turn).filter(|_| !turns.over) else {
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
            if turns.over {
                return;
            }
            turns.turn
        };
        if let Err(error) = watch(done) {
            self.end(error);
        }
    }

    fn end(&self, error: E) {
        self.turns().end(error);
        self.changed.notify_all();
    }

    fn result(self) -> Result<(), E> {
        let turns = self.turns.into_inner();
        turns
            .unwrap_or_else(PoisonError::into_inner)
            .error
            .map_or(Ok(()), Err)
    }
}

impl<'a, W, E> Queue<'_, 'a, W, E> {
    /// Locks the turns. Nothing that can panic is done while they are locked.
    fn turns(&self) -> MutexGuard<'_, Turns<'a, W, E>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work if its thread panics, so that no other waits for it.
struct EndOnPanic<'q, 't, 'a, W, E>(&'q Queue<'t, 'a, W, E>);

impl<W, E> Drop for EndOnPanic<'_, '_, '_, W, E> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.turns().over = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::StoreErrorKind;
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 3, 8] {
            for jobs in [0, 1, 2, 7, 100] {
                let mut found = Vec::new();
                run_in_order::<u32, u64, StoreError>(
                    threads,
                    jobs,
                    || 0,
                    |done, job, out| {
                        *done += 1;
                        out.copy(&vec![job as u32; job as usize % 3]);
                        Ok(())
                    },
                    |_, words| {
                        found.extend_from_slice(words);
                        Ok(())
                    },
                    |_| Ok(()),
                )
                .unwrap();
                let expected: Vec<u32> = (0..jobs as u32)
                    .flat_map(|job| vec![job; job as usize % 3])
                    .collect();
                assert_eq!(found, expected, "{threads} threads, {jobs} jobs");
            }
        }
    }

    #[test]
    fn a_thread_that_is_late_is_waited_for_within_bounds() {
        let (made, taken) = (AtomicU64::new(0), AtomicU64::new(0));
        for threads in [2, 3, 8] {
            let mut found = Vec::new();
            made.store(0, Relaxed);
            taken.store(0, Relaxed);
            run_in_order::<u32, (), StoreError>(
                threads,
                200,
                || (),
                |(), job, out| {
                    let ahead = made
                        .fetch_add(1, Relaxed)
                        .saturating_sub(taken.load(Relaxed));
                    assert!(
                        ahead <= 2 * threads as u64,
                        "{ahead} results at {threads} threads"
                    );
                    if job % 16 == 3 {
                        std::thread::sleep(std::time::Duration::from_millis(2));
                    }
                    out.copy(&[job as u32]);
                    Ok(())
                },
                |_, words| {
                    taken.fetch_add(1, Relaxed);
                    found.extend_from_slice(words);
                    Ok(())
                },
                |_| Ok(()),
            )
            .unwrap();
            assert!(found.into_iter().eq(0..200));
        }
    }

    #[test]
    fn a_watch_that_ended_the_work_is_not_asked_again() {
        for threads in [1, 2, 3, 8] {
            for end_at in [1, 2, 3, 7] {
                for _ in 0..50 {
                    let mut asked = 0;
                    let ended = run_in_order::<u32, (), StoreError>(
                        threads,
                        30,
                        || (),
                        |(), job, out| {
                            out.copy(&[job as u32]);
                            Ok(())
                        },
                        |_, _| Ok(()),
                        |_| {
                            asked += 1;
                            if asked >= end_at {
                                return Err(StoreError::cancelled());
                            }
                            Ok(())
                        },
                    );
                    // With several threads, the others may have done all of it before this one asks so often.
                    assert_eq!(ended.is_err(), asked >= end_at);
                    assert!(
                        asked <= end_at,
                        "asked {asked} times with {threads} threads"
                    );
                }
            }
        }
    }

    #[test]
    fn a_panic_on_any_side_is_passed_on_and_no_one_waits_for_it() {
        for threads in [1, 2, 5] {
            for (bad_make, bad_take) in [(17, u64::MAX), (u64::MAX, 17)] {
                let all = || {
                    run_in_order::<u32, (), StoreError>(
                        threads,
                        100,
                        || (),
                        |(), job, out| {
                            assert!(job != bad_make, "made");
                            out.copy(&[1]);
                            Ok(())
                        },
                        |job, _| {
                            assert!(job != bad_take, "taken");
                            Ok(())
                        },
                        |_| Ok(()),
                    )
                };
                assert!(std::panic::catch_unwind(all).is_err());
            }
        }
    }

    #[test]
    fn errors_of_either_side_end_it() {
        for threads in [1, 2, 5] {
            let fail = |job| match job {
                17 => Err(StoreError::cancelled()),
                _ => Ok(()),
            };
            let is_cancelled = |result: Result<(), StoreError>| {
                matches!(result.unwrap_err().kind(), StoreErrorKind::Cancelled)
            };
            let mut taken = 0;
            let made = run_in_order::<u32, (), StoreError>(
                threads,
                100,
                || (),
                |(), job, _| fail(job),
                |_, _| {
                    taken += 1;
                    Ok(())
                },
                |_| Ok(()),
            );
            assert!(is_cancelled(made));
            assert_eq!(taken, 17);
            let make = |_: &mut (), _, out: &mut JobOutput<u32>| {
                out.copy(&[1]);
                Ok(())
            };
            let taken = run_in_order::<u32, (), StoreError>(
                threads,
                100,
                || (),
                make,
                |job, _| fail(job),
                |_| Ok(()),
            );
            assert!(is_cancelled(taken));
            let (here, mut watched) = (std::thread::current().id(), 0);
            let watch = |done| {
                assert_eq!(std::thread::current().id(), here);
                assert!(watched <= done && done <= 100);
                watched = done;
                fail(if done < 17 { 0 } else { 17 })
            };
            let watched = run_in_order::<u32, (), StoreError>(
                threads,
                100,
                || (),
                make,
                |_, _| Ok(()),
                watch,
            );
            assert!(is_cancelled(watched));
        }
    }
}
