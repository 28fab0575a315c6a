//! `tbgen mine`: counts and lists the positions of tables that a query has.

mod chains;
mod indices;

use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde_json::json;
use tbgen::{
    ByDistance, Chains, Hit, InTurn, Library, Listed, Metric, MineLog, MineMemory, MineOptions,
    Mined, MinedSide, Query, Shape, SolveError, Table, TableFile, mine, process_memory,
};
use tbindex::{Color, Material};

use super::help::{no_helpmates, numbered};
use super::output::OutputArgs;
use super::rows::format::Format;
use super::rows::parquet::{Create, if_there};
use super::rows::row::{columns, row};
use super::rows::writer::RowWriter;
use super::signals::stop_flag;
use super::whole::{Whole, WholeArgs};
use super::{OUTCOMES, metric_parser, refuse};

/// Counts and lists the positions of tables that a query has
///
/// A query combines named sets of positions by and, or, not and brackets: win, draw, loss (of the side to move, with the
/// fifty-move rule if distances count to zeroing), cursed, blessed, zugzwang (mutual; also full zugzwang, half zugzwang),
/// only-move, only-underpromotion, only-king-move, only-en-passant (if a certain pawn has just made two steps),
/// capture-loses, mate, stalemate, check, dead, white to move, black to move, distances such as dtm = 37 or dtz > 100 in
/// plies, black helpmate = 4 (Black is mated in so many plies), black unique-helpmate (with one solution), and pieces on
/// squares such as white king on a1-d4,h8: a position counts if one of its images has the whole query. Positions count up
/// to symmetry and the exchange of like pieces. Tables of six pieces are searched in files, slice by slice in the memory
/// that there is.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen mine KQPvKQ --find zugzwang\n  tbgen mine --all 4 --find 'only-move and win' --metric dtm\n  tbgen mine KRPvKR --find 'half zugzwang and loss' --format epd --longest --limit 10\n  tbgen mine KQvKN --find 'black to move and black helpmate = 4 and black unique-helpmate' --format epd"
)]
pub struct Args {
    #[command(flatten)]
    tables: WholeArgs,
    /// The query
    #[arg(long, value_name = "QUERY")]
    find: String,
    /// The metric: dtz heeds the fifty-move rule, dtm does not. By default as in the query, or else dtz
    #[arg(long, value_parser = metric_parser(2))]
    metric: Option<Metric>,
    /// The output
    #[arg(long, value_parser = Format::parser("counts,json,epd,csv,jsonl,parquet,tbi"), default_value = "counts")]
    format: Format,
    #[command(flatten)]
    output: OutputArgs,
    /// List the longest distances first
    #[arg(long)]
    longest: bool,
    /// List so many positions of a table at most
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// List all positions that are the same up to symmetry, and not one of each class
    #[arg(long)]
    images: bool,
    /// Say in which of the positions that are won the longest chain of only moves begins: one move wins, and after each reply
    /// that resists longest again
    #[arg(long, conflicts_with_all = ["images", "limit", "longest"])]
    chain: bool,
    /// A file for what is found, slice by slice: an interrupted search goes on from it. It is removed in the end
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

/// The positions whose moves are looked at together.
const AT_ONCE: usize = 1 << 14;

struct Search<'a> {
    args: &'a Args,
    query: Query,
    tables: &'a Whole<'a>,
    /// The memory that the search of a table may take.
    memory: Option<u64>,
    /// The findings, if an interrupted search is to go on.
    log: Option<MineLog>,
    /// Whether the tables are read from files.
    from_files: bool,
}

impl Args {
    /// Whether positions are wanted, and not only their numbers.
    fn list(&self) -> bool {
        self.chain || !matches!(self.format, Format::Counts | Format::Json)
    }
}

fn side_text(side: &MinedSide) -> String {
    let outcomes = OUTCOMES.iter().zip(side.outcomes);
    let outcomes = outcomes.filter(|(_, count)| *count > 0);
    let outcomes = outcomes.map(|(name, count)| format!("{count} {name}"));
    let outcomes: Vec<String> = outcomes.collect();
    match outcomes[..] {
        [] => "0".to_owned(),
        _ => format!("{} ({})", side.positions, outcomes.join(", ")),
    }
}

fn counts_text(name: &str, mined: &Mined) -> String {
    let [white, black] = mined.sides.map(|side| side_text(&side));
    let placements = mined.placements;
    format!("{name}: {placements} placements; white to move: {white}; black to move: {black}\n")
}

fn counts_json(name: &str, metric: Metric, mined: &Mined) -> serde_json::Value {
    let [white, black] = mined.sides.map(|side| {
        let mut json = json!({ "positions": side.positions, "ordered": side.ordered });
        for (name, count) in OUTCOMES.iter().zip(side.outcomes) {
            json[name.replace(' ', "_")] = count.into();
        }
        json
    });
    json!({
        "material": name,
        "metric": metric.name(),
        "placements": mined.placements,
        "white": white,
        "black": black,
    })
}

impl Search<'_> {
    /// How a table is searched. At the same time there are as many slices as fit into the memory, and few where an interrupted
    /// search goes on, or where sets are large.
    fn how(&self, shape: &Shape) -> MineMemory {
        let args = self.args;
        let most = match (shape.material().piece_count(), &args.resume) {
            (6.., _) if self.memory.is_none() => 4,
            (6.., _) | (_, Some(_)) => 64,
            // The search ends when enough is found.
            _ if self.from_files && args.limit.is_some() && !args.longest => 64,
            _ => usize::MAX,
        };
        let how = MineMemory {
            from_files: self.from_files,
            list: args.list(),
            slices_at_once: most.min(shape.slices()),
        };
        let memory = self.memory.unwrap_or(u64::MAX);
        (self.query).within(shape, self.tables.metric, how, memory)
    }

    /// The helpmates in the folders of a table's material, in which White and in which Black is checkmated.
    fn helpmates(&self, material: Material) -> Result<[Table; 2]> {
        let folders = &self.args.tables.tables;
        let table = |victim| {
            let metric = Metric::help(victim);
            let mut paths = Vec::new();
            for folder in folders {
                let [path, _] = Table::files(folder, material, metric)?;
                paths.extend(path);
            }
            let why = || no_helpmates(material, folders) + "; packed ones are not searched";
            let path = paths.first().with_context(why)?;
            let file = TableFile::open_as(path, material.into(), metric)?;
            Ok::<Table, anyhow::Error>(file.as_it_is())
        };
        Ok([table(Color::White)?, table(Color::Black)?])
    }

    /// Counts what a table has, and hands over the positions that are to be listed, in their order, some at a time. There are no
    /// counts where as many as are wanted end the search.
    fn hits(
        &mut self,
        table: &Table,
        library: &Library,
        mut each: impl FnMut(&[Hit]) -> Result<(), SolveError>,
    ) -> Result<Mined, SolveError> {
        let args = self.args;
        let in_files = self.query.asks_for_helpmates() && !self.tables.helpmates;
        let in_files = in_files.then(|| self.helpmates(table.material()));
        let in_files = in_files.transpose().map_err(io::Error::other)?;
        let solved = Color::ALL.map(|victim| library.of(&table.material(), Some(victim)));
        let options = MineOptions {
            list: args.list(),
            helpmates: match (&in_files, solved) {
                (Some(both), _) => Some(both.each_ref()),
                (None, [white, black]) => white.zip(black).map(<[&Table; 2]>::from),
            },
            slices_at_once: self.how(table.shape()).slices_at_once,
            log: self.log.as_ref(),
            ..MineOptions::new(args.tables.machine.backend(), stop_flag())
        };
        let most = args.limit.unwrap_or(u64::MAX);
        let (mut left, mut some) = (most, Vec::new());
        let mut add = |hit: Hit| {
            let all = if args.images { hit.images() } else { vec![hit] };
            let all = &all[..all.len().min(left.try_into().unwrap_or(usize::MAX))];
            some.extend_from_slice(all);
            left -= all.len() as u64;
            if some.len() >= AT_ONCE {
                each(&some)?;
                some.clear();
            }
            match left {
                0 => Err(SolveError::Interrupted),
                _ => Ok(()),
            }
        };
        let sorted = || ByDistance::new(&std::env::temp_dir(), most);
        let mut sorted = args.longest.then(sorted).transpose()?;
        let take = |hit| match &mut sorted {
            Some(sorted) => Ok(sorted.push(&hit)?),
            None => add(hit),
        };
        let found = mine(table, library, &self.query, options, take);
        let found = found.and_then(|mined| match sorted {
            Some(sorted) => sorted.each(&mut add).map(|()| mined),
            None => Ok(mined),
        });
        let mined = match found {
            Err(SolveError::Interrupted) if left == 0 => Mined::default(),
            found => found?,
        };
        each(&some)?;
        Ok(mined)
    }

    fn write_counts(&mut self) -> Result<()> {
        let (args, tables) = (self.args, self.tables);
        let (mut out, mut all) = (args.output.open()?, Mined::default());
        tables.each(|table, library| {
            if args.chain {
                return Ok(out.write_all(self.chains(table, library)?.as_bytes())?);
            }
            let name = table.material().to_string();
            let mined = self.hits(table, library, |_| Ok(()))?;
            all.add(&mined);
            let line = match args.format {
                Format::Json => format!("{}\n", counts_json(&name, table.metric(), &mined)),
                _ => counts_text(&name, &mined),
            };
            Ok(out.write_all(line.as_bytes())?)
        })?;
        let tables = tables.wanted.len();
        if tables > 1 && args.format == Format::Counts && !args.chain {
            out.write_all(counts_text(&format!("all {tables}"), &all).as_bytes())?;
        }
        out.finish()
    }

    /// Writes the positions that are to be listed, with their best moves.
    fn write_rows(&mut self, parquet: Option<Create>) -> Result<()> {
        let (tables, en_passant) = (self.tables, self.query.asks_for_en_passant());
        let metric = tables.metric;
        let columns = [&columns(metric)[..], &["best"]].concat();
        let output = self.args.output.open()?;
        let mut rows = RowWriter::new(self.args.format, &columns, parquet, output)?;
        tables.each(|table, library| {
            let material = table.material().to_string();
            self.hits(table, library, |some| {
                let list = |hit: &Hit| Listed::all(hit, table, library, en_passant);
                let listed: Result<Vec<_>, _> = some.par_iter().map(list).collect();
                let listed = listed.map_err(io::Error::other)?.into_iter().flatten();
                let mut listed = listed.map(|listed| {
                    let (fen, material) = (listed.position.fen(), material.clone());
                    let mut row = row(fen, material, metric, listed.value);
                    row["best"] = listed.best.into();
                    row
                });
                Ok(rows.write(&mut listed)?)
            })?;
            Ok(())
        })?;
        rows.finish()
    }
}

/// Runs the command, with tables of Parquet or without.
///
/// # Errors
/// If a table can't be read or solved, the call is wrong, or the results can't be written.
pub fn run(args: &Args, parquet: Option<Create>) -> Result<()> {
    let query = Query::from_str(&args.find).or_else(|error| refuse(error.to_string()))?;
    let metric = match (args.metric, query.metric()) {
        (Some(metric), Some(other)) if metric != other => {
            let other = other.name();
            return refuse(format!(
                "the query has distances by {other}: expected the same --metric"
            ));
        }
        (metric, of_query) => metric.or(of_query).unwrap_or_default(),
    };
    let lists = args.format.is_of_rows();
    if args.chain && (lists || args.format == Format::Tbi) {
        return refuse("--chain says one position of each table: expected --format counts or json");
    }
    let with_others = query.asks_for_moves() || lists || args.chain;
    let mut tables = args.tables.tables(metric, with_others)?;
    tables.helpmates = query.asks_for_helpmates() && args.tables.tables.is_empty();
    if tables.wanted.len() > 1 {
        match (args.format, &args.resume) {
            (Format::Tbi, _) => return refuse("a file of indices has those of one material"),
            (_, Some(_)) => return refuse("--resume takes one material"),
            _ => {}
        }
    }
    if args.images && !lists {
        return refuse("--images lists positions: expected --format epd, csv, jsonl or parquet");
    }
    if args.format == Format::Parquet {
        if_there(parquet)?;
    }
    let pool = args.tables.machine.pool()?;
    pool.install(|| search(args, query, &tables, parquet))
}

/// The memory in which indices are sorted.
const REDUCTION: u64 = 256 << 20;

fn search(args: &Args, query: Query, tables: &Whole<'_>, parquet: Option<Create>) -> Result<()> {
    let mut beside = match tables.helpmates {
        true => InTurn::in_memory(&tables.all, Metric::HelpWhite.of_smaller()).memory(),
        false => 0,
    };
    if args.format == Format::Tbi {
        beside += REDUCTION;
    }
    let (memory, metric) = (args.tables.memory, tables.metric);
    let mut search = Search {
        args,
        tables,
        from_files: tables.are_files()?,
        memory: memory.map(|memory| memory.saturating_sub(process_memory() + beside)),
        log: None,
        query,
    };
    let asked = |shape: &Shape| {
        let chains = if args.chain { Chains::memory(shape) } else { 0 };
        search.query.memory(shape, metric, search.how(shape)) + chains
    };
    tables.check_memory("mine", beside, asked)?;
    if let (Some(path), [shape]) = (&args.resume, &tables.wanted[..]) {
        let (material, list) = (shape.material(), args.list());
        let log = MineLog::open(path, material, metric, &args.find, list)?;
        search.log = Some(log);
    }
    match args.format {
        Format::Tbi => indices::write(&mut search)?,
        Format::Counts | Format::Json => search.write_counts()?,
        _ => search.write_rows(parquet)?,
    }
    let Some(path) = &args.resume else {
        return Ok(());
    };
    tbindex::fail_point!("tbgen::search_written");
    std::fs::remove_file(path).with_context(|| format!("can't remove {}", path.display()))
}
