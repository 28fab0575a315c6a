//! `tbgen line`: prints best play to the end.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;
use tbgen::{Board, Outcome, Value};

use super::folder::{Folder, describe};
use super::{MetricArg, parse_board, print};

/// Prints best play by both sides to the end, through captures and promotions into other tables
///
/// The winner takes the shortest way by the metric, to the next capture, pawn move or mate, or to mate, and the
/// loser the longest. The line of a drawn position is empty.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen line tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'")]
pub(crate) struct Args {
    /// Folder of the tables, or of Syzygy files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Position as a FEN
    #[arg(value_name = "FEN", value_parser = parse_board)]
    position: Board,
    /// What the distances count
    #[arg(long, value_enum, default_value_t)]
    metric: MetricArg,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut folder = Folder::new(&args.folder, args.metric.into())?;
    let mut position = args.position.clone();
    let mut choices = folder.choices(&position)?;
    let first = folder.answer(&position)?;
    let value = first.value;
    let mut steps = Vec::new();
    let mut seen = HashSet::new();
    // This ends, as the distance falls with every move and every capture takes a piece away; if distances are exact.
    while folder.answer(&position)?.value.outcome != Outcome::Draw && !choices.is_empty() {
        let best = choices.swap_remove(0);
        position = best.after.clone();
        if !seen.insert(position.fen()) {
            bail!(
                "the distances of the Syzygy files are rounded, and best play by them goes round in circles"
            );
        }
        steps.push(best);
        choices = folder.choices(&position)?;
    }
    let mated = folder.answer(&position)?.value == Value::loss(0);
    if args.json {
        let moves: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        let text = json!({
            "fen": args.position.fen(),
            "wdl": value.outcome as i8,
            "plies": value.plies,
            "exact": first.exact,
            "moves": moves,
            "end": position.fen(),
            "mate": mated,
        });
        return print(&format!("{text:#}\n"));
    }
    let mut text = format!("{}: {}\n", args.position.fen(), describe(first));
    for (number, step) in steps.iter().enumerate() {
        let sign = match (step.capture, step.mates) {
            (_, true) => "#",
            (true, false) => "x",
            _ => "",
        };
        text.push_str(&format!("{:>4}. {}{sign}\n", number + 1, step.name));
    }
    let end = if mated { "checkmate" } else { "draw" };
    text.push_str(&format!("{}: {end}\n", position.fen()));
    print(&text)
}
