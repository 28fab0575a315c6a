//! `tbgen solve`: answers for a position without any files.

use std::cmp::Reverse;
use std::time::Instant;

use anyhow::Result;
use serde_json::{Value as Json, json};
use tbgen::{Board, Library, Metric, Move, Outcome, Shape, Value, process_memory, reachable};

use super::work::{Bars, Machine, MachineArgs};
use super::{
    UsageError, at_least, counter, mebibytes, note_counter, parse_any_board, parse_size, print,
};

/// Answers for a position, with all tables that it needs generated in memory
///
/// A position may have up to 8 pieces. With pawns, only what can still be reached from where they stand is solved. The line
/// is one of best play: to the shortest mate if there is one, and to the next zeroing move otherwise. Values are for a
/// fifty-move counter of 0; that of the FEN is not counted.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen solve '8/8/8/3k4/8/8/3KP3/8 w - - 0 1'")]
pub(crate) struct Args {
    /// Position as a FEN
    #[arg(value_name = "FEN")]
    position: String,
    /// The most memory to use, such as 4G; work that may need more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8G")]
    memory: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// The solved tables of both metrics.
struct Answers {
    tables: [Library; 2],
}

/// A move with the value that it brings the side that makes it, by both metrics.
struct Choice {
    step: Move,
    values: [Value; 2],
}

const METRICS: [Metric; 2] = [Metric::Dtz, Metric::Dtm];

impl Answers {
    fn values(&self, board: &Board) -> Result<[Value; 2]> {
        let mut values = [Value::DRAW; 2];
        for (value, metric) in values.iter_mut().zip(METRICS) {
            let tables = &self.tables[metric as usize];
            *value = board.value(metric, |position| tables.value(position))?;
        }
        Ok(values)
    }

    /// All legal moves, the best first: what keeps most under the fifty-move rule, then the shorter way.
    fn choices(&self, board: &Board) -> Result<Vec<Choice>> {
        let mut all = Vec::new();
        for step in board.moves() {
            let [dtz, dtm] = self.values(&step.after)?;
            let values = [
                Metric::Dtz.after_move(dtz, step.zeroing),
                Metric::Dtm.after_move(dtm, step.zeroing),
            ];
            all.push(Choice { step, values });
        }
        all.sort_by_key(|choice| {
            let [dtz, dtm] = choice.values;
            // A cursed win is no win: its shortest way is that to the next zeroing move.
            let way = match dtz.outcome {
                Outcome::Win | Outcome::Loss => dtm.preference(),
                _ => dtz.preference(),
            };
            Reverse((dtz.outcome, way))
        });
        Ok(all)
    }
}

fn solve_all(args: &Args, shapes: &[Shape]) -> Result<Answers> {
    let bars = Bars::new(METRICS.len() * shapes.len());
    let mut tables = [Library::default(), Library::default()];
    for (library, metric) in tables.iter_mut().zip(METRICS) {
        for shape in shapes {
            let mut table = bars.solve(
                shape,
                library,
                metric,
                None,
                None,
                Machine::with(args.machine.backend()),
            )?;
            table.pack(None)?;
            library.insert(table);
            bars.done();
        }
    }
    Ok(Answers { tables })
}

/// The most memory of the process: both metrics of every table stay, and one is being solved.
fn memory(shapes: &[Shape]) -> u64 {
    let (mut kept, mut most) = (0, 0);
    for metric in METRICS {
        for shape in shapes {
            most = most.max(kept + shape.work_memory(metric, false));
            kept += shape.kept_memory(metric);
        }
    }
    process_memory() + most
}

fn to_json([dtz, dtm]: [Value; 2]) -> Json {
    let mate = (dtm.outcome != Outcome::Draw).then_some(dtm.plies);
    json!({ "wdl": dtz.outcome as i8, "dtz": dtz.plies, "dtm": mate })
}

fn to_text([dtz, dtm]: [Value; 2]) -> String {
    match dtm.outcome {
        Outcome::Draw => dtz.to_string(),
        _ if dtm.plies == 0 => "checkmate".to_owned(),
        outcome => {
            let mate = if outcome > Outcome::Draw {
                "mates"
            } else {
                "is mated"
            };
            format!("{dtz}, {mate} in {} plies", dtm.plies)
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let begin = Instant::now();
    let fen = args.position.trim();
    let wrong = |error| UsageError(format!("{fen:?}: {error}"));
    let position = parse_any_board(fen).map_err(wrong)?;
    let counter = counter(fen)?;
    note_counter(fen, counter);
    let shapes = reachable(&position.position())?;
    let pool = args.machine.pool()?;
    let memory = pool.install(|| memory(&shapes));
    let parts: usize = shapes.iter().map(Shape::parts).sum();
    note!(
        "{} table{} in {parts} part{}, up to {} of memory",
        shapes.len(),
        if shapes.len() == 1 { "" } else { "s" },
        if parts == 1 { "" } else { "s" },
        mebibytes(memory)
    );
    if memory > args.memory {
        return Err(UsageError(format!(
            "the position needs up to {} of memory: --memory allows {}; generate makes whole tables in less, in files",
            at_least(memory),
            mebibytes(args.memory)
        ))
        .into());
    }
    let answers = pool.install(|| solve_all(args, &shapes))?;
    let values = answers.values(&position)?;
    let choices = answers.choices(&position)?;

    let mut line = Vec::new();
    let mut board = position;
    // This ends, as one of the distances falls with every move, or a pawn moves or a piece is taken.
    while answers.values(&board)?[0].outcome != Outcome::Draw {
        let Some(best) = answers.choices(&board)?.into_iter().next() else {
            break;
        };
        line.push(best.step.name);
        board = best.step.after;
    }
    if args.json {
        let moves = choices.iter().map(|choice| {
            let mut entry = to_json(choice.values);
            entry["move"] = choice.step.name.clone().into();
            entry
        });
        let mut text = to_json(values);
        text["fen"] = fen.into();
        text["counter"] = counter.into();
        text["moves"] = moves.collect::<Vec<_>>().into();
        text["line"] = line.into();
        text["seconds"] = begin.elapsed().as_secs_f64().into();
        return print(&format!("{text:#}\n"));
    }
    let mut text = format!("{fen}: {}\n", to_text(values));
    for choice in &choices {
        text.push_str(&format!(
            "  {:<6} {}\n",
            choice.step.name,
            to_text(choice.values)
        ));
    }
    if !line.is_empty() {
        text.push_str(&format!("line: {}\n", line.join(" ")));
    }
    print(&text)
}
