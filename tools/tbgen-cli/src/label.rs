//! `tbgen label`: adds what tables say to streams of positions.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use rayon::prelude::*;
use tbgen::{
    BatchProber, Evaluation, Metric, Tables, TablesError, Wanted, at_least, mebibytes, parse_size,
    process_memory,
};
use tbindex::Rights;
use tbindex::batch::Backend;

use super::machine::ThreadsArgs;
use super::output::{Output, OutputArgs};
use super::refuse;
use super::rows::bullet::Bullet;
use super::rows::csv::Csv;
use super::rows::epd::Epd;
use super::rows::format::Format;
use super::rows::item::{Bad, Content, Given, Input, Stream, content, input_name};
use super::rows::jsonl::Jsonl;
use super::rows::parquet::if_there;
use super::rows::plain::Plain;
use super::rows::row::{Column, DTM, DTZ, WDL};
use super::signals::{check_stopped, stop_flag};
use super::tables::{open_tables, solver};

/// Adds outcomes and distances to a stream of positions, in its order
///
/// Lines of FEN or EPD get the operations wdl and dtz, and dm with distances to mate; CSV and Parquet get columns, and JSON lines
/// fields; in training data, Stockfish's .plain and records of bulletformat, the result is corrected. Outcomes are from -2 to 2 for the side to move and heed the fifty-move counter;
/// distances are in plies, negative for the loser, and don't. Positions without a table stay as they are.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen label positions.epd -o labelled.epd --tables syzygy --stats\n  zstdcat games.plain.zst | tbgen label --format plain --tables syzygy | zstd > corrected.plain.zst"
)]
pub struct Args {
    /// File of positions; - is standard input
    #[arg(value_name = "IN", default_value = "-")]
    pub input: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// Folder of tables, of Syzygy files, or of both, may be repeated; without it tables are solved, as far as the memory allows
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// Format of the positions; by the file's name, or else epd
    #[arg(long, value_parser = Format::parser(FORMATS))]
    format: Option<Format>,
    /// Values to add, in place of those of the same names; of a position without a table these stay
    #[arg(
        long,
        value_enum,
        value_name = "VALUES",
        value_delimiter = ',',
        default_value = "wdl,dtz"
    )]
    values: Vec<ValueArg>,
    /// Column of CSV or Parquet, or field of JSON lines, that has the FEN
    #[arg(long, value_name = "NAME", default_value = "fen")]
    pub column: String,
    /// How to treat lines that are no position: refuse them, or pass them through and say so. Lines of more than 64 KiB, and
    /// records of CSV with more or fewer fields than the head, are not passed through but left out
    #[arg(long, value_enum, default_value = "refuse")]
    bad: BadArg,
    /// The most memory to use, such as 1G, to solve what the files leave open: castling rights, outcomes that a counter leaves
    /// open, and missing tables. Without it, nothing is solved beside files
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "tables")]
    solve: Option<u64>,
    /// How to treat castling rights and en-passant squares: keep those that can be and drop the others; drop all; or refuse
    /// all
    #[arg(long, value_name = "WAY", default_value_t = Rights::Keep)]
    rights: Rights,
    /// Print how many labels there are, how many changed, and which tables are missing
    #[arg(long)]
    stats: bool,
    /// Memory to use, such as 1G, beside the files, which are mapped
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512M")]
    memory: u64,
    #[command(flatten)]
    threads: ThreadsArgs,
}

const FORMATS: &str = "epd,csv,jsonl,plain,bullet,parquet";

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ValueArg {
    Wdl,
    Dtz,
    /// Tables of tbgen have it, and Syzygy files do not
    Dtm,
    /// All of them in words, as the comment c0 of EPD, in place of one that is there
    C0,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum BadArg {
    Refuse,
    Pass,
}

/// The bytes of a line in memory, with its position, label and text.
const BYTES_PER_LINE: u64 = 320;

#[derive(Default)]
struct Counts {
    positions: u64,
    labelled: u64,
    changed: u64,
    beyond: u64,
    bad: u64,
}

/// A run of the command.
pub struct Run<'a> {
    /// The arguments.
    pub args: &'a Args,
    prober: BatchProber<Box<Tables>>,
    wanted: Wanted,
    counts: Counts,
}

impl Args {
    /// The tables in the folders, or if there are none, those that are solved in so much memory, with the distances that are
    /// wanted. With --solve, what the files leave open is solved.
    fn open(&self, memory: u64, wanted: Wanted) -> Result<Tables> {
        let solver = || solver(Backend::detect(), 1);
        Ok(match (&self.tables[..], self.solve) {
            ([], _) => {
                let tables = Tables::on_demand(memory, self.threads.pool()?, solver());
                match wanted.dtm {
                    true => tables,
                    false => tables.with_metric(Metric::Dtz),
                }
            }
            (folders, Some(memory)) => {
                open_tables(folders)?.and_on_demand(memory, self.threads.pool()?, solver())
            }
            (folders, None) => open_tables(folders)?,
        })
    }
}

impl Run<'_> {
    /// How many positions are in memory together, with so many bytes each beside its text and label.
    #[must_use]
    pub fn at_once(&self, bytes: u64) -> usize {
        (self.args.memory / 3 / (BYTES_PER_LINE + bytes)).max(1000) as usize
    }

    /// The labels of FENs, some of which may be missing. `name` tells which one it is.
    ///
    /// # Errors
    /// If one is refused, or a table can't be solved.
    pub fn labels_of_fens(
        &mut self,
        fens: &[Option<String>],
        name: impl Fn(usize) -> String,
    ) -> Result<Vec<Option<Evaluation>>> {
        let contents =
            (fens.par_iter()).map(|fen| Some(content(fen.as_deref()?, self.args.rights)));
        let contents: Vec<Option<Content>> = contents.collect();
        match self.labels_of(&contents, name)? {
            (labels, None) => Ok(labels),
            (_, Some(refused)) => Err(refused),
        }
    }

    fn all<S: Stream>(&mut self, format: S, input: &mut Input, output: &mut Output) -> Result<()> {
        let (most, rights) = (self.at_once(0), self.args.rights);
        let input_name = input_name(&self.args.input);
        loop {
            let mut items = Vec::with_capacity(most);
            while items.len() < most
                && let Some(item) = format
                    .read(input)
                    .with_context(|| format!("can't read {input_name}"))?
            {
                check_stopped()?;
                items.push(item);
            }
            if items.is_empty() {
                return Ok(());
            }
            let contents = items.par_iter().map(|(_, item)| {
                check_stopped()?;
                Ok(match item {
                    Ok(item) => format.content(item, rights),
                    Err(Bad { why, bytes }) if bytes.is_empty() => {
                        Some(Err(format!("{why}: --bad pass leaves it out")))
                    }
                    Err(Bad { why, .. }) => Some(Err(why.clone())),
                })
            });
            let contents = contents.collect::<Result<Vec<Option<Content>>>>()?;
            let name = |number: usize| format!("{input_name}: {} {}", S::NOUN, items[number].0);
            let (labels, refused) = self.labels_of(&contents, name)?;
            let parts = items[..labels.len()].par_chunks(4096);
            let written = parts.zip(labels.par_chunks(4096)).map(|(items, labels)| {
                let (mut out, mut changed) = (Vec::new(), 0);
                for ((_, item), &label) in items.iter().zip(labels) {
                    match item {
                        Ok(item) => changed += u64::from(format.write(item, label, &mut out)),
                        Err(Bad { bytes, .. }) => out.extend_from_slice(bytes),
                    }
                }
                (out, changed)
            });
            for (text, changed) in written.collect::<Vec<_>>() {
                output.write_all(&text)?;
                self.counts.changed += changed;
            }
            refused.map_or(Ok(()), Err)?;
        }
    }

    /// The labels of items; if one is refused, those of the items before it, and why. `name` tells which item it is.
    fn labels_of(
        &mut self,
        contents: &[Option<Content>],
        name: impl Fn(usize) -> String,
    ) -> Result<(Vec<Option<Evaluation>>, Option<anyhow::Error>)> {
        check_stopped()?;
        let (mut boards, mut counters, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let (mut castling, mut end, mut refused) = (Vec::new(), contents.len(), None);
        for (number, content) in contents.iter().enumerate() {
            let Some(content) = content else { continue };
            self.counts.positions += 1;
            match content {
                Ok(Some(Given::Packed(board, counter))) => {
                    boards.push(*board);
                    counters.push(*counter);
                    places.push(number);
                }
                Ok(Some(Given::Castling(position))) => castling.push((number, position)),
                Ok(None) => self.counts.beyond += 1,
                Err(error) => {
                    self.counts.bad += 1;
                    let error = anyhow!("{}: {error}", name(number));
                    if self.args.bad == BadArg::Refuse {
                        (end, refused) = (number, Some(error));
                        break;
                    }
                    note!("{error}");
                }
            }
        }
        let mut labels: Vec<Option<Evaluation>> = vec![None; end];
        let found = self.prober.labels(self.wanted, &boards, &counters);
        for (place, label) in places.into_iter().zip(found) {
            labels[place] = label.ok();
        }
        for (place, position) in castling {
            check_stopped()?;
            labels[place] = self.prober.label(self.wanted, position).ok();
        }
        check_stopped()?;
        let mut reasons = self.reasons().into_iter();
        if let Some((error, _)) = reasons.find(|(error, _)| matches!(error, TablesError::Solve(_)))
        {
            return Err(error.into());
        }
        self.counts.labelled += labels.iter().flatten().count() as u64;
        Ok((labels, refused))
    }

    /// Why positions have no labels, and how many they are: where tables can't be used, and then where they are missing.
    fn reasons(&self) -> Vec<(TablesError, u64)> {
        let mut reasons = self.prober.failures();
        reasons.sort_by_cached_key(|(error, _)| (error.is_missing(), error.to_string()));
        reasons
    }
}

fn print_stats(counts: &Counts, reasons: &[(TablesError, u64)]) {
    let (all, labelled, changed) = (counts.positions, counts.labelled, counts.changed);
    note!("{all} positions, {labelled} labelled, {changed} labels changed");
    if counts.beyond > 0 {
        note!("{} with more than seven pieces", counts.beyond);
    }
    if counts.bad > 0 {
        note!("{} that are not valid positions", counts.bad);
    }
    for (reason, count) in reasons {
        note!("{count} without a label, or a value of it: {reason}");
    }
}

/// Copies a table of Parquet, the input of the run, to a stream with columns of labels, which are replaced or come last. Where
/// a row has no label, the table's own values stay. Returns the number of rows whose labels were others, or fails if the
/// table can't be read or written, or a row is refused.
pub type LabelParquet = fn(&mut Run<'_>, &[Column], &mut (dyn Write + Send)) -> Result<u64>;

/// Runs the command, with tables of Parquet or without.
///
/// # Errors
/// If a position is refused, a table can't be read or solved, the call is wrong, or the results can't be written.
pub fn run(args: &Args, parquet: Option<LabelParquet>) -> Result<()> {
    let format = Format::of(args.format, &args.input, FORMATS);
    let wants = |value| args.values.contains(&value);
    let wanted = Wanted {
        outcome: true,
        // Words tell a checkmate from other losses.
        dtz: wants(ValueArg::Dtz) || wants(ValueArg::C0),
        dtm: wants(ValueArg::Dtm),
    };
    if wants(ValueArg::C0) && format != Format::Epd {
        return refuse("c0 is a comment of EPD: leave it out of --values");
    }
    let mut columns = vec![WDL];
    columns.extend(wants(ValueArg::Dtz).then_some(DTZ));
    columns.extend(wanted.dtm.then_some(DTM));
    let (fen, labels) = (args.column.as_str(), columns.as_slice());
    if labels.iter().any(|(label, _)| *label == fen) {
        return refuse(format!("--column {fen}: a label has this name"));
    }
    let (pool, memory) = (args.threads.pool()?, args.memory / 3 * 2);
    // A third is left for lines.
    let least = BatchProber::<Box<Tables>>::LEAST_MEMORY as u64 / 2 * 3;
    let least = least + pool.install(process_memory);
    if args.memory < least {
        return refuse(format!(
            "label needs at least {} of memory: --memory allows {}",
            at_least(least),
            mebibytes(args.memory)
        ));
    }
    let mut run = Run {
        args,
        prober: BatchProber::new(Box::new(args.open(memory, wanted)?), memory as usize),
        wanted,
        counts: Counts::default(),
    };
    let mut output = args.output.open()?;
    let out = &mut output;
    // Between parts of the stream, signals are looked for.
    let _ = stop_flag();
    let comment = wants(ValueArg::C0);
    let open = || Input::open(&args.input);
    let result = pool.install(|| match format {
        Format::Epd => run.all(Epd { labels, comment }, &mut open()?, out),
        Format::Csv => {
            let mut input = open()?;
            let csv = Csv::new(&mut input, fen, labels, out);
            let csv = csv.with_context(|| input_name(&args.input))?;
            csv.map_or(Ok(()), |csv| run.all(csv, &mut input, out))
        }
        Format::Jsonl => run.all(Jsonl { fen, labels }, &mut open()?, out),
        Format::Plain => run.all(Plain, &mut open()?, out),
        Format::Bullet => run.all(Bullet, &mut open()?, out),
        _ => {
            run.counts.changed = if_there(parquet)?(&mut run, labels, out)?;
            Ok(())
        }
    });
    let mut reasons = run.reasons();
    if args.stats {
        print_stats(&run.counts, &reasons);
    }
    result?;
    output.finish()?;
    reasons.retain(|(error, _)| !error.is_missing());
    if let Some((reason, _)) = reasons.first() {
        let count: u64 = reasons.iter().map(|(_, count)| count).sum();
        bail!("{count} positions lack a label or a value: {reason}; --stats says all reasons");
    }
    if run.counts.positions > 0 && run.counts.labelled == 0 {
        bail!("no position has a label: --stats says why");
    }
    Ok(())
}
