//! Makes the files of tables that are not there, or says what that takes.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use syzygy_tables::Error;
use tbgen::{
    Done, Endgame, InTurn, Job, Metric, Output, Plan, Shape, Speed, Table, check_checkpoint,
    checkpoint_bytes, depth_first, export_memory, files_bytes, intact_files, mebibytes,
    pack_memory, syzygy_files_bytes,
};

use super::report::{Needs, Report};
use super::{Args, helpmates, in_turn, turns};
use crate::exported::{enter, row_of};
use crate::folder::{FolderKind, keep_kind, make_folder, open_packed, open_table, remove_stale};
use crate::machine::{measure, plan_for};
use crate::syzygy::{memory_again, solved_again};
use crate::{print, shapes_of};

/// Tables by metrics.
type Tables<'a> = Vec<(&'a Shape, Metric)>;

/// Whether the files of a table are in the folder.
///
/// # Errors
/// If there is something else under its name, or its beginning is damaged.
fn has_files(
    args: &Args,
    output: Output<'_>,
    temp: Option<&Path>,
    (shape, metric): (&Shape, Metric),
) -> Result<bool> {
    let Some(folder) = output.folder().filter(|_| !args.force) else {
        return Ok(false);
    };
    let endgame = shape.endgame();
    if let Output::Syzygy(..) = output {
        return match intact_files(folder, &shape.material()) {
            Err(error @ Error::Damaged { .. }) => {
                note!("{endgame} is made again: {error}");
                Ok(false)
            }
            there => Ok(there?),
        };
    }
    let [own, packed] = Table::files(folder, endgame, metric)?;
    let is_packed = matches!(output, Output::Packed(_));
    if own.is_some() && !is_packed {
        open_table(folder, endgame, metric)
            .context("a table that is there can't be used (--force makes it again)")?;
        return Ok(true);
    }
    // Helpmates are packed for good.
    if packed.is_some() && (is_packed || metric.victim().is_none()) {
        open_packed(folder, endgame, metric)
            .context("a packed table that is there can't be used (--force makes it again)")?;
        return Ok(true);
    }
    if !is_packed {
        check_checkpoint(temp.unwrap_or(folder), folder, shape, metric)?;
    }
    Ok(false)
}

/// The speed of this machine and of a folder's disk, if it is asked for, or measuring takes little of the time that so many slots do.
fn speed(args: &Args, slots: u64, disk: Option<&Path>) -> Result<Option<Speed>> {
    let few = if args.dry_run { 0 } else { 1 << 28 };
    let speed = (slots > few).then(|| measure(args.machine.backend(), disk));
    speed.transpose()
}

/// The needs of tables of this generator's own, which are made of those in their folder, and some words on them.
fn own_needs<'a>(
    args: &'a Args,
    [folder, temp]: [&'a Path; 2],
    missing: &Tables<'_>,
) -> Result<(Needs<'a>, String)> {
    let plan = |&(shape, metric): &(&Shape, Metric)| plan_for(shape, metric, args.memory);
    // Of what does not fit, what needs most is named.
    let least = missing
        .iter()
        .max_by_key(|(shape, metric)| Plan::new(shape, *metric, args.memory).err());
    least.map(plan).transpose()?;
    let mut needs = Needs {
        memory: 0,
        files: (files_bytes(missing.iter().copied()), Some(folder)),
        temporary: (0, Some(temp)),
        to_come: 0,
        time: None,
    };
    let (mut traffic, mut plans, mut solved_before) = (0, Vec::new(), Vec::new());
    let folders = [folder.to_owned()];
    for of @ &(shape, metric) in missing {
        let (plan, endgame) = (plan(of)?, shape.endgame());
        // Packed tables are solved again before.
        let job = args.machine.job(&folders, &());
        let again = job.solved_again(&endgame.led_to(), metric)?;
        plans.push((shape, plan));
        if !again.is_empty() {
            let temporary = solved_again(&again, metric, true).temporary();
            needs.memory = needs.memory.max(memory_again(&again, metric, true));
            needs.temporary.0 = needs.temporary.0.max(temporary);
            needs.to_come = needs.to_come.max(temporary);
            solved_before.extend(again.into_iter().map(|shape| (shape, metric)));
        }
        needs.memory = needs.memory.max(plan.memory);
        needs.temporary.0 = needs.temporary.0.max(plan.temporary());
        traffic = traffic.max(plan.traffic);
        // The checkpoint that a killed run has left is there already.
        let there = checkpoint_bytes(temp, endgame, metric).min(plan.checkpoint);
        needs.to_come = needs.to_come.max(plan.temporary() - there);
    }
    let mut text = String::new();
    if traffic > 0 {
        let traffic = mebibytes(traffic);
        text += &format!(", up to {traffic} read and written in each ply");
    }
    let slots = plans.iter().map(|(shape, _)| shape.slots()).sum();
    let on_disk = plans.iter().any(|(_, plan)| plan.group.is_some());
    needs.time = speed(args, slots, on_disk.then_some(temp))?.map(|speed| {
        let before = solved_before.iter();
        let before = before.map(|(shape, metric)| (shape, Plan::in_memory(shape, *metric)));
        let [solve, write] = speed.seconds(plans);
        (speed, speed.seconds(before)[0] + solve + write)
    });
    Ok((needs, text))
}

/// The needs of tables that are solved one after the other, of which some are missing in the folder.
fn needs<'a>(
    args: &Args,
    output: Output<'a>,
    temp: Option<&'a Path>,
    turns: &[InTurn<'_>],
    missing: &Tables<'_>,
) -> Result<Needs<'a>> {
    let is_missing = |shape: &Shape| missing.iter().any(|of| of.0.endgame() == shape.endgame());
    let asked = |shape: &Shape| match output {
        Output::Packed(_) => pack_memory(shape),
        Output::Syzygy(..) if is_missing(shape) => export_memory(shape, true),
        _ => 0,
    };
    let memory = turns.iter().map(|turn| turn.memory_with(asked)).max();
    let temporary = turns.iter().map(InTurn::temporary).max().unwrap_or(0);
    let files = match output {
        // The largest share that was measured is a fifth.
        Output::Packed(_) => files_bytes(missing.iter().copied()) / 5,
        Output::Syzygy(..) => syzygy_files_bytes(missing.iter().map(|of| of.0)),
        _ => 0,
    };
    let mut needs = Needs {
        memory: memory.unwrap_or(0),
        files: (files, output.folder()),
        temporary: (temporary, temp),
        to_come: temporary,
        time: None,
    };
    let tables = || (turns.iter()).flat_map(|turn| in_turn(turn.metrics, turn.shapes));
    let slots = tables().map(|of| of.0.slots()).sum();
    // How long packing takes is not known.
    if !matches!(output, Output::Packed(_))
        && let Some(speed) = speed(args, slots, None)?
    {
        let plan = |(shape, metric)| (shape, Plan::in_memory(shape, metric));
        let solve = speed.seconds(tables().map(plan))[0];
        let export = match output {
            Output::Syzygy(..) => speed.export_seconds(missing.iter().map(|of| of.0)),
            _ => 0.0,
        };
        needs.time = Some((speed, solve + export));
    }
    Ok(needs)
}

/// Makes the files that are not in a folder, unless the call only asks what that takes. Tables that are solved for files of
/// other kinds, or none, are not kept.
pub(super) fn make(
    mut report: Report<'_>,
    metrics: &[Metric],
    mut shapes: Vec<Shape>,
    output: Output<'_>,
) -> Result<()> {
    let args = report.args;
    let folder = output.folder();
    // When another run has ended, what it has made is missing no more.
    let _lock = enter(output, &shapes, args.dry_run)?;
    // Large tables of helpmates that others need are in temporary files, fewer at a time in an order of their own.
    let system = std::env::temp_dir();
    let mut temp = args.temp.as_deref().or(folder);
    if temp.is_none() && metrics[0].victim().is_some() {
        temp = Some(&system);
        let materials: Vec<_> = shapes.iter().map(Shape::material).collect();
        shapes = shapes_of(depth_first(&materials))?;
    }
    let mut todo: HashSet<(Endgame, Metric)> = HashSet::new();
    for of @ (shape, metric) in in_turn(metrics, &shapes) {
        if !has_files(args, output, temp, of)? {
            todo.insert((shape.endgame(), metric));
        }
    }
    let all: u64 = shapes.iter().map(Shape::slots).sum();
    let mut there = Vec::new();
    if matches!(output, Output::Packed(_) | Output::Syzygy(..)) {
        // Missing tables have to be solved, and the tables that they need.
        let needed = todo.iter().flat_map(|(endgame, _)| endgame.needed());
        let needed: HashSet<Endgame> = needed.collect();
        let is_there = |shape: &mut Shape| !needed.contains(&shape.endgame());
        there = shapes.extract_if(.., is_there).collect();
    }
    let is_todo = |(shape, metric): &(&Shape, Metric)| todo.contains(&(shape.endgame(), *metric));
    let missing: Tables<'_> = in_turn(metrics, &shapes).filter(is_todo).collect();
    let turns: Vec<InTurn<'_>> = turns(metrics)
        .map(|metrics| InTurn {
            files: temp.is_some(),
            side_by_side: matches!(output, Output::Syzygy(..)),
            ..InTurn::in_memory(&shapes, metrics)
        })
        .collect();
    let (needs, text) = match (output, temp) {
        (Output::Tables(folder), Some(temp)) => own_needs(args, [folder, temp], &missing)?,
        _ => (needs(args, output, temp, &turns, &missing)?, String::new()),
    };
    let again = match (output, shapes.len().saturating_sub(missing.len())) {
        (Output::Syzygy(..), again @ 1..) => format!(" and {again} to solve again"),
        _ => String::new(),
    };
    if report.say(missing.len(), &needs, [&again, &text])? {
        return Ok(());
    }
    let mut _kept = None;
    if let Output::Tables(folder) = output {
        make_folder(folder)?;
        _kept = keep_kind(folder, FolderKind::Own)?;
        remove_stale(folder)?;
    }
    needs.make_folders()?;
    for (shape, metric) in in_turn(metrics, &there) {
        report.add(&Done::there_already(shape.endgame(), metric));
    }
    let bars = report.bars(
        shapes.len() * metrics.len(),
        needs.time.map(|(speed, _)| speed),
    )?;
    let job = Job {
        output,
        todo: Some(&todo),
        temp,
        overwrite: args.overwrite(),
        memory: args.memory,
        ..args.machine.job(&[], &bars)
    };
    let mut rows = Vec::new();
    for &turn in &turns {
        job.each(turn, |made| {
            bars.done();
            let done = made.done;
            if let (Output::Packed(_), Some(_)) = (output, done.written) {
                let (row, line) = row_of(output, &done)?;
                match args.json {
                    true => rows.push(row),
                    false => print(&line)?,
                }
            }
            // Tables that are in files are counted by other commands.
            match made.table.filter(|_| done.metric.victim().is_some()) {
                Some((table, library)) => helpmates::add(&mut report, table, library)?,
                None => report.add(&done),
            }
            Ok::<_, anyhow::Error>(())
        })?;
    }
    drop(bars);
    let more = match output {
        Output::Packed(_) => ("packed", rows.into()),
        Output::Syzygy(..) => ("rounded", args.rounded.into()),
        _ => ("positions", json!(2 * all)),
    };
    report.end(more)
}
