//! `tbgen probe`: prints the values of positions.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value as Json, json};
use tbgen::{Answer, Board};

use super::folder::{Folder, describe};
use super::short_range::{ShortRangeFolder, check_metric, letters};
use super::{MetricArg, board, print};

/// Prints the value, the distance and the best moves of positions
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

fn to_json(answer: Answer) -> Json {
    let Answer { value, exact } = answer;
    let text = describe(answer);
    json!({ "wdl": value.outcome as i8, "plies": value.plies, "exact": exact, "text": text })
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.piece.is_empty() {
        return with_short_range(args);
    }
    let mut folder = Folder::new(&args.folder, args.metric.unwrap_or_default().into())?;
    let mut answers = Vec::new();
    let positions = args.positions.iter().map(|fen| board(fen));
    for position in &positions.collect::<Result<Vec<Board>>>()? {
        let choices = folder.choices(position)?;
        let answer = folder.answer(position)?;
        let best = choices.first().map(|best| best.value);
        let best = choices.iter().filter(|choice| Some(choice.value) == best);
        if args.json {
            answers.push(json!({
                "fen": position.fen(),
                "value": to_json(answer),
                "best": best.map(|choice| choice.name.clone()).collect::<Vec<_>>(),
                "moves": choices.iter().map(|choice| {
                    let mut entry = to_json(Answer {
                        value: choice.value,
                        exact: choice.exact,
                    });
                    entry["move"] = choice.name.clone().into();
                    entry
                }).collect::<Vec<_>>(),
            }));
        } else {
            let names: Vec<&str> = best.map(|choice| choice.name.as_str()).collect();
            let moves = if names.is_empty() {
                String::new()
            } else {
                format!("; best: {}", names.join(" "))
            };
            print(&format!(
                "{}: {}{moves}\n",
                position.fen(),
                describe(answer)
            ))?;
        }
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "positions": answers })))?;
    }
    Ok(())
}

/// The same for positions with short-range pieces.
fn with_short_range(args: &Args) -> Result<()> {
    check_metric(args.metric.as_slice())?;
    let mut folder = ShortRangeFolder::new(&args.folder, letters(&args.piece)?);
    let exact = |value| to_json(Answer { value, exact: true });
    let mut answers = Vec::new();
    let boards = args.positions.iter().map(|fen| folder.board(fen));
    for board in boards.collect::<Result<Vec<_>>>()? {
        let choices = folder.choices(&board)?;
        let value = folder.value(&board)?;
        let best = choices.first().map(|best| best.value);
        let best = choices.iter().filter(|choice| Some(choice.value) == best);
        let best: Vec<&str> = best.map(|choice| choice.name.as_str()).collect();
        let fen = folder.fen(&board);
        if args.json {
            answers.push(json!({
                "fen": fen,
                "value": exact(value),
                "best": best,
                "moves": choices.iter().map(|choice| {
                    let mut entry = exact(choice.value);
                    entry["move"] = choice.name.clone().into();
                    entry
                }).collect::<Vec<_>>(),
            }));
            continue;
        }
        let moves = match best.is_empty() {
            true => String::new(),
            false => format!("; best: {}", best.join(" ")),
        };
        print(&format!("{fen}: {value}{moves}\n"))?;
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "positions": answers })))?;
    }
    Ok(())
}
