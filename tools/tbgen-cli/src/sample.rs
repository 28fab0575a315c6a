//! `tbgen sample`: positions of tables, chosen at random.

use std::ops::RangeInclusive;

use ::csv::ByteRecord;
use anyhow::Result;
use tbgen::{Hit, Members, Metric, Outcome, Reservoir, Shape, Value, table_of};

use tbindex::Rights;

use super::label::csv::{Column, Csv, DTM, DTZ, WDL};
use super::label::epd::Epd;
use super::label::item::{Format, Input, label_of};
use super::output::{Output, OutputArgs, format_of};
use super::parquet::{Create, MOST_ROWS, if_wanted};
use super::signals::stop_flag;
use super::whole::{Whole, WholeArgs};
use super::{metric_parser, refuse};

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
    /// What distances count: dtz heeds the fifty-move rule, dtm does not
    #[arg(long, value_parser = metric_parser(2), default_value = "dtz")]
    metric: Metric,
    /// The same number gives the same positions
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// What to write; by the file's name, or else epd
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
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

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatArg {
    /// A line for each position, with operations as `label` writes them
    Epd,
    /// A record for each position: its FEN, material, outcome and plies
    Csv,
    /// The same as a table of Parquet, by tbindex-parquet alone
    Parquet,
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
    let bytes = args.count.checked_mul(BYTES_PER_POSITION);
    let bytes = bytes.map_or_else(|| refuse("--count is too large"), Ok)?;
    let format = format_of(args.format, &args.output.output);
    let parquet = if_wanted(format == FormatArg::Parquet, parquet)?;
    let tables = args.tables.tables(args.metric, false)?;
    let pool = args.tables.machine.pool()?;
    pool.install(|| {
        let from_files = tables.are_files()?;
        let asked = |shape: &Shape| match from_files {
            true => shape.stats_memory(),
            false => shape.asked_memory(tables.metric, false, false),
        };
        tables.check_memory("sample", bytes, asked)?;
        let mut output = args.output.open()?;
        let sample = sample(args, &tables)?;
        let (all, sample) = (sample.seen(), sample.into_kept());
        match format {
            FormatArg::Epd => {
                let line = |fen: &str, _: &Hit| fen.strip_suffix(" 0 1").unwrap_or(fen).to_owned();
                write(&Epd::default(), &sample, tables.metric, line, &mut output)?;
            }
            FormatArg::Csv => {
                let mut head = Input::new("fen,material\n".as_bytes());
                let csv = Csv::new(&mut head, "fen", &columns(tables.metric), Rights::Keep)?;
                let record = |fen: &str, hit: &Hit| ByteRecord::from(vec![fen, &material(hit)]);
                write(&csv, &sample, tables.metric, record, &mut output)?;
            }
            FormatArg::Parquet => {
                if let Some(create) = parquet {
                    write_parquet(create, &sample, tables.metric, &mut output)?;
                }
            }
        }
        output.finish()?;
        note!("{} of {all} positions", sample.len());
        Ok(())
    })
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

/// Writes positions in a format of `label`.
fn write<F: Format>(
    format: &F,
    sample: &[Hit],
    metric: Metric,
    item: impl Fn(&str, &Hit) -> F::Item,
    output: &mut Output,
) -> Result<()> {
    let mut out = format.head();
    for hit in sample {
        let item = item(&hit.position.to_string(), hit);
        format.write(&item, Some(label_of(metric, hit.value)), &mut out);
        output.put(&out)?;
        out.clear();
    }
    output.put(&out)
}

fn columns(metric: Metric) -> [Column; 2] {
    match metric {
        Metric::Dtz => [WDL, DTZ],
        _ => [WDL, DTM],
    }
}

/// The name of the table that has a position.
fn material(hit: &Hit) -> String {
    let material = hit.position.material().map(|found| table_of(&found).0);
    material.map_or(String::new(), |table| table.to_string())
}

fn write_parquet(
    create: Create,
    sample: &[Hit],
    metric: Metric,
    output: &mut Output,
) -> Result<()> {
    let columns = columns(metric);
    let names = columns.map(|column| column.0);
    let mut table = create(output, &["fen", "material"], &names)?;
    for hits in sample.chunks(MOST_ROWS) {
        let fen = |row: usize| hits[row].position.to_string();
        let material = |row: usize| material(&hits[row]);
        let [wdl, distance] =
            columns.map(|(_, of)| move |row: usize| of(label_of(metric, hits[row].value)));
        table.write(hits.len(), &[&fen, &material], &[&wdl, &distance])?;
    }
    table.finish()
}
