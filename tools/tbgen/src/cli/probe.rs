//! `tbgen probe`: prints the values of positions.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value as Json, json};
use tbgen::{Answer, Board};

use super::folder::{Folder, describe};
use super::{MetricArg, parse_board, print};

/// Prints the value, the distance and the best moves of positions
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen probe tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'")]
pub(crate) struct Args {
    /// Folder of the tables, or of Syzygy files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Positions as FENs
    #[arg(value_name = "FEN", required = true, value_parser = parse_board)]
    positions: Vec<Board>,
    /// What the distances count
    #[arg(long, value_enum, default_value_t)]
    metric: MetricArg,
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
    let mut folder = Folder::new(&args.folder, args.metric.into())?;
    let mut answers = Vec::new();
    for position in &args.positions {
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
