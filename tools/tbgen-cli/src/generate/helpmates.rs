//! Refusals of `generate --metric help`, and its messages about helpmates.

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use tbgen::{
    Counting, Endgame, InTurn, Library, Metric, MineOptions, Stats, Table, at_least, mine,
};
use tbindex::Color;
use tbindex::batch::Backend;

use super::report::Report;
use super::{Args, Format};
use crate::help::stipulation;
use crate::signals::{check_stopped, stop_flag};
use crate::{refuse, shapes_of};

/// The metrics of helpmates. Refuses what does not go with them, and large tables for whose memory there is no limit.
pub(super) fn check(args: &Args, is_chess: bool, all: &[Endgame]) -> Result<Vec<Metric>> {
    let alone = args.metric.len() == 1 && !args.rounded;
    if !is_chess || !alone || args.format != Format::default() {
        return refuse(
            "--metric help makes tables of chess pieces in files of tbgen's own, and stands alone",
        );
    }
    let metrics = Metric::HelpWhite.of_smaller();
    let large = |endgame: &&Endgame| endgame.material.piece_count() > 5;
    if let Some(endgame) = all.iter().find(large).filter(|_| args.memory.is_none()) {
        let shapes = shapes_of(all.iter().copied())?;
        let turn = InTurn {
            files: true,
            ..InTurn::in_memory(&shapes, metrics)
        };
        return refuse(format!(
            "the helpmates of {endgame} and what it needs are solved in up to {} of memory: allow it by --memory",
            at_least(turn.memory())
        ));
    }
    Ok(metrics.to_vec())
}

/// Adds what is in a solved table and that of the other victim to a report, if both are there.
pub(super) fn add(report: &mut Report<'_>, table: &Table, library: &Library) -> Result<()> {
    check_stopped()?;
    if table.metric() != Metric::HelpBlack {
        return Ok(());
    }
    let white = library.of(&table.material(), Some(Color::White));
    let white = white.context("both victims are solved")?;
    let summary = summary([white, table], report.args.machine.backend())?;
    let text = text_of(&summary);
    report.add_summary(summary, &text)
}

/// The longest helpmates and the dead positions of a table.
fn summary(both: [&Table; 2], backend: Backend) -> Result<Json> {
    let mut json = json!({ "material": both[0].material().to_string() });
    let of_side = |side: Color| format!("{side}_to_move");
    for (table, victim) in both.into_iter().zip(Color::ALL) {
        let stats = Stats::of(table, Counting::Unordered)?;
        // Way 0 has one solution, and way 1 several.
        let longest = |ways: &[usize]| {
            let of_way = |&way: &usize| stats.sides.each_ref().map(|side| side.longest[way]);
            let all = ways.iter().flat_map(of_way).flatten();
            let (plies, position) = all.max_by_key(|(plies, _)| *plies)?;
            let (moves, fen) = (stipulation(plies), position.to_string());
            Some(json!({ "moves": moves, "plies": plies, "fen": fen }))
        };
        let (all, unique) = (longest(&[0, 1]), longest(&[0]));
        json[Metric::help(victim).name()] = json!({ "longest": all, "unique": unique });
        for (counts, side) in stats.sides.iter().zip(Color::ALL) {
            json[of_side(side)] = json!({ "positions": counts.total() });
        }
    }
    let options = MineOptions {
        helpmates: Some(both),
        // So few take less memory than it took to solve the tables.
        slices_at_once: 4,
        ..MineOptions::new(backend, stop_flag())
    };
    let (none, query) = (Library::default(), "dead".parse()?);
    let dead = mine(both[0], &none, &query, options, |_| Ok(()))?;
    for (dead, side) in dead.sides.iter().zip(Color::ALL) {
        json[of_side(side)]["dead"] = dead.positions.into();
    }
    Ok(json)
}

/// A table's summary in a line.
fn text_of(summary: &Json) -> String {
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
