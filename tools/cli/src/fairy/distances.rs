//! `tbindex fairy distances`: prints how many moves a piece needs.

use anyhow::Result;
use serde_json::{Map, json};
use tbindex_fairy::{Board, distances_picture};

use super::{LargeBoardArg, PictureArgs, PieceArg};
use crate::args::{JsonArg, usage};
use crate::output::{print, print_json};

/// Print the number of moves that a piece needs from one square to each
///
/// Numbers beyond 9 are letters, A for 10 to Z for 35. On boards with still greater numbers, all are
/// decimal. A dot is a square that the piece never reaches.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbindex fairy distances 01,10,15,23 --from e4\n  \
    tbindex fairy distances knight --board 16x16"
)]
pub(crate) struct Args {
    #[command(flatten)]
    piece: PieceArg,
    /// The square to count from; by default the middle of the board, which is e4 on the chessboard
    #[arg(long, value_name = "SQUARE")]
    from: Option<String>,
    #[command(flatten)]
    board: LargeBoardArg,
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let grid = &args.board.board;
    let from = match &args.from {
        None => grid.middle(),
        Some(name) => grid
            .square_named(name)
            .map_err(|error| usage(error.to_string()))?,
    };
    let piece = args.piece.piece()?;
    let distances = grid.distances(piece, from);
    let picture = || distances_picture(piece, grid, from);
    if !args.picture.write(args.json.json, picture)? {
        return Ok(());
    }
    let (reached, farthest) = (distances.reached(), distances.greatest());
    if args.json.json {
        let to: Map<_, _> = grid
            .squares()
            .map(|square| {
                (
                    grid.square_name(square),
                    json!(distances[usize::from(square)]),
                )
            })
            .collect();
        return print_json(&json!({
            "piece": piece.to_string(),
            "board": grid.to_string(),
            "from": grid.square_name(from),
            "distances": to,
            "reached": reached,
            "farthest": farthest,
            "diameter": grid.diameter(piece),
        }));
    }
    let diameter = match grid.diameter(piece) {
        Some(moves) => format!("at most {moves} moves from any square to any other"),
        None => "some squares are never reached from others".to_owned(),
    };
    print(&format!(
        "from {}: {reached} of {} squares, the farthest in {farthest} moves; {diameter}\n{}",
        grid.square_name(from),
        grid.square_count(),
        grid.draw_distances(&distances)
    ))
}
