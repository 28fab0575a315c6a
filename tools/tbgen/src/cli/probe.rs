//! `tbgen probe`: prints the values of positions.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use serde_json::{Value as Json, json};
use tbgen::{Answer, Metric};

use super::folder::{Choice, Folder, describe};
use super::short_range::{METRIC, ShortRangeFolder, check_metric, letters};
use super::{MetricArg, UsageError, board, counter, note_counter, print};

/// Prints the value, the distance and the best moves of positions
///
/// Values are for a fifty-move counter of 0; that of the FEN is not counted. A position without an answer does not
/// keep the others from theirs.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen probe tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'\n  tbgen probe tables '8/8/8/8/8/4k3/8/K1L5 w - - 0 1' --piece L=WD"
)]
pub(crate) struct Args {
    /// Folder of the tables, or of Syzygy files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Positions as FENs
    #[arg(value_name = "FEN", required = true)]
    positions: Vec<String>,
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

fn to_json(answer: Answer, metric: Metric) -> Json {
    let Answer { value, exact } = answer;
    let text = describe(answer, metric);
    json!({ "wdl": value.outcome as i8, "plies": value.plies, "exact": exact, "text": text })
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.piece.is_empty() {
        return with_short_range(args);
    }
    let metric: Metric = args.metric.unwrap_or_default().into();
    let mut folder = Folder::new(&args.folder, metric)?;
    each_position(args, |fen| {
        let position = board(fen)?;
        let choices = folder.choices(&position)?;
        let answer = folder.answer(&position)?;
        let found = choices.iter().map(|choice| {
            let Choice { value, exact, .. } = *choice;
            (choice.name.as_str(), Answer { value, exact })
        });
        Ok(Found::new(metric, answer, found))
    })
}

/// What is found about a position.
struct Found {
    json: Json,
    text: String,
}

impl Found {
    /// From the value of the position, and its moves with theirs, the best first.
    fn new<'a>(
        metric: Metric,
        answer: Answer,
        moves: impl Iterator<Item = (&'a str, Answer)>,
    ) -> Found {
        let moves: Vec<(&str, Answer)> = moves.collect();
        let first = moves.first().map(|(_, best)| best.value);
        let best = moves.iter().filter(|(_, each)| Some(each.value) == first);
        let best: Vec<&str> = best.map(|(name, _)| *name).collect();
        let entries = moves.iter().map(|&(name, answer)| {
            let mut entry = to_json(answer, metric);
            entry["move"] = name.into();
            entry
        });
        let json = json!({
            "value": to_json(answer, metric),
            "best": best,
            "moves": entries.collect::<Vec<_>>(),
        });
        let mut text = describe(answer, metric);
        if !best.is_empty() {
            text += &format!("; best: {}", best.join(" "));
        }
        Found { json, text }
    }
}

/// Answers for each position of the call, and prints the answers. One without an answer does not keep the others from
/// theirs.
fn each_position(args: &Args, mut find: impl FnMut(&str) -> Result<Found>) -> Result<()> {
    let (mut answers, mut failed) = (Vec::new(), Vec::new());
    let count = args.positions.len();
    for given in &args.positions {
        let fen = given.trim();
        let found = counter(fen).and_then(|counter| Ok((counter, find(fen)?)));
        match found {
            Ok((counter, found)) => {
                if args.json {
                    let mut answer = json!({ "fen": fen, "counter": counter });
                    if let (Some(all), Json::Object(more)) = (answer.as_object_mut(), found.json) {
                        all.extend(more);
                    }
                    answers.push(answer);
                } else {
                    print(&format!("{fen}: {}\n", found.text))?;
                }
                note_counter(fen, counter);
            }
            Err(error) => {
                answers.push(json!({ "fen": fen, "error": format!("{error:#}") }));
                if count > 1 {
                    note!("tbgen: {error:#}");
                }
                failed.push(error);
            }
        }
    }
    if args.json && failed.len() < count {
        print(&format!("{:#}\n", json!({ "positions": answers })))?;
    }
    let all_usage = failed.iter().all(anyhow::Error::is::<UsageError>);
    match (failed.len(), count) {
        (0, _) => Ok(()),
        (1, 1) => Err(failed.remove(0)),
        (failed, count) => {
            let message = format!("{failed} of {count} positions have no answer");
            match all_usage {
                true => Err(UsageError(message).into()),
                false => Err(anyhow!(message)),
            }
        }
    }
}

/// The same for positions with short-range pieces.
fn with_short_range(args: &Args) -> Result<()> {
    check_metric(args.metric.as_slice())?;
    let mut folder = ShortRangeFolder::new(&args.folder, letters(&args.piece)?);
    let exact = |value| Answer { value, exact: true };
    each_position(args, |fen| {
        let board = folder.board(fen)?;
        let choices = folder.choices(&board)?;
        let answer = exact(folder.value(&board)?);
        let found = choices
            .iter()
            .map(|choice| (choice.name.as_str(), exact(choice.value)));
        Ok(Found::new(METRIC, answer, found))
    })
}
