//! `tbgen mine`: counts and lists the positions of tables that a query has.

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;
use tbgen::{
    Endgame, Hit, Library, Metric, MineOptions, Mined, MinedSide, Options, Outcome, Plan, Query,
    Shape, SolveError, Sources, Table, Value, all_up_to, make_in_memory, mebibytes, mine,
    parse_size,
};
use tbindex::Color;
use tbindex::store::{Overwrite, PartialFile};

use super::bars::Bars;
use super::machine::{MachineArgs, check_memory};
use super::signals::stop_flag;
use super::{MetricArg, UsageError, parse_material, print};

/// Counts and lists the positions of tables that a query has
///
/// A query combines named sets of positions by and, or, not and brackets: win, draw, loss (of the side to move, with the
/// fifty-move rule if distances count to zeroing), cursed, blessed, zugzwang (mutual; also full zugzwang, half zugzwang),
/// only-move, only-underpromotion, only-king-move, capture-loses, mate, stalemate, check, white to move, black to move,
/// distances such as dtm = 37 or dtz > 100 in plies, and pieces on squares such as white king on a1-d4, mirror images
/// included. Positions count up to symmetry and the exchange of like pieces.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen mine KQPvKQ --find zugzwang\n  tbgen mine --all 4 --find 'only-move and win' --metric dtm\n  tbgen mine KRPvKR --find 'half zugzwang and loss' --format epd --longest --limit 10"
)]
pub(crate) struct Args {
    /// The material, such as KQPvKQ, of 3 to 5 pieces
    #[arg(value_parser = parse_material, required_unless_present = "all")]
    material: Option<tbindex::Material>,
    /// All tables of 3 to so many pieces, 5 at most, in place of a material
    #[arg(long, value_name = "PIECES", conflicts_with = "material", value_parser = clap::value_parser!(u8).range(3..=5))]
    all: Option<u8>,
    /// The query
    #[arg(long, value_name = "QUERY")]
    find: String,
    /// What distances count: dtz heeds the fifty-move rule, dtm does not. By default as in the query, or else dtz
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,
    /// Folder of tables to read; without it they are solved in memory
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// File to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// List the longest distances first
    #[arg(long)]
    longest: bool,
    /// List so many positions of a table at most
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// The most memory to use, such as 2G: what needs more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    machine: MachineArgs,
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

/// The bytes of the sets of a query, beside those of solving: each thread that has a part has some.
fn memory_of(shape: &Shape) -> u64 {
    let sets = shape.slots() / shape.parts() as u64 / 8;
    let at_once = shape.parts_at_once().min(rayon::current_num_threads());
    40 * sets * at_once as u64
}

/// A run.
struct Run<'a> {
    args: &'a Args,
    query: Query,
    metric: Metric,
    out: Box<dyn Write + 'a>,
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
    /// Puts the query to a table.
    fn table(&mut self, table: &Table, library: &Library) -> Result<(), SolveError> {
        let args = self.args;
        let options = MineOptions {
            list: args.format.lists(),
            backend: args.machine.backend(),
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
                for hit in &hits {
                    let best = table.best_moves(library, &hit.position);
                    let best = best.map_err(io::Error::other)?.join(" ");
                    text += &self.line(&name, hit, &best);
                }
                text
            }
        };
        Ok(self.out.write_all(text.as_bytes())?)
    }

    fn line(&self, name: &str, hit: &Hit, best: &str) -> String {
        let Value { outcome, plies } = hit.value;
        let fen = hit.position.to_string();
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
        format!("{line} c0 \"{}\";\n", hit.value)
    }
}

/// The shapes of the tables that are asked for, and of all that have to be solved for them.
fn shapes(args: &Args) -> Result<Vec<(Shape, bool)>> {
    let all: Vec<Endgame> = match (args.all, &args.material) {
        (Some(pieces), _) => all_up_to(pieces.into())
            .into_iter()
            .map(Endgame::from)
            .collect(),
        (None, Some(material)) => Endgame::from(*material).needed(),
        (None, None) => Vec::new(),
    };
    let wanted = args.material.map(tbindex::Material::normal);
    let shapes = all.into_iter().map(|endgame| {
        let shape = Shape::of_endgame(endgame)?;
        let is_wanted = wanted.is_none_or(|wanted| wanted == endgame.material);
        Ok((shape, is_wanted))
    });
    shapes.collect()
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
    let all = shapes(args)?;
    if let Some((shape, _)) = all
        .iter()
        .find(|(shape, _)| shape.material().piece_count() > 5)
    {
        let material = shape.material();
        let message =
            format!("{material} has too many pieces: sets of a query are in memory for 3 to 5");
        return Err(UsageError(message).into());
    }
    let pool = args.machine.pool()?;
    pool.install(|| search(args, query, metric, &all))
}

fn search(args: &Args, query: Query, metric: Metric, all: &[(Shape, bool)]) -> Result<()> {
    let shapes: Vec<Shape> = all.iter().map(|(shape, _)| shape.clone()).collect();
    let plans = Plan::each_without_files(&shapes, metric);
    let solving = plans.iter().map(|plan| plan.memory).max().unwrap_or(0);
    let memory = solving + shapes.iter().map(memory_of).max().unwrap_or(0);
    check_memory("mine", memory, args.memory)?;
    note!("up to {} of memory", mebibytes(memory));
    let mut file = None;
    let out: Box<dyn Write> = if args.output == Path::new("-") {
        Box::new(BufWriter::new(io::stdout().lock()))
    } else {
        let overwrite = if args.force {
            Overwrite::Replace
        } else {
            Overwrite::Refuse
        };
        Box::new(BufWriter::new(
            file.insert(PartialFile::create(&args.output, overwrite)?),
        ))
    };
    let mut run = Run {
        args,
        query,
        metric,
        out,
        all: Mined::default(),
    };
    if args.format == Format::Csv {
        writeln!(run.out, "fen,material,outcome,plies,best").context("can't write")?;
    }
    match &args.tables {
        Some(folder) => {
            let sources = Sources {
                folder,
                metric,
                temp_file: None,
                backend: args.machine.backend(),
                stop: stop_flag(),
            };
            for (shape, _) in all.iter().filter(|(_, wanted)| *wanted) {
                let endgame = shape.endgame();
                run.table(&sources.table(endgame)?, &sources.led_to(endgame)?)?;
            }
        }
        None => {
            let bars = Bars::new(shapes.len());
            let options = Options::new(metric, args.machine.backend(), stop_flag());
            let solve = |shape: &Shape, library: &Library| {
                let mut table = bars.solve(shape, library, options)?;
                let wanted = all
                    .iter()
                    .any(|(other, wanted)| *wanted && other.material() == shape.material());
                if wanted {
                    run.table(&table, library)?;
                }
                if metric == Metric::Dtz {
                    // Others need its outcomes alone.
                    table.forget_distances()?;
                }
                Ok(table)
            };
            make_in_memory(&shapes, solve, |_| bars.done())?;
        }
    }
    let tables = all.iter().filter(|(_, wanted)| *wanted).count();
    if tables > 1 && args.format == Format::Counts {
        let text = counts_text(&format!("all {tables}"), &run.all);
        run.out.write_all(text.as_bytes()).context("can't write")?;
    }
    run.out.flush().context("can't write")?;
    drop(run);
    match file {
        Some(file) => Ok(file.finish()?),
        None => print(""),
    }
}
