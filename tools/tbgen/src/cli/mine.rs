//! `tbgen mine`: counts and lists the positions of tables that a query has.

mod files;

use std::cmp::Reverse;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::json;
use tbgen::{
    HelpTables, Hit, Library, Listed, Metric, MineOptions, Mined, MinedSide, Outcome, Query, Shape,
    SolveError, Table, Value, mine,
};
use tbindex::Color;

use super::help::no_helpmates;
use super::output::OutputArgs;
use super::signals::stop_flag;
use super::whole::{Whole, WholeArgs};
use super::{MetricArg, UsageError};

/// Counts and lists the positions of tables that a query has
///
/// A query combines named sets of positions by and, or, not and brackets: win, draw, loss (of the side to move, with the
/// fifty-move rule if distances count to zeroing), cursed, blessed, zugzwang (mutual; also full zugzwang, half zugzwang),
/// only-move, only-underpromotion, only-king-move, only-en-passant (if a certain pawn has just made two steps),
/// capture-loses, mate, stalemate, check, dead, white to move, black to move, distances such as dtm = 37 or dtz > 100 in
/// plies, and pieces on squares such as white king on a1-d4, mirror images included. Positions count up to symmetry and the
/// exchange of like pieces. Tables have 3 to 5 pieces.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen mine KQPvKQ --find zugzwang\n  tbgen mine --all 4 --find 'only-move and win' --metric dtm\n  tbgen mine KRPvKR --find 'half zugzwang and loss' --format epd --longest --limit 10"
)]
pub(crate) struct Args {
    #[command(flatten)]
    tables: WholeArgs,
    /// The query
    #[arg(long, value_name = "QUERY")]
    find: String,
    /// What distances count: dtz heeds the fifty-move rule, dtm does not. By default as in the query, or else dtz
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArgs,
    /// List the longest distances first
    #[arg(long)]
    longest: bool,
    /// List so many positions of a table at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The numbers of positions of each table
    #[default]
    Counts,
    /// The same, with a line of JSON for each table
    Json,
    /// A line for each position: bm has the best moves, dm the moves to mate, c0 the value
    Epd,
    /// A record for each position: its FEN, material, outcome, plies and best moves
    Csv,
    /// The same as a table of Parquet, in programs that have it
    Parquet,
    /// The placements of one material as a file of indices, which tbindex reads
    Tbi,
}

/// A query that is put to tables.
struct Search<'a> {
    args: &'a Args,
    query: Query,
    /// Those of the tables so far, if the query asks for dead positions.
    helpmates: Option<HelpTables>,
    /// The tables whose helpmates are still to be solved, each after those that it needs.
    to_come: &'a [Shape],
}

/// The outcomes in the order of [`MinedSide::outcomes`].
const OUTCOMES: [(&str, Outcome); 5] = [
    ("wins", Outcome::Win),
    ("cursed wins", Outcome::CursedWin),
    ("draws", Outcome::Draw),
    ("blessed losses", Outcome::BlessedLoss),
    ("losses", Outcome::Loss),
];

fn side_text(side: &MinedSide) -> String {
    let outcomes = OUTCOMES.iter().zip(side.outcomes);
    let outcomes = outcomes.filter(|(_, count)| *count > 0);
    let outcomes: Vec<String> = outcomes
        .map(|((name, _), count)| format!("{count} {name}"))
        .collect();
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
    let side = |color: Color| {
        let side = mined.sides[color as usize];
        let mut json = json!({ "positions": side.positions, "ordered": side.ordered });
        for ((name, _), count) in OUTCOMES.iter().zip(side.outcomes) {
            json[name.replace(' ', "_")] = count.into();
        }
        json
    };
    json!({
        "material": name,
        "metric": metric.name(),
        "placements": mined.placements,
        "white": side(Color::White),
        "black": side(Color::Black),
    })
}

impl Search<'_> {
    /// Has the helpmates of a table ready, if the query asks for dead positions.
    fn need_helpmates(&mut self, shape: &Shape) -> Result<(), SolveError> {
        let Some(helpmates) = &mut self.helpmates else {
            return Ok(());
        };
        if let Some(folder) = self.args.tables.folder() {
            let material = shape.material();
            let there = helpmates.open(folder, material);
            return match there.map_err(io::Error::other)? {
                true => Ok(()),
                false => Err(SolveError::from(io::Error::other(no_helpmates(
                    material, folder,
                )))),
            };
        }
        while let Some((next, to_come)) = self.to_come.split_first() {
            self.to_come = to_come;
            helpmates.solve(next, self.args.tables.machine.backend())?;
            if next.material() == shape.material() {
                break;
            }
            helpmates.put_aside(&next.material(), to_come)?;
        }
        Ok(())
    }

    /// What is counted in a table, and the positions that are to be listed.
    fn hits(&mut self, table: &Table, library: &Library) -> Result<(Mined, Vec<Hit>), SolveError> {
        self.need_helpmates(table.shape())?;
        let args = self.args;
        let options = MineOptions {
            list: !matches!(args.format, Format::Counts | Format::Json),
            helpmates: self.helpmates.as_ref(),
            backend: args.tables.machine.backend(),
            stop: stop_flag(),
        };
        let most = args.limit.unwrap_or(usize::MAX);
        let mut hits: Vec<Hit> = Vec::new();
        let shorten = |hits: &mut Vec<Hit>| {
            if args.longest {
                hits.sort_by_key(|hit| Reverse(hit.value.plies));
            }
            hits.truncate(most);
        };
        let mined = mine(table, library, &self.query, options, |hit| {
            hits.push(hit);
            if hits.len() / 2 > most {
                shorten(&mut hits);
            }
        })?;
        shorten(&mut hits);
        if let Some(helpmates) = &mut self.helpmates {
            helpmates.put_aside(&table.material(), self.to_come)?;
        }
        Ok((mined, hits))
    }

    /// The positions that are to be listed, with their best moves.
    fn listed(&mut self, table: &Table, library: &Library) -> Result<Vec<Listed>, SolveError> {
        let mut all = Vec::new();
        for hit in self.hits(table, library)?.1 {
            let listed = table.list(library, &hit, self.query.asks_for_en_passant());
            all.extend(listed.map_err(io::Error::other)?);
        }
        Ok(all)
    }

    /// The lines of a table, whose counts are added to those of all.
    fn lines(
        &mut self,
        table: &Table,
        library: &Library,
        all: &mut Mined,
    ) -> Result<String, SolveError> {
        let (format, name) = (self.args.format, table.material().to_string());
        if matches!(format, Format::Epd | Format::Csv) {
            let listed = self.listed(table, library)?;
            let line = |listed| line(format, &name, table.metric(), listed);
            return Ok(listed.iter().map(line).collect());
        }
        let (mined, _) = self.hits(table, library)?;
        all.add(&mined);
        Ok(match format {
            Format::Json => format!("{}\n", counts_json(&name, table.metric(), &mined)),
            _ => counts_text(&name, &mined),
        })
    }
}

/// A line of a list.
fn line(format: Format, name: &str, metric: Metric, listed: &Listed) -> String {
    let Value { outcome, plies } = listed.value;
    let (fen, best) = (listed.position.fen(), listed.best.join(" "));
    if format == Format::Csv {
        let outcome = outcome as i8;
        return format!("{fen},{name},{outcome},{plies},{best}\n");
    }
    let four: Vec<&str> = fen.split_whitespace().take(4).collect();
    let mut line = four.join(" ");
    if !best.is_empty() {
        line += &format!(" bm {best};");
    }
    if metric == Metric::Dtm && outcome != Outcome::Draw {
        let moves = (i32::from(plies) + 1) / 2;
        line += &format!(
            " dm {};",
            if outcome > Outcome::Draw {
                moves
            } else {
                -moves
            }
        );
    }
    format!("{line} c0 \"{}\";\n", listed.value)
}
pub(crate) fn run(args: &Args) -> Result<()> {
    let query: Query = args.find.parse().map_err(|error| {
        let error: tbgen::QueryError = error;
        UsageError(error.to_string())
    })?;
    let metric = match (args.metric.map(Metric::from), query.metric()) {
        (Some(metric), Some(other)) if metric != other => {
            let message = format!(
                "the query has distances by {}: expected the same --metric",
                other.name()
            );
            return Err(UsageError(message).into());
        }
        (metric, of_query) => metric.or(of_query).unwrap_or_default(),
    };
    let tables = args.tables.tables(metric, true)?;
    let mut shapes = tables.wanted.iter();
    if let Some(shape) = shapes.find(|shape| shape.material().piece_count() > 5) {
        let material = shape.material();
        let message =
            format!("{material} has too many pieces: sets of a query are in memory for 3 to 5");
        return Err(UsageError(message).into());
    }
    if args.format == Format::Tbi && tables.wanted.len() > 1 {
        let message = "a file of indices has those of one material".to_owned();
        return Err(UsageError(message).into());
    }
    let pool = args.tables.machine.pool()?;
    pool.install(|| search(args, query, &tables))
}

fn search(args: &Args, query: Query, tables: &Whole<'_>) -> Result<()> {
    let helpmates = match query.asks_for_dead() && args.tables.folder().is_none() {
        true => HelpTables::memory_of_each(&tables.all),
        false => 0,
    };
    let asked = |shape: &Shape| query.memory(shape, tables.metric);
    tables.check_memory("mine", helpmates, asked)?;
    let mut search = Search {
        args,
        helpmates: query.asks_for_dead().then(HelpTables::default),
        to_come: &tables.all,
        query,
    };
    match args.format {
        Format::Tbi => return files::write_indices(args, &mut search, tables),
        Format::Parquet => return files::write_parquet(args, &mut search, tables),
        _ => {}
    }
    let (mut out, mut all) = (args.output.open()?, Mined::default());
    if args.format == Format::Csv {
        out.put(b"fen,material,outcome,plies,best\n")?;
    }
    tables.each(|table, library| {
        let lines = search.lines(table, library, &mut all)?;
        Ok(out.write_all(lines.as_bytes())?)
    })?;
    let tables = tables.wanted.len();
    if tables > 1 && args.format == Format::Counts {
        out.put(counts_text(&format!("all {tables}"), &all).as_bytes())?;
    }
    out.finish()
}
