//! `tbgen line`: prints best play to the end.

use anyhow::Result;
use tbgen::{Metric, Tables};
use tbindex::Rights;

use super::answers::{can_mate, describe_answer, letters, note_counter, parse_position, row_of};
use super::help::no_letters;
use super::tables::TablesArgs;
use super::{metric_parser, print, print_json};

/// Prints best play by both sides to the end, through captures and promotions into other tables
///
/// Both sides keep what they can with the fifty-move counter. The winner takes the shortest way to mate if there are tables
/// with distances to mate, else to the next capture, pawn move or mate, and the loser the longest. The line of a drawn
/// position is empty; where the rule alone saves the loser, it ends when the counter is 100. With --metric help the lines are
/// the solutions of the shortest helpmates, in which White and in which Black is checkmated.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen line --tables tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'\n  tbgen line --tables help '7k/8/8/8/8/8/8/R3K3 b - - 0 1' --metric help --most 10\n  tbgen line --tables tables '8/8/8/8/8/4k3/8/K1L5 w - - 0 1' --piece L=WD"
)]
pub(crate) struct Args {
    #[command(flatten)]
    tables: TablesArgs,
    /// Position as a FEN
    #[arg(value_name = "FEN")]
    position: String,
    /// Use tables of this metric alone; by distances to mate there is no fifty-move rule
    #[arg(long, value_parser = metric_parser(3))]
    metric: Option<Metric>,
    /// With --metric help: the most solutions to print of each side that is checkmated
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = super::help::parse_most)]
    most: usize,
    /// The short-range piece that a letter of the FEN stands for, such as L=WD; may be repeated
    #[arg(long, value_name = "LETTER=PIECE")]
    piece: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let fen = args.position.trim();
    let letters = letters(&args.piece)?;
    let position = parse_position(fen, &letters, Rights::Keep)?;
    if args.metric == Some(Metric::HelpWhite) {
        no_letters(&letters)?;
        return super::help::lines(&args.tables.folders, (fen, &position), args.most, args.json);
    }
    let tables = args.tables.open(&letters, args.metric, true)?;
    let line = tables.line(&position)?;
    let answer = tables.answer(&position)?;
    note_counter(args.metric, fen, &position, &answer);
    if args.json {
        let helpmates = Tables::open(&args.tables.folders)?;
        let can_mate = can_mate(&position, &helpmates)?;
        let of = (fen, &position);
        return print_json(&row_of(of, &answer, can_mate, None, Some(&line)));
    }
    let mut text = format!("{fen}: {}\n", describe_answer(&answer));
    for (number, step) in line.moves.iter().enumerate() {
        text += &format!("{:>4}. {:<6} {}\n", number + 1, step.uci, step.san);
    }
    text += &format!("{}: {}\n", line.end.fen(), line.ending.name());
    print(&text)
}
