//! `tbgen probe`: prints the values of positions.

use std::iter;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use serde_json::json;
use tbgen::{Answer, BatchProber, GamePosition, Metric, MoveAnswer, Tables, TablesError};
use tbindex::Rights;

use super::answers::{
    can_mate, describe_answer, describe_mates, letters, note_counter, parse_position, row_of,
};
use super::help::{helpmate, no_helpmates, no_letters, shortest};
use super::output::Output;
use super::rows::epd::is_remark;
use super::rows::format::Format;
use super::rows::item::{Input, input_name};
use super::rows::row::Row;
use super::rows::writer::RowWriter;
use super::tables::TablesArgs;
use super::{UsageError, metric_parser, print, print_json, refuse};

/// Prints the outcome, the distances and the best moves of positions
///
/// The fifty-move counter of a FEN decides whether a win still comes in time. A position without an answer does not
/// keep the others from theirs.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen probe --tables tables '8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1'\n  tbgen probe --tables tables '8/8/8/8/8/4k3/8/K1L5 w - - 0 1' --piece L=WD\n  tbgen probe --tables tables --input positions.fen --format jsonl --values-only\n  tbgen probe --tables help '7k/8/8/8/8/8/8/R3K3 b - - 0 1' --metric help"
)]
pub(crate) struct Args {
    #[command(flatten)]
    tables: TablesArgs,
    /// Positions as FENs; - is the lines of standard input
    #[arg(value_name = "FEN", required_unless_present = "input")]
    positions: Vec<String>,
    /// File of positions, a FEN in each line; empty lines, and those that begin with #, are left out
    #[arg(short, long, value_name = "FILE")]
    input: Vec<PathBuf>,
    /// Use tables of this metric alone; by distances to mate there is no fifty-move rule. With help, the answer is the shortest
    /// helpmates, in which White and in which Black is checkmated
    #[arg(long, value_parser = metric_parser(3))]
    metric: Option<Metric>,
    /// The short-range piece that a letter of the FEN stands for, such as L=WD; may be repeated
    #[arg(long, value_name = "LETTER=PIECE")]
    piece: Vec<String>,
    /// How to treat castling rights and en-passant squares: keep those that can be and drop the others; drop all; or refuse
    /// all
    #[arg(long, value_name = "WAY", default_value_t = Rights::Keep)]
    rights: Rights,
    /// Leave the moves out, which takes a small part of the time
    #[arg(long)]
    values_only: bool,
    /// Form of the output
    #[arg(long, value_parser = Format::parser("text,json,jsonl,csv,epd"), default_value = "text", conflicts_with = "json")]
    format: Format,
    /// Print one JSON object; the same as --format json
    #[arg(long)]
    json: bool,
}

/// How many positions are answered together, by several threads: with their moves, and without.
const TOGETHER: [usize; 2] = [1 << 12, 1 << 16];
/// The memory that may be taken for them.
const MEMORY: usize = 512 << 20;

/// An answer as text and as a row.
type Described = Result<(String, Row)>;

/// The source of answers for positions, in their order.
fn answers(args: &Args) -> Result<impl Fn(&[String]) -> Vec<Described>> {
    let letters = letters(&args.piece)?;
    let prober = match args.is_help() {
        true => no_letters(&letters).map(|()| None)?,
        false => {
            let tables = args.tables.open(&letters, args.metric, !args.has_many())?;
            Some(BatchProber::new(Box::new(tables), MEMORY))
        }
    };
    let helpmates = Tables::open(&args.tables.folders)?;
    Ok(move |fens: &[String]| {
        let read = fens.par_iter();
        let read = read.map(|fen| parse_position(fen, &letters, args.rights));
        let read: Vec<Result<GamePosition>> = read.collect();
        let Some(prober) = &prober else {
            let missing = |error: anyhow::Error| match error.downcast_ref() {
                Some(TablesError::Missing { endgame, .. }) => {
                    anyhow!(no_helpmates(endgame.material, &args.tables.folders))
                }
                _ => error,
            };
            let all = fens.par_iter().zip(read).map(|(fen, position)| {
                let position = position?;
                let find = |victim| Ok(helpmate(&helpmates, &position, victim)?);
                shortest(fen, find).map_err(missing)
            });
            return all.collect();
        };
        let positions: Vec<GamePosition> = read.iter().flatten().cloned().collect();
        let mut answers = prober.answers(&positions).into_iter();
        let mut next = || answers.next().expect("an answer for each position");
        let read = read.into_iter().map(|position| Ok((position?, next()?)));
        let read: Vec<Result<(GamePosition, Answer)>> = read.collect();
        let all = fens.par_iter().zip(read).map(|(fen, read)| {
            let (position, answer) = read?;
            let moves = (!args.values_only).then(|| prober.tables().moves(&position));
            let moves = moves.transpose()?;
            note_counter(args.metric, fen, &position, &answer);
            let best = moves.as_deref().map(MoveAnswer::best).into_iter().flatten();
            let best = best.map(|step| format!("{} ({})", step.san, step.uci));
            let best: Vec<String> = best.collect();
            let mut text = format!("{fen}: {}", describe_answer(&answer));
            if !best.is_empty() {
                text += &format!("; best: {}", best.join(", "));
            }
            let can_mate = can_mate(&position, &helpmates)?;
            text += describe_mates(can_mate);
            let row = row_of((fen, &position), &answer, can_mate, moves.as_deref(), None);
            Ok((text, row))
        });
        all.collect()
    })
}

/// A position that is asked for.
struct Asked {
    /// Its file and line, unless it is an argument.
    place: Option<String>,
    /// Its FEN, or why there is none.
    fen: Result<String, String>,
}

/// Positions that are asked for, as they are read.
type Reading = Box<dyn Iterator<Item = Result<Asked>>>;

/// The positions in the lines of a file.
fn positions_in(path: &Path) -> Reading {
    let mut input = match Input::open(path) {
        Ok(input) => input,
        Err(error) => return Box::new(iter::once(Err(error))),
    };
    let name = input_name(path);
    let unreadable = format!("can't read {name}");
    let lines = iter::from_fn(move || input.line().context(unreadable.clone()).transpose());
    let positions = lines.map(move |line| {
        let (number, line) = line?;
        Ok(Asked {
            place: Some(format!("{name}: line {number}")),
            fen: line
                .map(|line| line.trim().to_owned())
                .map_err(|bad| bad.why),
        })
    });
    let is_position = |asked: &Result<Asked>| match asked {
        Ok(Asked { fen: Ok(fen), .. }) => !is_remark(fen),
        _ => true,
    };
    Box::new(positions.filter(is_position))
}

/// The positions of a call, in order.
fn positions(args: &Args) -> impl Iterator<Item = Result<Asked>> {
    let given = args.positions.iter().flat_map(|given| match given.trim() {
        "-" => positions_in(Path::new("-")),
        fen => {
            let (place, fen) = (None, Ok(fen.to_owned()));
            Box::new(iter::once(Ok(Asked { place, fen })))
        }
    });
    given.chain(args.input.iter().flat_map(|path| positions_in(path)))
}

impl Args {
    fn is_help(&self) -> bool {
        self.metric == Some(Metric::HelpWhite)
    }

    /// Whether there may be more than one position.
    fn has_many(&self) -> bool {
        self.positions.len() != 1 || self.positions[0] == "-" || !self.input.is_empty()
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let format = if args.json { Format::Json } else { args.format };
    let answers_for = answers(args)?;
    let columns = match (args.is_help(), format) {
        (true, Format::Epd) => return refuse("EPD has no operations for helpmates"),
        (true, _) => "fen,help-white.plies,help-white.unique,help-black.plies,help-black.unique",
        (false, _) => {
            "fen,wdl,dtz,dtm,exact,wdl_at_zero,check,checkmate,stalemate,insufficient_material,best"
        }
    };
    let columns: Vec<&str> = columns.split(',').collect();
    let new = || RowWriter::new(format, &columns, None, Output::standard());
    let writer = format.is_of_rows().then(new);
    let mut writer = writer.transpose()?;
    let (mut count, mut failed, mut answers) = (0, 0, Vec::new());
    // The first failure, and whether each is a wrong call.
    let (mut failure, mut all_usage) = (None, true);
    let mut positions = positions(args);
    loop {
        let some = positions
            .by_ref()
            .take(TOGETHER[usize::from(args.values_only)]);
        let some: Vec<Asked> = some.collect::<Result<_>>()?;
        if some.is_empty() {
            break;
        }
        count += some.len();
        let (mut texts, mut rows) = (String::new(), Vec::new());
        let fens = some.iter().flat_map(|asked| asked.fen.clone());
        let mut answers_of = answers_for(&fens.collect::<Vec<_>>()).into_iter();
        for Asked { place, fen } in some {
            let mut next = || answers_of.next().expect("an answer for each position");
            let (fen, result) = match fen {
                Ok(fen) => (Some(fen), next()),
                Err(why) => (None, Err(anyhow!(why))),
            };
            match result {
                Ok((text, row)) => {
                    texts += &(text + "\n");
                    rows.push(row);
                }
                Err(error) => {
                    match format {
                        Format::Text => {}
                        Format::Json | Format::Jsonl => {
                            rows.push(json!({ "fen": fen, "error": format!("{error:#}") }));
                        }
                        _ => rows.push(json!({ "fen": fen })),
                    }
                    // A call is wrong if an argument is, and not if a line is.
                    let error = match (place, fen) {
                        (Some(place), _) => anyhow!("{place}: {error:#}"),
                        (None, Some(fen)) if args.has_many() && !error.is::<UsageError>() => {
                            error.context(fen)
                        }
                        _ => error,
                    };
                    if args.has_many() {
                        note!("tbgen: {error:#}");
                    }
                    failed += 1;
                    all_usage &= error.is::<UsageError>();
                    failure.get_or_insert(error);
                }
            }
        }
        match &mut writer {
            Some(writer) => writer.write(&mut rows.into_iter())?,
            None if format == Format::Text => print(&texts)?,
            None => answers.extend(rows),
        }
    }
    writer.map_or(Ok(()), RowWriter::finish)?;
    if format == Format::Json {
        print_json(&json!({ "positions": answers }))?;
    }
    match failure {
        None => Ok(()),
        Some(failure) if !args.has_many() => Err(failure),
        Some(_) => {
            let message = format!("{failed} of {count} positions have no answer");
            match all_usage {
                true => refuse(message),
                false => Err(anyhow!(message)),
            }
        }
    }
}
