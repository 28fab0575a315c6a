//! What `generate --metric help` says of helpmates, and how it makes tables of them of which nothing is kept.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value as Json, json};
use tbgen::{
    Done, Endgame, HelpTables, Longest, Metric, Plan, Shape, Table, at_least, depth_first,
};
use tbindex::Color;
use tbindex::store::check_space;

use super::report::Report;
use super::{Args, Format};
use crate::folder::{open_table, size};
use crate::help::stipulation;
use crate::machine::check_memory;
use crate::signals::check_stopped;
use crate::{mebibytes, refuse, shapes_of};

/// The metrics of both victims.
pub(super) const METRICS: [Metric; 2] = [Metric::HelpWhite, Metric::HelpBlack];

/// Refuses what does not go with helpmates, and tables for whose memory there is no limit.
pub(super) fn check(args: &Args, is_chess: bool, shapes: &[Shape]) -> Result<()> {
    let alone = args.metric.len() == 1 && !args.rounded && args.log.is_none();
    if !is_chess || !alone || args.format != Format::default() {
        return refuse(
            "--metric help makes tables of chess pieces in files of tbgen's own, and stands alone, without --log",
        );
    }
    let mut large = shapes.iter().map(Shape::endgame);
    let large = large.find(|endgame| endgame.material.piece_count() > 5);
    match large {
        Some(endgame) if args.packed => {
            refuse(format!("at most 5 pieces are packed: not {endgame}"))
        }
        Some(endgame) if args.memory.is_none() => {
            let memory = match args.output {
                Some(_) => (shapes.iter())
                    .map(|shape| Plan::in_memory(shape, Metric::HelpWhite).memory)
                    .max(),
                None => Some(HelpTables::memory_of_each(shapes, true, false)),
            };
            refuse(format!(
                "the helpmates of {endgame} and what it needs are solved in up to {} of memory: allow it by --memory",
                at_least(memory.unwrap_or(0))
            ))
        }
        _ => Ok(()),
    }
}

/// Makes tables of which nothing is kept. Large ones that others need are in temporary files meanwhile.
pub(super) fn make_in_memory(report: Report<'_>, all: &[Endgame]) -> Result<()> {
    let args = report.args;
    // In this order less is in temporary files at a time.
    let materials: Vec<_> = all.iter().map(|endgame| endgame.material).collect();
    let shapes = shapes_of(depth_first(&materials))?;
    let pool = args.machine.pool()?;
    let temp = std::env::temp_dir();
    let memory = pool.install(|| HelpTables::memory_of_each(&shapes, true, false));
    let temporary = pool.install(|| HelpTables::temporary(&shapes, false));
    let mut text = format!(", up to {} of memory", mebibytes(memory));
    if temporary > 0 {
        let (bytes, temp) = (mebibytes(temporary), temp.display());
        text += &format!(", up to about {bytes} in {temp}");
    }
    if report.say(2 * shapes.len(), [memory, 0, temporary], &text)? {
        return Ok(());
    }
    check_memory("the work", memory, args.memory)?;
    check_space(&temp, temporary, "the files")?;
    let mut tables = HelpTables::with_temp(&temp);
    for (number, shape) in shapes.iter().enumerate() {
        let material = shape.material();
        pool.install(|| {
            let begin = std::time::Instant::now();
            tables.solve(shape, args.machine.options(Metric::HelpWhite))?;
            let seconds = begin.elapsed().as_secs_f64();
            let both = Color::ALL.map(|victim| tables.library().of(&material, Some(victim)));
            let both = both.map(|table| table.expect("it was solved"));
            report.add_helpmates(summary(both)?, 0, seconds)?;
            Ok::<_, anyhow::Error>(tables.put_aside(&material, &shapes[number + 1..])?)
        })?;
    }
    report.end(&pool, super::positions(&shapes))
}

/// Adds what is in the tables of both victims, which are in a folder.
pub(super) fn add(report: &Report<'_>, folder: &Path, both: &[Done]) -> Result<()> {
    check_stopped()?;
    let (mut tables, mut bytes, mut seconds) = (Vec::new(), 0, 0.0);
    for done in both {
        if done.written.is_some() {
            bytes += size(&Table::path(folder, done.endgame, done.metric))?;
        }
        seconds += done.solved.map_or(0.0, |time| time.as_secs_f64());
        tables.push(open_table(folder, done.endgame, done.metric)?.as_it_is());
    }
    report.add_helpmates(summary([&tables[0], &tables[1]])?, bytes, seconds)
}

/// The longest helpmates and the dead positions of a table.
fn summary(both: [&Table; 2]) -> Result<Json> {
    let mut json = json!({ "material": both[0].material().to_string() });
    for (table, victim) in both.into_iter().zip(Color::ALL) {
        let [longest, unique] = tbgen::longest(table)?;
        let of = |longest: Option<Longest>| {
            longest.map(|Longest { plies, position }| {
                json!({ "moves": stipulation(plies), "plies": plies, "fen": position.to_string() })
            })
        };
        json[Metric::help(victim).name()] = json!({ "longest": of(longest), "unique": of(unique) });
    }
    for (counts, side) in tbgen::dead(both)?.into_iter().zip(Color::ALL) {
        json[format!("{side}_to_move")] = json!({ "positions": counts[0], "dead": counts[1] });
    }
    Ok(json)
}

/// A table's summary in a line.
pub(super) fn text_of(summary: &Json) -> String {
    let mut text = summary["material"].as_str().unwrap_or_default().to_owned();
    for victim in Color::ALL {
        let of = &summary[Metric::help(victim).name()];
        let way = |longest: &Json| match longest["moves"].as_str() {
            Some(moves) => format!("{moves} ({})", longest["fen"].as_str().unwrap_or_default()),
            None => "none".to_owned(),
        };
        let [longest, unique] = ["longest", "unique"].map(|of_which| way(&of[of_which]));
        text += &format!("; {victim} mated: longest {longest}, unique {unique}");
    }
    let of = |field: &str| -> u64 {
        Color::ALL
            .into_iter()
            .filter_map(|side| summary[format!("{side}_to_move")][field].as_u64())
            .sum()
    };
    text + &format!("; dead {} of {}", of("dead"), of("positions"))
}
