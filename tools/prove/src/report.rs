//! Runs theorems and prints them.

use std::time::Instant;

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::Selection;
use crate::theorem::{Outcome, Theorem};

/// The bytes of a thread's stack: terms of mistakes may be deep, and registers of symbols take 2 KiB each.
pub(crate) const STACK: usize = 1 << 30;

/// Proves the chosen theorems, on as many threads as there are processors, and prints each when it is done. Returns
/// whether none failed.
///
/// A proof that panics has failed.
///
/// # Panics
/// If the system has no thread for a proof.
#[must_use]
pub fn run(selection: &Selection) -> bool {
    crate::case::be_quick(selection.quick);
    let start = Instant::now();
    let theorems = selection.theorems().into_iter().par_bridge();
    let verdicts: Vec<&str> = theorems.map(|theorem| prove(&theorem)).collect();
    let count = |verdict| verdicts.iter().filter(|&&of| of == verdict).count();
    let (proved, skipped, failed) = (count(PROVED), count(SKIPPED), count(FAILED));
    let seconds = start.elapsed().as_secs_f64();
    println!("{proved} proved, {skipped} skipped, {failed} failed in {seconds:.1} s");
    failed == 0
}

const PROVED: &str = "proved";
const SKIPPED: &str = "SKIPPED";
const FAILED: &str = "FAILED";

/// Proves a theorem and prints it. Returns what became of it.
fn prove(theorem: &Theorem) -> &'static str {
    let start = Instant::now();
    // A thread of its own, so that proofs leave nothing behind in variables of the thread.
    let thread = std::thread::Builder::new().stack_size(STACK);
    let outcome = std::thread::scope(|scope| {
        let proof = thread.spawn_scoped(scope, || (theorem.run)());
        proof.expect("a thread").join()
    });
    let (verdict, details) = match outcome {
        Ok(Outcome::Proved(details)) => (PROVED, details),
        Ok(Outcome::Skipped(details)) => (SKIPPED, details),
        Ok(Outcome::Failed(details)) => (FAILED, details),
        Err(_) => (FAILED, "a panic".to_owned()),
    };
    let (name, method) = (&theorem.name, theorem.method);
    let seconds = start.elapsed().as_secs_f64();
    println!("{verdict:7} {name:40} {seconds:7.2} s  {method}: {details}");
    verdict
}
