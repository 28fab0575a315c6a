//! Mistakes in the kernels, each of which some theorem must notice.
//!
//! Every operation that a kernel does on symbols is done wrong in turn, in each of some ways: a mask lacks a bit,
//! a shift goes one bit too far, a comparison is the other way round. A mistake that no equation notices in this
//! case of a theorem is a survivor.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::case::{Case, NODES, counterexample};
use crate::diagram::Diagrams;
use crate::indices;
use crate::machine::{self, Mistake};

/// The cases in which mistakes are made, by what their labels contain: small ones, and those of five pieces
/// where they have kernels of their own.
fn takes_part(theorem: &str, label: &str) -> bool {
    let has = |text: &str| label.contains(text);
    if theorem.starts_with("like-pairs") {
        return has("u32, 3 pieces") && (has("0b11,") || has("0b101,"));
    }
    if theorem == "orbit-rank-scalar" {
        return has("u32, 3 pieces, alternate");
    }
    (has("u32, 3 pieces") || has("u32, 5 pieces"))
        && (theorem.ends_with("scalar") || !has("avx2") || theorem == "rows")
        || theorem == "rows" && has("u64, 10 pieces")
        || theorem == "flip-batch" && has("u64, 5 pieces")
}

/// A mistake that no equation noticed: where, what, and in which case.
type Survivor = (String, String);

/// The mistakes made in one case.
#[derive(Debug, Default)]
struct Tally {
    made: usize,
    survivors: Vec<Survivor>,
}

fn try_mistakes(case: &Case, diagrams: &mut Diagrams) -> Tally {
    let mut tally = Tally::default();
    for (number, operation) in case.operations() {
        for (variant, name) in operation.mistakes.iter().enumerate() {
            let mistake = Mistake {
                operation: number,
                variant,
            };
            // What panics has been noticed, too.
            let noticed = catch_unwind(AssertUnwindSafe(|| {
                let question = case.asked(Some(mistake));
                if !machine::mistake_changed() {
                    return None;
                }
                Some(counterexample(diagrams, &question).is_some())
            }));
            match noticed {
                Ok(None) => {}
                Ok(Some(false)) => {
                    tally.made += 1;
                    tally
                        .survivors
                        .push((operation.place.clone(), name.clone()));
                }
                Ok(Some(true)) | Err(_) => tally.made += 1,
            }
        }
    }
    tally
}

/// Makes every mistake in every case that takes part, prints the survivors, and returns whether there are none
/// but those that are known to change nothing.
#[must_use]
pub fn run() -> bool {
    // Panics of code that was made wrong are no news.
    std::panic::set_hook(Box::new(|_| {}));
    let cases: Vec<(&str, Case)> = indices::cases()
        .flat_map(|(theorem, cases)| cases().into_iter().map(move |case| (theorem, case)))
        .filter(|(theorem, case)| takes_part(theorem, &case.label))
        .collect();
    let (next, tallies) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut diagrams = Diagrams::new(NODES);
                while let Some((theorem, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = try_mistakes(case, &mut diagrams);
                    println!(
                        "{theorem}, {}: {} mistakes, {} not noticed",
                        case.label,
                        tally.made,
                        tally.survivors.len()
                    );
                    let name = format!("{theorem}, {}", case.label);
                    tallies
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((name, tally));
                }
            });
        }
    });
    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (mut made, mut survivors) = (0, BTreeMap::<Survivor, Vec<String>>::new());
    for (name, tally) in tallies {
        made += tally.made;
        for survivor in tally.survivors {
            survivors.entry(survivor).or_default().push(name.clone());
        }
    }
    for ((place, name), cases) in &survivors {
        println!(
            "SURVIVOR {place}: {name} ({}; {} cases)",
            cases[0],
            cases.len()
        );
    }
    println!("{made} mistakes, {} places of survivors", survivors.len());
    survivors.is_empty()
}
