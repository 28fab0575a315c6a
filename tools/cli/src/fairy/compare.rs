//! `tbindex fairy compare`: prints pieces side by side.

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Leaper;
use tbindex::batch::Backend;
use tbindex::fairy::{Grid, Verdict};
use tbindex_fairy::{MateSolver, MatingPower};

use super::BoardArg;
use crate::args::JsonArg;
use crate::output::{grouped, print, print_json};

/// Print pieces side by side: moves, verdict, squares reached, distances and mates
///
/// `Reached` are the squares that the piece gets to from the middle of the board, `farthest` is the number of moves to the
/// farthest of them, and `won` is the share of legal positions that White to move wins with king and piece against king.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex fairy compare gold silver WD")]
pub(crate) struct Args {
    /// Two pieces or more, as the other commands take them, but none from standard input
    #[arg(value_name = "PIECE", required = true, num_args = 2..)]
    pieces: Vec<Leaper>,
    #[command(flatten)]
    board: BoardArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let grid = &args.board.board;
    let mut powers = vec![MatingPower::default(); args.pieces.len()];
    MateSolver::new(*grid, Backend::detect()).solve_into(&args.pieces, &mut powers);
    let pieces: Vec<Value> = args
        .pieces
        .iter()
        .zip(&powers)
        .map(|(&piece, power)| object(grid, piece, power))
        .collect();
    match args.json.json {
        true => print_json(&json!({ "board": grid.to_string(), "pieces": pieces })),
        false => print(&table(&pieces)),
    }
}

/// The facts about a piece, for programs.
fn object(grid: &Grid, piece: Leaper, power: &MatingPower) -> Value {
    let verdict = Verdict::of(piece);
    let distances = grid.distances(piece, grid.middle());
    json!({
        "piece": piece.to_string(),
        "betza": piece.betza(),
        "moves": piece.steps().len(),
        "free": verdict.is_free(),
        "colours": verdict.lattice.index(),
        "half_plane": verdict.is_confined(),
        "board_connected": grid.is_connected(piece),
        "reached": distances.reached(),
        "farthest": distances.greatest(),
        "mates": power.mates,
        "won": power.share(),
        "longest": power.longest,
    })
}

/// How a cell shows a value.
type Cell = fn(&Value) -> String;

/// The comparison for people to read: a column for each piece.
fn table(pieces: &[Value]) -> String {
    let yes: Cell = |value| if value == true { "yes" } else { "no" }.to_owned();
    let plain: Cell = |value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        number => number
            .as_u64()
            .map_or("none".to_owned(), |n| grouped(n.into())),
    };
    let percent: Cell = |value| format!("{:.1} %", 100.0 * value.as_f64().unwrap_or(0.0));
    let rows: [(&str, &str, Cell); 12] = [
        ("", "betza", plain),
        ("number", "piece", plain),
        ("moves", "moves", plain),
        ("free", "free", yes),
        ("colours", "colours", plain),
        ("in a half-plane", "half_plane", yes),
        ("connected", "board_connected", yes),
        ("reached", "reached", plain),
        ("farthest", "farthest", plain),
        ("checkmates", "mates", plain),
        ("won", "won", percent),
        ("longest mate, plies", "longest", plain),
    ];
    let mut text = String::new();
    let width = pieces
        .iter()
        .flat_map(|piece| [plain(&piece["betza"]).len(), 8])
        .max();
    let width = width.unwrap_or_default();
    for (name, key, cell) in rows {
        text += &format!("{name:<19}");
        for piece in pieces {
            text += &format!("  {:>width$}", cell(&piece[key]));
        }
        text.push('\n');
    }
    text
}
