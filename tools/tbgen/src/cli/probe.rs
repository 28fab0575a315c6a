//! `tbgen probe`: prints the values of positions.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use serde_json::{Value as Json, json};
use tbgen::{Letters, MoveAnswer, Tables};

use super::answers::{
    describe_answer, describe_move, letters, note_counter, open, parse_position, to_json,
};
use super::{MetricArg, UsageError, print};

/// Prints the outcome, the distances and the best moves of positions
///
/// The fifty-move counter of a FEN decides whether a win still comes in time. A position without an answer does not
/// keep the others from theirs.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen probe tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'\n  tbgen probe tables '8/8/8/8/8/4k3/8/K1L5 w - - 0 1' --piece L=WD"
)]
pub(crate) struct Args {
    /// Folder of the tables, of Syzygy files, or of both
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Positions as FENs
    #[arg(value_name = "FEN", required = true)]
    positions: Vec<String>,
    /// Use tables of this metric alone; by distances to mate there is no fifty-move rule
    #[arg(long, value_enum)]
    metric: Option<MetricArg>,
    /// The short-range piece that a letter of the FEN stands for, such as L=WD; may be repeated
    #[arg(long, value_name = "LETTER=PIECE")]
    piece: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Answers for a position as text and, if wanted, as JSON.
fn probe(tables: &Tables, fen: &str, letters: &Letters) -> Result<(String, Json)> {
    let position = parse_position(fen, letters)?;
    let answer = tables.answer(&position)?;
    let moves = tables.moves(&position)?;
    note_counter(fen, &position, &answer);
    let best: Vec<String> = MoveAnswer::best(&moves).map(describe_move).collect();
    let mut text = format!("{fen}: {}", describe_answer(&answer));
    if !best.is_empty() {
        text += &format!("; best: {}", best.join(", "));
    }
    let json = to_json((fen, &position), &answer, Some(&moves), None);
    Ok((text, json))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let letters = letters(&args.piece)?;
    let tables = open(&args.folder, &letters, args.metric)?;
    let (mut answers, mut failed) = (Vec::new(), Vec::new());
    let count = args.positions.len();
    for given in &args.positions {
        let fen = given.trim();
        match probe(&tables, fen, &letters) {
            Ok((_, json)) if args.json => answers.push(json),
            Ok((text, _)) => print(&format!("{text}\n"))?,
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
