//! `tbindex fairy classify`: prints whether and why a piece is bound.

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Symmetry;
use tbindex::fairy::{Grid, Verdict, free_atoms_of, masks_of, unlisted_masks_of};
use tbindex_fairy::{Board, verdict_picture};

use super::{LargeBoardArg, PictureArgs, PieceArg, or_none, piece_name};
use crate::args::JsonArg;
use crate::output::{print, print_json};

/// Print whether a piece is free or bound, on the plane and on a board, and why
///
/// The verdict comes first, and then the piece. --details prints all that is known.
///
/// A piece is free if its moves lead from any square of the plane to any other, and bound otherwise. `Masks` are sets of
/// moves, each of which binds all pieces whose moves are in it: those with published names that this piece is in, and then
/// the unlisted ones. `Free atoms` are published sets of moves, each of which makes all pieces free that have them: those
/// that this piece has. The `lattice` has the squares that its moves and their reversals lead to; the index is the number
/// of colours that the plane takes if no move is to change the colour, and `colouring` shows them. `Never makes` has the
/// directions that no sequence of moves leads to. On the board, `components` are squares that lead to each other.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tbindex fairy classify 01,02,10,15\n  \
    tbindex fairy classify hlN --board 10x6 --svg pinwheel.svg")]
pub(crate) struct Args {
    #[command(flatten)]
    piece: PieceArg,
    #[command(flatten)]
    board: LargeBoardArg,
    /// Also print the piece's images, masks, lattice, colouring and dead ends
    #[arg(long)]
    details: bool,
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let grid = &args.board.board;
    let verdict = Verdict::of(args.piece.piece()?);
    let picture = || verdict_picture(&verdict, grid);
    if !args.picture.write(args.json.json, picture)? {
        return Ok(());
    }
    let object = object(&verdict, grid);
    match args.json.json {
        true => print_json(&object),
        false => {
            let mut text = summary(&verdict, grid, &object);
            if args.details {
                text += &details(&verdict, grid, &object);
            }
            print(&text)
        }
    }
}

/// The verdict for programs.
fn object(verdict: &Verdict, grid: &Grid) -> Value {
    let piece = verdict.piece;
    let names = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>();
    let steps: Vec<[i8; 2]> = piece.steps().map(|step| [step.files, step.ranks]).collect();
    let squares =
        |squares: Vec<u8>| names(&mut squares.into_iter().map(|square| grid.square_name(square)));
    // The different images, in the order of their numbers.
    let mut images = Symmetry::ALL.map(|by| piece.image(by)).to_vec();
    images.sort_unstable();
    images.dedup();
    // The largest component first.
    let components = grid.components(piece);
    let mut components: Vec<usize> = components.iter().map(Vec::len).collect();
    components.sort_unstable_by(|a, b| b.cmp(a));
    json!({
        "piece": piece.to_string(),
        "squares": piece.list().to_string(),
        "betza": piece.betza(),
        "moves": steps,
        "images": names(&mut images.into_iter().map(|image| image.to_string())),
        "free": verdict.is_free(),
        "reason": verdict.to_string(),
        "masks": names(&mut masks_of(piece).map(str::to_owned)),
        "unlisted_masks": names(&mut unlisted_masks_of(piece).map(str::to_owned)),
        "free_atoms": names(&mut free_atoms_of(piece).map(str::to_owned)),
        "lattice_rank": verdict.lattice.rank(),
        "lattice_index": verdict.lattice.index(),
        "lattice_form": verdict.lattice.to_string(),
        "half_plane": verdict.is_confined(),
        "never_makes": names(&mut verdict.missing().map(str::to_owned)),
        "board": grid.to_string(),
        "board_connected": grid.is_connected(piece),
        "diameter": grid.diameter(piece),
        "components": components,
        "cant_leave": squares(grid.dead_ends(piece)),
        "cant_reach": squares(grid.dead_ends(piece.image(Symmetry::Rotate180))),
    })
}

/// The answer and the piece, for people to read.
fn summary(verdict: &Verdict, grid: &Grid, object: &Value) -> String {
    let piece = verdict.piece;
    let on_board = match grid.diameter(piece) {
        Some(moves) => {
            format!("connected, from any square to any other in at most {moves} moves")
        }
        None => {
            let sizes: Vec<&Value> = object["components"]
                .as_array()
                .into_iter()
                .flatten()
                .collect();
            format!(
                "not connected, {} components of {} squares",
                sizes.len(),
                run_lengths(&sizes)
            )
        }
    };
    format!(
        "{verdict}\nOn the {grid} board: {on_board}.\n\n{}, {} moves\n{}",
        piece_name(piece),
        piece.steps().len(),
        piece.diagram()
    )
}

/// The rest of what is known.
fn details(verdict: &Verdict, grid: &Grid, object: &Value) -> String {
    let (piece, lattice) = (verdict.piece, verdict.lattice);
    let entries = |key: &str| object[key].as_array().into_iter().flatten();
    let list =
        |key: &str, separator: &str| or_none(entries(key).filter_map(Value::as_str), separator);
    let mut text = format!(
        "\nbinary      {:#026b}\n\
         squares     {}\n\
         moves       as (files,ranks): {}\n\
         images      {} different: {}\n\
         masks       {}\n\
         unlisted    {}\n\
         free atoms  {}\n\
         lattice     rank {}, index {}, Hermite normal form {lattice}\n\
         never makes {}\n",
        piece.bits(),
        piece.list(),
        or_none(piece.steps(), " "),
        entries("images").count(),
        list("images", " "),
        list("masks", ", "),
        list("unlisted_masks", ", "),
        list("free_atoms", ", "),
        lattice.rank(),
        lattice
            .index()
            .map_or("infinite".to_owned(), |index| index.to_string()),
        list("never_makes", ", "),
    );
    if let Some(index @ 2..) = lattice.index() {
        let name = lattice.name().unwrap_or("without a name");
        text += &format!("colouring   {index} colours, {name}; the piece on e4 has colour 0\n");
        text += &Grid::CHESS.colouring(lattice);
    }
    if !grid.is_connected(piece) {
        text += &format!(
            "components  on the {grid} board\n{}",
            grid.component_picture(piece)
        );
    }
    text + &format!(
        "can't leave {}\n\
         can't reach {}\n",
        list("cant_leave", " "),
        list("cant_reach", " "),
    )
}

/// The sizes in order, with a count before those that repeat: `32, 8, 12 × 1`.
fn run_lengths(sizes: &[&Value]) -> String {
    let runs = sizes.chunk_by(|a, b| a == b);
    or_none(
        runs.map(|run| match run.len() {
            1 => run[0].to_string(),
            times => format!("{times} × {}", run[0]),
        }),
        ", ",
    )
}
