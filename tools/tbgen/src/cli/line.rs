//! `tbgen line`: prints best play to the end.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;
use tbgen::{Answer, Board, Outcome, Value};

use super::folder::{Folder, describe};
use super::short_range::{METRIC, ShortRangeFolder, check_metric, letters};
use super::{MetricArg, board, counter, note_counter, print};

/// Prints best play by both sides to the end, through captures and promotions into other tables
///
/// The winner takes the shortest way by the metric, to the next capture, pawn move or mate, or to mate, and the
/// loser the longest. The line of a drawn position is empty.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen line tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'\n  tbgen line tables '8/8/8/8/8/4k3/8/K1L5 w - - 0 1' --piece L=WD"
)]
pub(crate) struct Args {
    /// Folder of the tables, or of Syzygy files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Position as a FEN
    #[arg(value_name = "FEN")]
    position: String,
    /// What the distances count; by default dtz, and dtm with short-range pieces, which have no other
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,
    /// The short-range piece that a letter of the FEN stands for, such as L=WD; may be repeated
    #[arg(long, value_name = "LETTER=PIECE")]
    piece: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.piece.is_empty() {
        return with_short_range(args);
    }
    let fen = args.position.trim();
    let counter = counter(fen)?;
    let start: Board = board(fen)?;
    note_counter(fen, counter);
    let metric = args.metric.unwrap_or_default().into();
    let mut folder = Folder::new(&args.folder, metric)?;
    let mut position = start.clone();
    let mut choices = folder.choices(&position)?;
    let first = folder.answer(&position)?;
    let value = first.value;
    let mut steps = Vec::new();
    let mut seen = HashSet::new();
    // This ends, as the distance falls with every move and every capture takes a piece away; if distances are exact.
    loop {
        let now = folder.answer(&position)?;
        if now.value.outcome == Outcome::Draw || choices.is_empty() {
            break;
        }
        let best = choices.swap_remove(0);
        if now.exact && best.exact && best.value != now.value {
            let (fen, stored, implied) = (position.fen(), now.value, best.value);
            bail!("the tables are wrong: {fen} is a {stored} in one, and a {implied} by its moves");
        }
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
            "fen": fen,
            "counter": counter,
            "wdl": value.outcome as i8,
            "plies": value.plies,
            "exact": first.exact,
            "moves": moves,
            "end": position.fen(),
            "mate": mated,
        });
        return print(&format!("{text:#}\n"));
    }
    let steps = steps
        .iter()
        .map(|step| (&step.name, step.capture, step.mates));
    print(&described(
        (fen, describe(first, metric)),
        steps,
        (&position.fen(), mated),
    ))
}

/// A line as text: the first position and its value, the moves, each with whether it captures and mates, and the last
/// position with whether it is mate.
fn described<'a>(
    (first, value): (&str, String),
    steps: impl Iterator<Item = (&'a String, bool, bool)>,
    (last, mated): (&str, bool),
) -> String {
    let mut text = format!("{first}: {value}\n");
    for (number, (name, capture, mates)) in steps.enumerate() {
        let sign = match (capture, mates) {
            (_, true) => "#",
            (true, false) => "x",
            _ => "",
        };
        text.push_str(&format!("{:>4}. {name}{sign}\n", number + 1));
    }
    let end = if mated { "checkmate" } else { "draw" };
    text.push_str(&format!("{last}: {end}\n"));
    text
}

/// The same for a position with short-range pieces.
fn with_short_range(args: &Args) -> Result<()> {
    check_metric(args.metric.as_slice())?;
    let mut folder = ShortRangeFolder::new(&args.folder, letters(&args.piece)?);
    counter(args.position.trim())?;
    let start = folder.board(&args.position)?;
    let value = folder.value(&start)?;
    let (steps, last) = folder.line(start)?;
    let mated = folder.value(&last)? == Value::loss(0);
    let (first, end) = (folder.fen(&start), folder.fen(&last));
    if args.json {
        let moves: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        let text = json!({
            "fen": first,
            "wdl": value.outcome as i8,
            "plies": value.plies,
            "exact": true,
            "moves": moves,
            "end": end,
            "mate": mated,
        });
        return print(&format!("{text:#}\n"));
    }
    let steps = steps
        .iter()
        .map(|step| (&step.name, step.capture, step.mates));
    print(&described(
        (&first, describe(Answer { value, exact: true }, METRIC)),
        steps,
        (&end, mated),
    ))
}
