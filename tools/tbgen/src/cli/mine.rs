//! `tbgen mine`: counts and lists the positions of tables that a query has.

use std::cmp::Reverse;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::json;
use tbgen::{
    HelpTables, Hit, Library, Listed, Metric, MineOptions, Mined, MinedSide, Outcome, Query, Shape,
    SolveError, Table, Value, mine,
};
use tbindex::Color;

use super::output::{Output, OutputArgs};
use super::signals::stop_flag;
use super::whole::{Whole, WholeArgs};
use super::{MetricArg, UsageError};

/// Counts and lists the positions of tables that a query has
///
/// A query combines named sets of positions by and, or, not and brackets: win, draw, loss (of the side to move, with the
/// fifty-move rule if distances count to zeroing), cursed, blessed, zugzwang (mutual; also full zugzwang, half zugzwang),
/// only-move, only-underpromotion, only-king-move, capture-loses, mate, stalemate, check, dead, white to move, black to move,
/// only-en-passant (if a certain pawn has just made two steps), distances such as dtm = 37 or dtz > 100 in plies, and pieces on squares such as white king on a1-d4, mirror images
/// included. Positions count up to symmetry and the exchange of like pieces. Tables have 3 to 5 pieces.
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
}

impl Format {
    fn lists(self) -> bool {
        matches!(self, Format::Epd | Format::Csv)
    }
}

/// A run.
struct Run<'a> {
    args: &'a Args,
    query: Query,
    /// Those of the tables so far, if the query asks for dead positions.
    helpmates: Option<HelpTables>,
    metric: Metric,
    out: Output,
    all: Mined,
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

impl Run<'_> {
    /// Has the helpmates of a table ready, if the query asks for dead positions.
    fn need_helpmates(&mut self, shape: &Shape) -> Result<(), SolveError> {
        let Some(helpmates) = &mut self.helpmates else {
            return Ok(());
        };
        if let Some(folder) = self.args.tables.folder() {
            let there = helpmates.open(folder, shape.material());
            return match there.map_err(io::Error::other)? {
                true => Ok(()),
                false => Err(SolveError::Missing(shape.material())),
            };
        }
        for endgame in shape.endgame().needed() {
            if helpmates.libraries()[0].get(&endgame.material).is_none() {
                let shape = Shape::of_endgame(endgame)?;
                helpmates.solve(&shape, self.args.tables.machine.backend())?;
            }
        }
        Ok(())
    }

    /// Puts the query to a table.
    fn table(&mut self, table: &Table, library: &Library) -> Result<(), SolveError> {
        self.need_helpmates(table.shape())?;
        let args = self.args;
        let options = MineOptions {
            list: args.format.lists(),
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
        self.all.add(&mined);
        let name = table.material().to_string();
        let text = match args.format {
            Format::Counts => counts_text(&name, &mined),
            Format::Json => format!("{}\n", counts_json(&name, self.metric, &mined)),
            Format::Epd | Format::Csv => {
                let mut text = String::new();
                let en_passant = self.query.asks_for_en_passant();
                for hit in &hits {
                    let listed = table.list(library, hit, en_passant);
                    for listed in listed.map_err(io::Error::other)? {
                        text += &self.line(&name, &listed);
                    }
                }
                text
            }
        };
        Ok(self.out.write_all(text.as_bytes())?)
    }

    fn line(&self, name: &str, listed: &Listed) -> String {
        let Value { outcome, plies } = listed.value;
        let (fen, best) = (listed.position.fen(), listed.best.join(" "));
        if self.args.format == Format::Csv {
            let outcome = outcome as i8;
            return format!("{fen},{name},{outcome},{plies},{best}\n");
        }
        let four: Vec<&str> = fen.split_whitespace().take(4).collect();
        let mut line = four.join(" ");
        if !best.is_empty() {
            line += &format!(" bm {best};");
        }
        if self.metric == Metric::Dtm && outcome != Outcome::Draw {
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
    let pool = args.tables.machine.pool()?;
    pool.install(|| search(args, query, &tables))
}

fn search(args: &Args, query: Query, tables: &Whole<'_>) -> Result<()> {
    let helpmates = match query.asks_for_dead() && args.tables.folder().is_none() {
        true => HelpTables::memory(&tables.all),
        false => 0,
    };
    let asked = |shape: &Shape| query.memory(shape, tables.metric);
    tables.check_memory("mine", helpmates, asked)?;
    let mut run = Run {
        args,
        helpmates: query.asks_for_dead().then(HelpTables::default),
        query,
        metric: tables.metric,
        out: args.output.open()?,
        all: Mined::default(),
    };
    if args.format == Format::Csv {
        run.out.put(b"fen,material,outcome,plies,best\n")?;
    }
    tables.each(|table, library| run.table(table, library))?;
    let tables = tables.wanted.len();
    if tables > 1 && args.format == Format::Counts {
        let text = counts_text(&format!("all {tables}"), &run.all);
        run.out.put(text.as_bytes())?;
    }
    run.out.finish()
}
