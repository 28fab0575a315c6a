//! The ordered jobs of `src/store`, under thousands of interleavings of their threads.
//!
//! [shuttle](https://docs.rs/shuttle) chooses which thread goes on whenever one locks, waits or changes an atomic
//! number, and fails where all of them wait. `TBINDEX_THOROUGH=1` tries a hundred times as many interleavings.

#![allow(clippy::missing_panics_doc, reason = "tests panic")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::sync::atomic::{AtomicU64, Ordering::Relaxed};
use shuttle::{Config, Runner, sync, thread};

use self::error::StoreError;
use self::ordered_jobs::run_in_order;

#[path = "../src/store/ordered_jobs.rs"]
mod ordered_jobs;
#[path = "support/thorough.rs"]
pub mod thorough;

/// The function that the ordered jobs import.
fn spawn<'scope>(scope: &'scope thread::Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    scope.spawn(work);
}

/// The name that the ordered jobs import.
mod error {
    #[derive(Debug, PartialEq)]
    pub(super) struct StoreError(pub(super) u64);
}

/// Runs a test for one to three threads. Several run under many interleavings: half of those change from one thread
/// to another at random, the others seldom.
fn explore(test: fn(threads: usize)) {
    let times = 30_000 / thorough::one_in(100);
    shuttle::check_random(move || test(1), 1);
    for threads in 2..=3 {
        let at_random = RandomScheduler::new_from_seed(1, times);
        Runner::new(at_random, Config::new()).run(move || test(threads));
        let seldom = PctScheduler::new_from_seed(1, 3, times);
        Runner::new(seldom, Config::new()).run(move || test(threads));
    }
}

/// Makes the job's number.
fn number(_: &mut (), job: u64, out: &mut u64) -> Result<(), StoreError> {
    *out = job;
    Ok(())
}

/// An error or a panic at one job.
fn fail_at(bad: u64, job: u64) -> Result<(), StoreError> {
    match job == bad {
        true => Err(StoreError(job)),
        false => Ok(()),
    }
}

#[test]
fn results_come_in_the_order_of_the_jobs() {
    explore(|threads| {
        for jobs in [0, 1, 2, 5] {
            let mut found = Vec::new();
            let (here, mut watched) = (thread::current().id(), 0);
            let take = |job, result: &u64| {
                assert_eq!(thread::current().id(), here);
                assert_eq!(*result, job);
                found.push(job);
                Ok::<(), StoreError>(())
            };
            let watch = |done| {
                assert_eq!(thread::current().id(), here);
                assert!(watched <= done && done <= jobs);
                watched = done;
                Ok(())
            };
            run_in_order(threads, jobs, || (), number, take, watch).unwrap();
            assert!(found.into_iter().eq(0..jobs));
            assert_eq!(watched, jobs);
        }
    });
}

/// The results that lie in memory are bounded, however late a thread is.
#[test]
fn a_thread_that_is_late_is_waited_for_within_bounds() {
    explore(|threads| {
        let results = AtomicU64::new(0);
        let make = |(): &mut (), job, out: &mut u64| {
            let others = results.fetch_add(1, Relaxed);
            assert!(others < 2 * threads as u64, "{others} other results");
            number(&mut (), job, out)
        };
        let take = |_, _: &u64| {
            results.fetch_sub(1, Relaxed);
            Ok::<(), StoreError>(())
        };
        run_in_order(threads, 9, || (), make, take, |_| Ok(())).unwrap();
    });
}

#[test]
fn the_first_error_of_a_job_ends_the_work() {
    explore(|threads| {
        let mut taken = 0;
        let make = |(): &mut (), job, out: &mut u64| {
            fail_at(2, job).and(fail_at(3, job))?;
            number(&mut (), job, out)
        };
        let take = |_, _: &u64| {
            taken += 1;
            Ok(())
        };
        let made = run_in_order(threads, 5, || (), make, take, |_| Ok(()));
        assert_eq!((made, taken), (Err(StoreError(2)), 2));
        let take = |job, _: &u64| fail_at(2, job).and(fail_at(3, job));
        let taken = run_in_order(threads, 5, || (), number, take, |_| Ok(()));
        assert_eq!(taken, Err(StoreError(2)));
    });
}

#[test]
fn a_watch_that_ended_the_work_is_not_asked_again() {
    explore(|threads| {
        for end_at in 1..4 {
            let mut asked = 0;
            let watch = |_| {
                asked += 1;
                fail_at(end_at, asked)
            };
            let ended = run_in_order(threads, 5, || (), number, |_, _| Ok(()), watch);
            // The other threads may have done all of the work before this one asks so often.
            assert_eq!(ended.is_err(), asked == end_at);
            assert!(asked <= end_at, "asked {asked} times");
        }
    });
}

/// Panics at one job, without the message that a panic prints.
fn panic_at(bad: u64, job: u64) {
    if job == bad {
        resume_unwind(Box::new("a panic"));
    }
}

#[test]
fn a_panic_on_any_side_is_passed_on_and_no_thread_waits_for_it() {
    explore(|threads| {
        // The watch is told of the last job in any case.
        for (make_bad, take_bad, watch_bad) in [(2, 9, 9), (9, 2, 9), (9, 9, 5)] {
            let make = |(): &mut (), job, out: &mut u64| {
                panic_at(make_bad, job);
                number(&mut (), job, out)
            };
            let take = |job, _: &u64| {
                panic_at(take_bad, job);
                Ok::<(), StoreError>(())
            };
            let watch = |done| {
                panic_at(watch_bad, done);
                Ok(())
            };
            let run = || run_in_order(threads, 5, || (), make, take, watch);
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"a panic"));
        }
    });
}
