//! Runs theorems, prints them, and writes the statement file.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Outcome, Selection, Theorem};

/// A theorem after its run.
#[derive(Debug)]
pub struct Record {
    theorem: Theorem,
    outcome: Outcome,
    time: Duration,
}

impl Record {
    /// Returns whether the theorem does not hold.
    #[must_use]
    pub const fn failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// Returns what became of the theorem, and the details.
    fn verdict(&self) -> (&'static str, &str) {
        match &self.outcome {
            Outcome::Proved(details) => ("proved", details),
            Outcome::Skipped(details) => ("SKIPPED", details),
            Outcome::Failed(details) => ("FAILED", details),
        }
    }
}

/// The bytes of a thread's stack: terms of mistakes may be deep, and registers of symbols take 2 KiB each.
pub(crate) const STACK: usize = 1 << 30;

/// Locks data that a panic leaves as they should be.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Proves the chosen theorems, on as many threads as there are processors, and prints each when it is done.
/// Returns them in order.
///
/// A proof that panics has failed.
///
/// # Panics
/// If the system has no thread for a proof.
#[must_use]
pub fn run(selection: &Selection) -> Vec<Record> {
    crate::case::be_quick(selection.quick);
    let theorems = selection.theorems();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(theorems.len());
    let theorems = Mutex::new(theorems.into_iter().enumerate());
    let records = Mutex::new(Vec::new());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let next = || lock(&theorems).next();
                while let Some((place, theorem)) = next() {
                    let start = Instant::now();
                    // A thread of its own, so that proofs leave nothing behind in variables of the thread.
                    let outcome = std::thread::scope(|scope| {
                        let thread = std::thread::Builder::new().stack_size(STACK);
                        let proof = thread.spawn_scoped(scope, || (theorem.run)());
                        proof.expect("a thread").join()
                    });
                    let record = Record {
                        theorem,
                        outcome: outcome.unwrap_or_else(|_| Outcome::Failed("a panic".to_owned())),
                        time: start.elapsed(),
                    };
                    let (verdict, details) = record.verdict();
                    let seconds = record.time.as_secs_f64();
                    println!(
                        "{verdict:7} {:40} {seconds:7.2} s  {}: {details}",
                        record.theorem.name, record.theorem.method
                    );
                    lock(&records).push((place, record));
                }
            });
        }
    });
    let mut records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.sort_by_key(|(place, _)| *place);
    let records: Vec<Record> = records.into_iter().map(|(_, record)| record).collect();
    let count = |verdict| records.iter().filter(|r| r.verdict().0 == verdict).count();
    println!(
        "{} proved, {} skipped, {} failed in {:.1} s",
        count("proved"),
        count("SKIPPED"),
        count("FAILED"),
        start.elapsed().as_secs_f64()
    );
    records
}

/// Returns the text of the statement file.
#[must_use]
pub fn statement_file(records: &[Record]) -> String {
    let mut text = String::from(
        "# Theorems\n\n\
         `cargo run --release -p prove` proves them and writes this file. [README.md](README.md) says what the\n\
         words mean, what the methods are, and what is trusted.\n\n\
         | theorem | statement | proof | seconds |\n|---|---|---|---:|\n",
    );
    for record in records {
        let (verdict, details) = record.verdict();
        let _ = writeln!(
            text,
            "| `{}` | {} | {verdict}: {}, {details} | {:.1} |",
            record.theorem.name,
            record.theorem.statement,
            record.theorem.method,
            record.time.as_secs_f64()
        );
    }
    text
}
