//! `tbindex fairy census`: counts all pieces by the reasons why they are bound.

use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};
use tbindex::fairy::{Census, Classifier, Tally};

use super::census_args::Args;
use crate::output::{grouped, print, print_json, progress, write_text};

pub(super) fn run(args: &Args) -> Result<()> {
    let pool = args.machine.pool()?;
    let bar = progress(1 << 24, "pieces");
    let census =
        pool.install(|| Census::new(&Classifier::new(args.board.board), &|done| bar.inc(done)));
    bar.finish_and_clear();
    let (total, by_moves) = match args.symmetric {
        true => (&census.classes, &census.classes_by_moves),
        false => (&census.pieces, &census.pieces_by_moves),
    };
    match &args.csv {
        Some(path) if path == Path::new("-") => print(&csv(total, by_moves)),
        Some(path) => write_text(path, &csv(total, by_moves), args.force.overwrite()),
        None if args.json.json => {
            let quantities = quantities(total).into_iter();
            let object = quantities.map(|(key, _, value)| (key.to_owned(), value));
            print_json(&object.collect())
        }
        None => print(&table(args, total)),
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
        args.up_to()
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
