//! `tbindex fairy classify`: prints what binds a piece.

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Leaper;
use tbindex::fairy::{Grid, UNLISTED_MASKS, Verdict, verdict_picture};

use super::{BoardArg, PictureArgs, PieceArg, or_none, square_names};
use crate::cli::args::JsonArg;
use crate::cli::output::{print, print_json};

/// Print whether a piece is free or bound, on the plane and on a board, and why
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
    board: BoardArg,
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    picture: PictureArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let grid = &args.board.board;
    let verdict = Verdict::of(args.piece.piece()?);
    if !args
        .picture
        .write(args.json.json, || verdict_picture(&verdict, grid))?
    {
        return Ok(());
    }
    if args.json.json {
        return print_json(&object(&verdict, grid));
    }
    print(&format!(
        "{}\n{}\n{}\n{}",
        notations(&verdict),
        verdict.piece().diagram(),
        on_the_plane(&verdict),
        on_the_board(&verdict, grid)
    ))
}

/// All that is printed as text, for programs.
fn object(verdict: &Verdict, grid: &Grid) -> Value {
    let piece = verdict.piece();
    let names = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>();
    let steps: Vec<[i8; 2]> = piece.steps().map(|step| [step.files, step.ranks]).collect();
    let squares = |set: u64| {
        let squares = (0..grid.square_count() as u8).filter(|&square| set >> square & 1 != 0);
        names(&mut squares.map(|square| grid.square_name(square)))
    };
    json!({
        "piece": piece.to_string(),
        "squares": piece.list().to_string(),
        "betza": piece.betza(),
        "moves": steps,
        "images": names(&mut images(piece).into_iter().map(|image| image.to_string())),
        "free": verdict.is_free(),
        "reason": verdict.to_string(),
        "masks": names(&mut verdict.masks().map(|mask| mask.to_string())),
        "unlisted_masks": names(&mut unlisted(piece).map(str::to_owned)),
        "free_atoms": names(&mut verdict.free_atoms().map(|atom| atom.to_string())),
        "lattice_rank": verdict.lattice().rank(),
        "lattice_index": verdict.lattice().index(),
        "lattice_form": verdict.lattice().to_string(),
        "half_plane": verdict.is_confined(),
        "never_makes": names(&mut verdict.missing().map(|way| way.to_string())),
        "board": grid.to_string(),
        "board_connected": grid.is_connected(piece),
        "diameter": grid.diameter(piece),
        "components": component_sizes(grid, piece),
        "cant_leave": squares(grid.dead_ends(piece)),
        "cant_reach": squares(grid.unreachable(piece)),
    })
}

/// The different images of a piece, in the order of their numbers.
fn images(piece: Leaper) -> Vec<Leaper> {
    let mut images = piece.images().to_vec();
    images.sort_unstable();
    images.dedup();
    images
}

/// The names of the masks that no list has and that the piece is within.
fn unlisted(piece: Leaper) -> impl Iterator<Item = &'static str> {
    let within = UNLISTED_MASKS
        .iter()
        .filter(move |(_, mask)| piece.is_within(*mask));
    within.map(|&(name, _)| name)
}

/// The numbers of squares of the components of a board, the largest first.
fn component_sizes(grid: &Grid, piece: Leaper) -> Vec<u32> {
    let components = grid.components(piece);
    let mut sizes: Vec<u32> = components.iter().map(|set| set.count_ones()).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

/// The piece in all notations, and its images.
fn notations(verdict: &Verdict) -> String {
    let piece = verdict.piece();
    let images = images(piece);
    format!(
        "number      {piece}\n\
         binary      {piece:#026b}\n\
         squares     {}\n\
         Betza       {}\n\
         moves       {}, as (files,ranks): {}\n\
         images      {} different: {}\n",
        piece.list(),
        piece.betza().as_deref().unwrap_or("none"),
        piece.len(),
        or_none(piece.steps(), " "),
        images.len(),
        or_none(images, " "),
    )
}

fn on_the_plane(verdict: &Verdict) -> String {
    let lattice = verdict.lattice();
    let index = match lattice.index() {
        Some(index) => index.to_string(),
        None => "infinite".to_owned(),
    };
    let unlisted = unlisted(verdict.piece());
    let mut text = format!(
        "{verdict}\n\
         masks       {}\n\
         unlisted    {}\n\
         free atoms  {}\n\
         lattice     rank {}, index {index}, Hermite normal form {lattice}\n\
         never makes {}\n",
        or_none(verdict.masks(), ", "),
        or_none(unlisted, ", "),
        or_none(verdict.free_atoms(), ", "),
        lattice.rank(),
        or_none(verdict.missing(), ", "),
    );
    if let Some(index @ 2..) = lattice.index() {
        let name = lattice.name().unwrap_or("without a name");
        text += &format!("colouring   {index} colours, {name}; the piece on e4 has colour 0\n");
        text += &Grid::CHESS.colouring(lattice);
    }
    text
}

fn on_the_board(verdict: &Verdict, grid: &Grid) -> String {
    let piece = verdict.piece();
    let mut text = match grid.diameter(piece) {
        Some(moves) => format!(
            "On the {grid} board: connected, from any square to any other in at most {moves} moves.\n"
        ),
        None => {
            let sizes = component_sizes(grid, piece);
            format!(
                "On the {grid} board: not connected, {} components of {} squares.\n",
                sizes.len(),
                run_lengths(&sizes)
            )
        }
    };
    if !grid.is_connected(piece) {
        text += &grid.component_picture(piece);
    }
    text += &format!(
        "can't leave {}\n\
         can't reach {}\n",
        square_names(grid, grid.dead_ends(piece)),
        square_names(grid, grid.unreachable(piece)),
    );
    text
}

/// The sizes in order, with a count before those that repeat: `32, 8, 12 × 1`.
fn run_lengths(sizes: &[u32]) -> String {
    let runs = sizes.chunk_by(|a, b| a == b);
    or_none(
        runs.map(|run| match run.len() {
            1 => run[0].to_string(),
            times => format!("{times} × {}", run[0]),
        }),
        ", ",
    )
}
