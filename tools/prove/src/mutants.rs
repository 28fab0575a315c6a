//! Mistakes in the kernels, each of which some theorem must notice.
//!
//! Every operation that a kernel does on symbols is done wrong in turn, in each of some ways: a mask lacks a bit,
//! a shift goes one bit too far, a comparison is the other way round. A mistake that no equation notices in this
//! case of a theorem is a survivor.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rayon::iter::{ParallelBridge, ParallelIterator};

use crate::case::{Case, NODES, counterexample};
use crate::diagram::Diagrams;
use crate::indices;
use crate::machine;
use crate::mistakes::{self, Mistake};
use crate::report::STACK;

/// The cases in which mistakes are made, by what their labels contain: small ones, and those of five pieces
/// where they have kernels of their own.
fn takes_part(theorem: &str, label: &str) -> bool {
    let has = |text: &str| label.contains(text);
    if theorem.starts_with("like-pairs") {
        return has("u32, 3 pieces") && (has("0b11,") || has("0b101,"));
    }
    if theorem.starts_with("orbit-rank") {
        return has("u32, 3 pieces, alternate") || has("avx512, u32, 5 pieces, alternate");
    }
    if theorem.starts_with("like-") {
        return false;
    }
    let small = has("u32, 3 pieces");
    // Kernels for five pieces alone.
    let five = [
        "flip-batch",
        "convert-batch",
        "canonical-batch",
        "orbit-rank-batch",
    ];
    small || five.contains(&theorem) && has("avx512, u32, 5 pieces")
}

/// Where a mistake was made, and what it was.
type Made = (String, &'static str);

/// The mistakes made in one case, and whether they were noticed.
fn try_mistakes(case: &Case, diagrams: &mut Diagrams) -> Vec<(Made, bool)> {
    let mut tally = Vec::new();
    for allowed in machine::noted(|| drop(case.asked(None))) {
        let operation = allowed.number;
        for choice in 0..allowed.mistakes {
            // A panic has been noticed, too.
            let noticed = catch_unwind(AssertUnwindSafe(|| {
                let question = case.asked(Some(Mistake { operation, choice }));
                mistakes::made().is_none() || counterexample(diagrams, &question).is_some()
            }));
            let noticed = noticed.unwrap_or(true);
            tally.extend(mistakes::made().map(|name| ((allowed.place.clone(), name), noticed)));
        }
    }
    tally
}

/// Makes every mistake in every case that takes part, writes those that none of the cases noticed to the list of
/// survivors, and returns whether all of these were on the list before.
///
/// # Errors
/// If no thread can be started or the list can't be written.
pub fn run() -> std::io::Result<bool> {
    // Panics of code that was made wrong are no news.
    std::panic::set_hook(Box::new(|_| {}));
    let cases = indices::by_cases()
        .flat_map(|theorem| {
            (theorem.cases)()
                .into_iter()
                .map(|case| (theorem.name, case))
        })
        .filter(|(theorem, case)| takes_part(theorem, &case.label));
    let threads = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
    let threads = threads.map_err(std::io::Error::other)?;
    let tallies: Vec<(Made, bool)> = threads.install(|| {
        let new_diagrams = || Diagrams::new(NODES);
        let tally = |diagrams: &mut Diagrams, (theorem, case): (&str, Case)| {
            let tally = try_mistakes(&case, diagrams);
            let noticed = tally.iter().filter(|(_, noticed)| *noticed).count();
            let (label, total) = (case.label, tally.len());
            println!("{theorem}, {label}: {noticed} of {total} mistakes noticed");
            tally
        };
        let tallies = cases.par_bridge().map_init(new_diagrams, tally);
        tallies.flatten_iter().collect()
    });
    let total = tallies.len();
    // A mistake is made wherever the code comes to its place; noticed once, it is noticed.
    let mut all = BTreeMap::<Made, bool>::new();
    for (mistake, noticed) in tallies {
        *all.entry(mistake).or_default() |= noticed;
    }
    let unnoticed = all.iter().filter(|(_, noticed)| !**noticed);
    let survivors: BTreeSet<String> = unnoticed
        .clone()
        .map(|((place, name), _)| line_of(place, name))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("SURVIVORS.md");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let known = |line: &&String| before.lines().any(|known| known == line.as_str());
    let new: Vec<&String> = survivors.iter().filter(|line| !known(line)).collect();
    for line in &new {
        println!("NEW SURVIVOR {line}");
    }
    println!(
        "{} different mistakes, made {total} times; {} survive, {} of them new",
        all.len(),
        survivors.len(),
        new.len()
    );
    let mut text = format!(
        "{HEAD}\n{} different mistakes were made, {total} times in all, and {} were noticed. These were not:\n\n",
        all.len(),
        all.len() - unnoticed.count()
    );
    text.extend(survivors.iter().map(|line| format!("{line}\n")));
    std::fs::write(&path, text)?;
    Ok(new.is_empty())
}

/// The beginning of the list of survivors.
const HEAD: &str = "# Mistakes that change nothing

`cargo run --release -p prove -- --mutants` writes this file, and fails if a survivor is new. [README.md](README.md)
says why these change nothing that a function returns.
";

/// A line of the list. It shows the source instead of the line's number, which changes often.
fn line_of(place: &str, mistake: &str) -> String {
    let mut parts = place.rsplitn(3, ':');
    let (column, line, file) = (parts.next(), parts.next(), parts.next().unwrap_or(place));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = std::fs::read_to_string(root.join(file)).unwrap_or_default();
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok());
    let line = number(line).and_then(|line| source.lines().nth(line.checked_sub(1)?));
    // The name in the standard library's folder depends on the machine.
    let file = match file.starts_with('/') {
        true => "core::cmp, called by src/index/canonical.rs",
        false => file,
    };
    let from = line.and_then(|line| line.get(number(column)?.checked_sub(1)?..));
    format!("- {file}: `{}`: {mistake}", from.unwrap_or("").trim())
}
