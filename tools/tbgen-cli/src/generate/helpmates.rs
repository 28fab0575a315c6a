//! Refusals of `generate --metric help`, and its messages about helpmates.

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use tbgen::{Done, Endgame, InTurn, Longest, Made, Metric, Output, Table, at_least};
use tbindex::Color;

use super::report::Report;
use super::{Args, Format};
use crate::folder::{open_table, size};
use crate::help::stipulation;
use crate::signals::check_stopped;
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

/// The tables since the last of which a summary was made.
#[derive(Default)]
pub(super) struct Summaries {
    /// The bytes of new files of this generator's own.
    bytes: u64,
    /// The seconds that all took to solve.
    seconds: f64,
}

impl Summaries {
    /// Adds what is in a table and that of the other victim, if both are there.
    pub(super) fn add(
        &mut self,
        report: &mut Report<'_>,
        made: Made<'_>,
        output: Output<'_>,
    ) -> Result<()> {
        check_stopped()?;
        let Done {
            endgame, metric, ..
        } = made.done;
        self.seconds += made.done.solved.map_or(0.0, |time| time.as_secs_f64());
        if let (Output::Tables(folder), Some(_)) = (output, made.done.written) {
            self.bytes += size(&Table::path(folder, endgame, metric))?;
        }
        if metric != Metric::HelpBlack {
            return Ok(());
        }
        let mut summary = match (made.table, output.folder()) {
            (Some((table, library)), _) => {
                let white = library.of(&table.material(), Some(Color::White));
                summary([white.context("both victims are solved")?, table])?
            }
            (None, folder) => {
                let folder = folder.context("there are files")?;
                let open = |metric| open_table(folder, endgame, metric);
                let [white, black] = [Metric::HelpWhite, metric].map(open);
                summary([&white?.as_it_is(), &black?.as_it_is()])?
            }
        };
        let text = text_of(&summary);
        let Summaries { bytes, seconds } = std::mem::take(self);
        summary["bytes"] = bytes.into();
        summary["seconds"] = seconds.into();
        report.add_summary(summary, &text)
    }
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
