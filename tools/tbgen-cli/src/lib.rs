//! The command line of the generator. Each subcommand has a file, which only parses arguments, calls the library and prints.
//!
//! Results go to standard output, messages and progress bars to standard error. The exit status is 0 for
//! success, 1 for a data or I/O error, and 2 for a wrong call.
//!
//! The public items are for `tbindex-parquet`, which runs three of the commands with another format and ends as this program does.

#![allow(
    missing_debug_implementations,
    reason = "nobody prints the arguments of a command"
)]

/// Prints a line to standard error. Where nobody reads it, nothing is lost: the work goes on.
macro_rules! note {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod allocator;
mod answers;
mod bars;
mod estimate;
mod export;
mod exported;
mod folder;
mod generate;
mod help;
pub mod label;
mod line;
mod machine;
mod md5_lists;
pub mod mine;
mod output;
mod probe;
pub mod rows;
pub mod sample;
pub mod signals;
mod solve;
mod stats;
mod syzygy;
mod tables;
mod verify;
mod whole;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use serde_json::Value as Json;
use tbgen::{
    Endgame, EndgameError, Metric, Shape, ShapeError, SolveError, at_least, mebibytes, parse_size,
};
use tbindex::Material;
use tbindex::store::handle_file_signals;

/// Generates, probes and verifies chess endgame tables of 3 to 7 pieces.
#[derive(Parser)]
#[command(
    name = "tbgen",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::Args),
    Estimate(estimate::Args),
    Solve(solve::Args),
    Stats(stats::Args),
    Probe(probe::Args),
    Label(label::Args),
    Line(line::Args),
    Mine(mine::Args),
    Sample(sample::Args),
    Help(help::Args),
    Verify(verify::Args),
    Export(export::Args),
}

/// A wrong call that the argument parser can't recognise. The exit status is 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UsageError(String);

/// Refuses a wrong call.
///
/// # Errors
/// Always, and the exit status is 2.
pub fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(UsageError(message.into()).into())
}

/// Runs `tbgen` with the arguments of this process.
#[must_use]
pub fn run() -> ExitCode {
    status_of("tbgen", || match Cli::parse().command {
        Command::Generate(args) => generate::run(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Probe(args) => probe::run(&args),
        Command::Label(args) => label::run(&args, None),
        Command::Line(args) => line::run(&args),
        Command::Mine(args) => mine::run(&args, None),
        Command::Sample(args) => sample::run(&args, None),
        Command::Help(args) => help::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Export(args) => export::run(&args),
    })
}

/// Runs a command, says why it failed if it did, and returns the exit status of its program.
pub fn status_of(program: &'static str, command: impl FnOnce() -> Result<()>) -> ExitCode {
    /// The mebibytes of addresses without which the allocator gives no memory, and the program could say nothing. Measured.
    const ADDRESSES: u64 = 96;
    if let Some(limit) = machine::address_space().filter(|limit| limit >> 20 < ADDRESSES) {
        let limit = limit >> 20;
        note!(
            "{program}: {ADDRESSES} MiB of address space are needed: the system allows {limit} MiB (ulimit -v)"
        );
        return ExitCode::FAILURE;
    }
    handle_file_signals(move |file| {
        let file = file.map_or("a mapped file".into(), |file| file.display().to_string());
        note!(
            "{program}: {file}: a part of it is gone: it was shortened while it was mapped, or the disk failed"
        );
    });
    let result = command();
    tbindex::fail_point!("tbgen::end");
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if signals::is_stopped() => {
            note!("{program}: {error:#}");
            signals::end_by_signal();
            ExitCode::FAILURE
        }
        // The reader of our output may stop when it has seen enough: `tbgen stats KQvK | head`.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            note!("{program}: {error:#}");
            ExitCode::from(if error.is::<UsageError>() { 2 } else { 1 })
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| match cause.downcast_ref() {
        Some(SolveError::Source(error)) => is_closed(error),
        _ => cause.downcast_ref().is_some_and(is_closed),
    })
}

/// Prints a text to standard output. Where nobody reads it, that is an error and not a panic.
fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("can't print the results")
}

fn print_json(json: &Json) -> Result<()> {
    print(&format!("{json:#}\n"))
}

/// The metrics on the command line. Helpmates have a metric for each side that is mated, and the first is named
/// for both.
const METRICS: [(Metric, &str, &str); 3] = [
    (
        Metric::Dtz,
        "dtz",
        "Plies to the next capture, pawn move or mate, under the fifty-move rule",
    ),
    (
        Metric::Dtm,
        "dtm",
        "Plies to mate, without the fifty-move rule",
    ),
    (
        Metric::HelpWhite,
        "help",
        "Plies to mate if both sides help, with either side as the one that is mated",
    ),
];

/// Reads one of the first so many [`METRICS`].
fn metric_parser(count: usize) -> impl TypedValueParser<Value = Metric> {
    let known = METRICS.iter().take(count);
    let names = known.map(|&(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(names).map(|text| {
        let mut known = METRICS.into_iter();
        known
            .find(|(_, name, _)| *name == text)
            .expect("a known name")
            .0
    })
}

/// The metrics that are asked for, of tables of chess or of short-range pieces.
fn metrics(is_chess: bool, wanted: &[Metric]) -> Result<Vec<Metric>> {
    if !is_chess && wanted.contains(&Metric::Dtz) {
        return refuse(
            "tables with short-range pieces have distances to mate: expected --metric dtm",
        );
    }
    let mut metrics = vec![Metric::Dtz, Metric::Dtm];
    metrics.retain(|metric| match wanted {
        [] => is_chess == (*metric == Metric::Dtz),
        wanted => wanted.contains(metric),
    });
    Ok(metrics)
}

/// The shapes of the tables of endgames.
fn shapes_of<E: Into<Endgame>>(all: impl IntoIterator<Item = E>) -> Result<Vec<Shape>, ShapeError> {
    let all = all.into_iter();
    all.map(|endgame| Shape::of_endgame(endgame.into()))
        .collect()
}

/// The names of [`Outcome::ALL`](tbgen::Outcome::ALL), from the last to the first.
const OUTCOMES: [&str; 5] = ["wins", "cursed wins", "draws", "blessed losses", "losses"];

/// Reads an endgame that can be generated, with short-range pieces in brackets or without.
fn parse_endgame(text: &str) -> Result<Endgame, String> {
    let endgame: Endgame = text.parse().map_err(|e: EndgameError| e.to_string())?;
    Shape::of_endgame(endgame.normal()).map_err(|e| e.to_string())?;
    Ok(endgame)
}

/// Reads a material that can be generated.
fn parse_material(text: &str) -> Result<Material, String> {
    let material: Material = text
        .parse()
        .map_err(|e: tbindex::MaterialError| e.to_string())?;
    Shape::new(material.normal()).map_err(|e| e.to_string())?;
    Ok(material)
}
