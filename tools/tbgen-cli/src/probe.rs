//! `tbgen probe`: prints the values of positions.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::iter;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use tbgen::{
    Answer, BatchProber, GamePosition, HelpTables, Letters, Metric, MoveAnswer, ProbeError, Tables,
};
use tbindex::{Color, Lines, Rights};

use super::answers::{
    add_mates, can_mate, describe_answer, describe_mates, describe_move, letters, note_counter,
    parse_position, to_json,
};
use super::help::{no_helpmates, no_letters, shortest};
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
    /// What to do with castling rights and en-passant squares: keep those that can be and drop the others; drop all; or refuse
    /// all
    #[arg(long, value_name = "WAY", default_value_t = Rights::Keep)]
    rights: Rights,
    /// Leave the moves out, which takes a small part of the time
    #[arg(long)]
    values_only: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value = "text", conflicts_with = "json")]
    format: FormatArg,
    /// Print one JSON object; the same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatArg {
    /// A line for a reader
    Text,
    /// One JSON object of all positions, at the end
    Json,
    /// A JSON object in a line for each position
    Jsonl,
    /// A record for each position, after a head with the names of the columns
    Csv,
}

/// The columns of CSV: fields of a position's value.
const COLUMNS: &str =
    "wdl,certain,wdl_at_zero,dtz,exact,dtm,check,checkmate,stalemate,insufficient_material";

/// How many positions are answered together, by several threads: with their moves, and without.
const TOGETHER: [usize; 2] = [1 << 12, 1 << 16];
/// The memory that may be taken for them.
const MEMORY: usize = 512 << 20;

/// Answers for a position as text and as JSON.
fn describe(
    tables: &Tables,
    helpmates: &HelpTables,
    (fen, position): (&str, &GamePosition),
    answer: &Answer,
    values_only: bool,
) -> Result<(String, Json)> {
    let moves = match values_only {
        true => None,
        false => Some(tables.moves(position)?),
    };
    note_counter(fen, position, answer);
    let best = moves.as_deref().map(MoveAnswer::best).into_iter().flatten();
    let best: Vec<String> = best.map(describe_move).collect();
    let mut text = format!("{fen}: {}", describe_answer(answer));
    if !best.is_empty() {
        text += &format!("; best: {}", best.join(", "));
    }
    let can_mate = can_mate(position, helpmates);
    text += describe_mates(can_mate);
    let mut json = to_json((fen, position), answer, moves.as_deref(), None);
    add_mates(&mut json, can_mate);
    Ok((text, json))
}

fn head(is_help: bool) -> String {
    match is_help {
        false => format!("fen,{COLUMNS},best\n"),
        true => {
            let [white, black] = Color::ALL.map(|victim| Metric::help(victim).name());
            format!("fen,{white},{white}_unique,{black},{black}_unique\n")
        }
    }
}

/// A record of CSV; FENs and moves have no commas.
fn record(json: &Json, is_help: bool) -> String {
    let mut text = json["fen"].as_str().unwrap_or_default().to_owned();
    let mut add = |value: &Json, columns: &str| {
        for column in columns.split(',') {
            text.push(',');
            match &value[column] {
                Json::Null => {}
                field => text += &field.to_string(),
            }
        }
    };
    if is_help {
        for victim in Color::ALL {
            add(&json[Metric::help(victim).name()], "plies,unique");
        }
        return text;
    }
    add(&json["value"], COLUMNS);
    let best = json["best"].as_array().into_iter().flatten();
    let best: Vec<&str> = best.filter_map(Json::as_str).collect();
    text + "," + &best.join(" ")
}

/// What positions are answered for from.
struct Known<'a> {
    args: &'a Args,
    /// None where helpmates are asked for.
    prober: Option<BatchProber<Box<Tables>>>,
    /// What is in the folder.
    helpmates: HelpTables,
    letters: Letters,
}

impl Known<'_> {
    /// Answers for positions, in order.
    fn answers(&self, fens: &[String]) -> Vec<Result<(String, Json)>> {
        let (args, helpmates) = (self.args, &self.helpmates);
        let read = fens.par_iter();
        let read = read.map(|fen| parse_position(fen, &self.letters, args.rights));
        let read: Vec<Result<GamePosition>> = read.collect();
        let Some(prober) = &self.prober else {
            let all = fens.par_iter().zip(read);
            let missing = |error: anyhow::Error| match error.downcast_ref() {
                Some(ProbeError::Missing(table)) => {
                    anyhow!(no_helpmates(*table, &args.tables.folders))
                }
                _ => error,
            };
            return all
                .map(|(fen, position)| {
                    let position = position?;
                    shortest(fen, |victim| Ok(helpmates.value(&position, victim)?)).map_err(missing)
                })
                .collect();
        };
        let positions: Vec<GamePosition> = read.iter().flatten().cloned().collect();
        let mut answers = prober.answers(&positions).into_iter();
        let mut next = || answers.next().expect("an answer for each position");
        let read = read.into_iter().map(|position| Ok((position?, next()?)));
        let read: Vec<Result<(GamePosition, Answer)>> = read.collect();
        let all = fens.par_iter().zip(read).map(|(fen, read)| {
            let (position, answer) = read?;
            let of = (fen.as_str(), &position);
            describe(prober.tables(), helpmates, of, &answer, args.values_only)
        });
        all.collect()
    }
}

type Fens = Box<dyn Iterator<Item = Result<String>>>;

/// The positions in the lines of a text. Empty ones, and those that begin with #, are left out.
fn fens_in(input: impl BufRead + 'static) -> Fens {
    let mut lines = Lines::new(input);
    let lines = iter::from_fn(move || lines.next_line().transpose());
    let lines = lines.map(|line| {
        let line = line.context("can't read the positions")?;
        Ok(line.trim().to_owned())
    });
    Box::new(lines.filter(|fen: &Result<String>| {
        (fen.as_ref()).map_or(true, |fen| !fen.is_empty() && !fen.starts_with('#'))
    }))
}

/// The positions of a call, in order.
fn fens(args: &Args) -> impl Iterator<Item = Result<String>> {
    let given = args.positions.iter().flat_map(|given| match given.trim() {
        "-" => fens_in(io::stdin().lock()),
        fen => Box::new(iter::once(Ok(fen.to_owned()))),
    });
    let files = args.input.iter().flat_map(|path| -> Fens {
        let file = File::open(path).with_context(|| format!("can't read {}", path.display()));
        match file {
            Ok(file) => fens_in(BufReader::new(file)),
            Err(error) => Box::new(iter::once(Err(error))),
        }
    });
    given.chain(files)
}

impl Args {
    fn format(&self) -> FormatArg {
        match self.json {
            true => FormatArg::Json,
            false => self.format,
        }
    }

    fn is_help(&self) -> bool {
        self.metric == Some(Metric::HelpWhite)
    }

    /// Whether there may be more than one position.
    fn has_many(&self) -> bool {
        self.positions.len() != 1 || self.positions[0] == "-" || !self.input.is_empty()
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let letters = letters(&args.piece)?;
    let prober = match args.is_help() {
        true => {
            no_letters(&letters)?;
            None
        }
        false => {
            let tables = args.tables.open(&letters, args.metric, !args.has_many())?;
            Some(BatchProber::new(Box::new(tables), MEMORY))
        }
    };
    let known = Known {
        args,
        prober,
        helpmates: HelpTables::open_all(&args.tables.folders)?,
        letters,
    };
    let format = args.format();
    if format == FormatArg::Csv {
        print(&head(args.is_help()))?;
    }
    let (mut count, mut failed, mut answers) = (0, 0, Vec::new());
    // The first failure, and whether each is a wrong call.
    let (mut failure, mut all_usage) = (None, true);
    let mut fens = fens(args);
    loop {
        let some = fens.by_ref().take(TOGETHER[usize::from(args.values_only)]);
        let some: Vec<String> = some.collect::<Result<_>>()?;
        if some.is_empty() {
            break;
        }
        count += some.len();
        let mut out = String::new();
        for (fen, result) in some.iter().zip(known.answers(&some)) {
            let (text, json) = match result {
                Ok((text, json)) => (Some(text), json),
                Err(error) => {
                    let json = json!({ "fen": fen, "error": format!("{error:#}") });
                    if args.has_many() {
                        note!("tbgen: {error:#}");
                    }
                    failed += 1;
                    all_usage &= error.is::<UsageError>();
                    failure.get_or_insert(error);
                    (None, json)
                }
            };
            match format {
                FormatArg::Text => out.extend(text.map(|text| text + "\n")),
                FormatArg::Csv => out.extend(text.map(|_| record(&json, args.is_help()) + "\n")),
                FormatArg::Jsonl => out += &format!("{json}\n"),
                FormatArg::Json => answers.push(json),
            }
        }
        print(&out)?;
    }
    if format == FormatArg::Json && failed < count {
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
