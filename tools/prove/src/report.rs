//! Runs theorems, prints them, and writes the statement file.

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Outcome, Selection};

/// A theorem after its run.
#[derive(Clone, Debug)]
pub struct Record {
    name: String,
    statement: String,
    method: &'static str,
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

/// Proves the chosen theorems, on as many threads as there are processors, and prints each when it is done.
/// Returns them in order.
///
/// A proof that panics has failed.
#[must_use]
pub fn run(selection: &Selection) -> Vec<Record> {
    crate::case::be_quick(selection.quick);
    let theorems = selection.theorems();
    let (next, records) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(theorems.len()) {
            scope.spawn(|| {
                while let Some((place, theorem)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    theorems.get(place).map(|theorem| (place, theorem))
                } {
                    let start = Instant::now();
                    // A thread of its own, so that proofs leave nothing behind in variables of the thread.
                    let outcome = std::thread::scope(|scope| {
                        let attempt = || catch_unwind(AssertUnwindSafe(|| (theorem.run)()));
                        scope.spawn(attempt).join().unwrap_or_else(Err)
                    });
                    let record = Record {
                        name: theorem.name.clone(),
                        statement: theorem.statement.clone(),
                        method: theorem.method,
                        outcome: outcome.unwrap_or_else(|_| Outcome::Failed("a panic".to_owned())),
                        time: start.elapsed(),
                    };
                    let (verdict, details) = record.verdict();
                    let seconds = record.time.as_secs_f64();
                    println!(
                        "{verdict:7} {:40} {seconds:7.2} s  {}: {details}",
                        record.name, record.method
                    );
                    records
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((place, record));
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
            record.name,
            record.statement,
            record.method,
            record.time.as_secs_f64()
        );
    }
    text
}
