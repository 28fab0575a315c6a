//! `tbindex fairy census`: counts all pieces.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Map, Value, json};
use tbindex::fairy::{Census, Classifier, Tally};

use super::{BoardArg, check_picture, mate_census};
use crate::cli::args::{ForceArg, JsonArg, MachineArgs, usage};
use crate::cli::output::{grouped, print, print_json, progress, write_text};

/// Count all 16 777 216 pieces by what binds them, on the plane and on a board, or by their mates
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tbindex fairy census\n  \
    tbindex fairy census --board 10x6 --symmetric --csv census.csv\n  \
    tbindex fairy census --mates --svg mates.svg --csv mates.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) board: BoardArg,
    /// Count the pieces by what they achieve with their king against a bare king. This takes one to three
    /// minutes on two cores, and much longer on boards with more than eight files or ranks
    #[arg(long)]
    mates: bool,
    /// Count pieces that are images of each other once: under the eight symmetries if the board is square,
    /// else under the four that keep the board
    #[arg(long)]
    pub(super) symmetric: bool,
    #[command(flatten)]
    pub(super) json: JsonArg,
    /// Write a table by the number of moves, as a CSV file; - writes it to standard output. With --mates,
    /// the table has a line for each class of pieces that are images of each other, and the totals are
    /// printed, too, unless the table goes to standard output
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Also draw the histogram of longest mates, as an SVG file; - writes it, and nothing else, to standard
    /// output
    #[arg(long, value_name = "FILE", requires = "mates")]
    pub(super) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(super) force: ForceArg,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let csv_excludes_json = |path: &Path| !args.mates || path == Path::new("-");
    if args.json.json && args.csv.as_deref().is_some_and(csv_excludes_json) {
        return Err(usage("--csv and --json: only one of them can be printed"));
    }
    check_picture(args.svg.as_deref(), args.json.json)?;
    if args.mates {
        return mate_census::run(args);
    }
    let pool = args.machine.pool()?;
    let bar = progress(1 << 24, "pieces");
    let census =
        pool.install(|| Census::new(&Classifier::new(args.board.board), &|done| bar.inc(done)));
    bar.finish_and_clear();
    let (total, by_moves) = match args.symmetric {
        true => (census.classes(), &census.classes_by_moves),
        false => (census.pieces(), &census.pieces_by_moves),
    };
    match &args.csv {
        Some(path) if path == Path::new("-") => print(&csv(&total, by_moves)),
        Some(path) => write_text(path, &csv(&total, by_moves), args.force.overwrite()),
        None if args.json.json => {
            let quantities = quantities(&total).into_iter();
            let object = quantities.map(|(key, _, value)| (key.to_owned(), value));
            print_json(&object.collect())
        }
        None => print(&table(args, &total)),
    }
}

/// Up to which symmetries pieces are counted, in words.
pub(super) fn up_to(args: &Args) -> &'static str {
    match (args.symmetric, args.board.board.symmetries().len() == 8) {
        (false, _) => "",
        (true, true) => ", counted up to the eight symmetries",
        (true, false) => ", counted up to the four symmetries of the board",
    }
}

/// The indices of lattices that occur, from the smallest to the greatest, each with its count.
fn lattice_indices(tally: &Tally) -> impl Iterator<Item = (usize, u64)> {
    let counts = tally.by_lattice_index.into_iter().enumerate();
    counts.filter(|&(_, count)| count > 0)
}

/// The quantities of a tally, each with its key, its words and its value.
fn quantities(tally: &Tally) -> [(&'static str, &'static str, Value); 11] {
    let by_index: Map<String, Value> = lattice_indices(tally)
        .map(|(index, count)| (index.to_string(), json!(count)))
        .collect();
    let count = |count: u64| json!(count);
    [
        ("pieces", "pieces", count(tally.pieces)),
        ("free", "free on the plane", count(tally.free)),
        (
            "bound",
            "bound on the plane",
            count(tally.pieces - tally.free),
        ),
        (
            "by_lattice_index",
            "  by colours: not confined, lattice of index",
            Value::Object(by_index),
        ),
        (
            "half_plane_full_rank",
            "  confined to a half-plane, lattice of rank 2",
            count(tally.half_plane_full_rank),
        ),
        (
            "degenerate",
            "  on a line or a point, lattice of rank 0 or 1",
            count(tally.degenerate),
        ),
        (
            "within_a_mask",
            "within a published mask",
            count(tally.within_a_mask),
        ),
        (
            "bound_but_in_no_mask",
            "bound, but in no published mask",
            count(tally.bound_but_in_no_mask),
        ),
        (
            "board_connected",
            "connected on the board",
            count(tally.board_connected),
        ),
        (
            "board_connected_but_bound",
            "connected on the board, but bound on the plane",
            count(tally.board_connected_but_bound),
        ),
        (
            "free_but_board_disconnected",
            "free on the plane, but not connected on the board",
            count(tally.free_but_board_disconnected),
        ),
    ]
}

/// The tally as a table for people to read.
fn table(args: &Args, tally: &Tally) -> String {
    let number = |value: &Value| grouped(value.as_u64().unwrap_or_default().into());
    let mut text = format!(
        "All short-range pieces on the {} board{}\n\n",
        args.board.board,
        up_to(args)
    );
    let mut line = |words: &str, value: &Value| {
        text += &format!("{words:<52} {:>10}\n", number(value));
    };
    for (_, words, value) in quantities(tally) {
        match value {
            // The pieces with index 1 are the free ones.
            Value::Object(by_index) => by_index
                .iter()
                .filter(|(index, _)| *index != "1")
                .for_each(|(index, count)| line(&format!("{words} {index}"), count)),
            count => line(words, &count),
        }
    }
    text
}

/// The CSV table: a line for each number of moves and one for all, with a column for each quantity.
fn csv(total: &Tally, by_moves: &[Tally; 25]) -> String {
    let indices: Vec<usize> = lattice_indices(total).map(|(index, _)| index).collect();
    let columns = |tally: &Tally| -> Vec<(String, u64)> {
        quantities(tally)
            .into_iter()
            .flat_map(|(key, _, value)| match value {
                Value::Object(_) => indices
                    .iter()
                    .map(|&index| (format!("index_{index}"), tally.by_lattice_index[index]))
                    .collect(),
                count => vec![(key.to_owned(), count.as_u64().unwrap_or_default())],
            })
            .collect()
    };
    let line = |first: &str, cells: Vec<String>| format!("{first},{}\n", cells.join(","));
    let header = columns(total).into_iter().map(|(name, _)| name).collect();
    let counts = |tally: &Tally| -> Vec<String> {
        let columns = columns(tally).into_iter();
        columns.map(|(_, count)| count.to_string()).collect()
    };
    let mut text = line("moves", header);
    for (moves, tally) in by_moves.iter().enumerate() {
        text += &line(&moves.to_string(), counts(tally));
    }
    text + &line("all", counts(total))
}
