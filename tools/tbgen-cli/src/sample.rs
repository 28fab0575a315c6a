//! `tbgen sample`: positions of tables, chosen at random.

use std::ops::RangeInclusive;

use anyhow::Result;
use tbgen::{
    Hit, Members, Metric, Outcome, Reservoir, Shape, Value, asked_memory, stats_memory, table_of,
};

use super::metric_parser;
use super::output::OutputArgs;
use super::rows::format::Format;
use super::rows::parquet::{Create, MOST_ROWS};
use super::rows::row::{Row, columns, row};
use super::rows::writer::RowWriter;
use super::signals::stop_flag;
use super::whole::{Whole, WholeArgs};

/// Writes positions of tables that are chosen at random
///
/// Positions are those that `stats` counts: one of each class up to symmetry and the exchange of like pieces, with either
/// side to move. Every set of K of them that have the outcomes and plies is equally likely. They are chosen by their numbers
/// and none is there twice; if there are fewer, all are written. The order is that of the tables.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen sample KRPvKR --count 1000 --outcome win\n  tbgen sample --all 4 --count 100000 --metric dtm --ply 20..40 --seed 7 -o hard.csv"
)]
pub struct Args {
    #[command(flatten)]
    tables: WholeArgs,
    /// How many positions
    #[arg(long, value_name = "K")]
    count: u64,
    /// Only positions with these outcomes for the side to move
    #[arg(long, value_enum, value_name = "OUTCOMES", value_delimiter = ',')]
    outcome: Vec<OutcomeArg>,
    /// Only positions that are won or lost in A to B plies, both included; A.. and ..B leave an end open
    #[arg(long, value_name = "A..B", value_parser = parse_plies)]
    ply: Option<RangeInclusive<u16>>,
    /// The metric: dtz heeds the fifty-move rule, dtm does not
    #[arg(long, value_parser = metric_parser(2), default_value = "dtz")]
    metric: Metric,
    /// The same number gives the same positions
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// The format; by the file's name, or else epd
    #[arg(long, value_parser = Format::parser(Format::ROWS))]
    format: Option<Format>,
    #[command(flatten)]
    output: OutputArgs,
}

/// In the order of [`Outcome::ALL`], from the last to the first.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OutcomeArg {
    Win,
    CursedWin,
    Draw,
    BlessedLoss,
    Loss,
}

/// The bytes of a position in the sample, with its number and while it is copied.
const BYTES_PER_POSITION: u64 = 512;

fn parse_plies(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str, open: u16| match text {
        "" => Some(open),
        text => text.parse().ok(),
    };
    match (number(from, 0), number(to, Value::MOST_PLIES)) {
        (Some(from), Some(to)) if from <= to && !text.is_empty() => Ok(from..=to),
        _ => Err("expected plies such as 20..40, 20.., ..40 or 20".to_owned()),
    }
}

impl Args {
    /// Whether positions with a value are wanted.
    fn wants(&self, value: Value) -> bool {
        let mut outcomes = (self.outcome.iter()).map(|&outcome| Outcome::ALL[4 - outcome as usize]);
        let plies = self.ply.as_ref();
        (self.outcome.is_empty() || outcomes.any(|outcome| outcome == value.outcome))
            && plies
                .is_none_or(|plies| value.outcome != Outcome::Draw && plies.contains(&value.plies))
    }
}

/// Runs the command, with tables of Parquet or without.
///
/// # Errors
/// If a table can't be read or solved, the call is wrong, or the sample can't be written.
pub fn run(args: &Args, parquet: Option<Create>) -> Result<()> {
    let format = Format::of(args.format, &args.output.output, Format::ROWS);
    let tables = args.tables.tables(args.metric, false)?;
    let pool = args.tables.machine.pool()?;
    pool.install(|| {
        let from_files = tables.are_files()?;
        let asked = |shape: &Shape| match from_files {
            true => stats_memory(shape),
            false => asked_memory(shape, tables.metric, false, false),
        };
        // There are no more positions than slots of both sides.
        let slots = tables.wanted.iter().map(|shape| 2 * shape.slots()).sum();
        let most = args.count.min(slots);
        tables.check_memory("sample", most * BYTES_PER_POSITION, asked)?;
        let columns = columns(tables.metric);
        let mut rows = RowWriter::new(format, &columns, parquet, args.output.open()?)?;
        let sample = sample(args, &tables)?;
        let (all, sample) = (sample.seen(), sample.into_kept());
        for hits in sample.chunks(MOST_ROWS) {
            rows.write(&mut hits.iter().map(|hit| row_of(hit, tables.metric)))?;
        }
        rows.finish()?;
        note!("{} of {all} positions", sample.len());
        Ok(())
    })
}

/// The row of a position, with the name of its table.
fn row_of(hit: &Hit, metric: Metric) -> Row {
    let material = hit.position.material().map(|found| table_of(&found).0);
    let material = material.map_or(String::new(), |table| table.to_string());
    row(hit.position.to_string(), material, metric, hit.value)
}

fn sample(args: &Args, tables: &Whole<'_>) -> Result<Reservoir<Hit>> {
    let mut sample = Reservoir::new(args.count, args.seed);
    let backend = args.tables.machine.backend();
    tables.each(|table, _| {
        let members = Members::new(table, |value| args.wants(value), backend, stop_flag())?;
        let chosen = sample.choose(members.count());
        sample.extend(members.select(&chosen)?);
        Ok(())
    })?;
    Ok(sample)
}
