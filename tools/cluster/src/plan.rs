//! The memory and messages that a table needs with so many processes, before it is begun.

use std::io::{self, Write};

use anyhow::Result;
use serde_json::json;
use tbgen::{MakeError, Shape, SharedPlan, mebibytes};

use crate::Args;

/// The plies that a table takes, roughly: those of both sides' wins.
const PLIES: u64 = 200;

/// Prints the plan of the table for so many processes.
pub(crate) fn print(args: &Args, processes: usize) -> Result<()> {
    let mut out = io::stdout().lock();
    // The memory of threads is part of the plan.
    let threads = usize::from(args.threads);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()?;
    let shape = Shape::new(args.material.normal())?;
    let plan = SharedPlan::new(&shape, processes, args.memory);
    let plan = plan.map_err(|least| MakeError::Memory {
        endgame: shape.endgame().to_string(),
        least,
        limit: args.memory.unwrap_or(0),
    })?;
    let alone = SharedPlan::new(&shape, 1, None).map_or(0, |plan| plan.memory());
    let all: usize = plan.processes.iter().map(|process| process.slices[0]).sum();
    let most = |winner: usize| {
        let slices = plan.processes.iter().map(|process| process.slices[winner]);
        slices.max().unwrap_or(0)
    };
    let balance = |winner: usize| most(winner) as f64 * processes as f64 / all as f64;
    let memory = plan.memory();
    let sets: u64 = plan.processes.iter().map(|process| process.sets).sum();
    if args.json {
        let each = plan.processes.iter().map(|process| {
            json!({
                "slices": process.slices,
                "received": process.received,
                "memory_bytes": process.memory,
                "sets_bytes": process.sets,
            })
        });
        let report = json!({
            "material": shape.material().to_string(),
            "processes": each.collect::<Vec<_>>(),
            "memory_bytes": memory,
            "sets_bytes": sets,
            "memory_bytes_alone": alone,
            "sent_bytes": plan.sent,
            "sent_bytes_per_ply": plan.sent / PLIES,
            "checkpoint_bytes": plan.checkpoint,
            "most_slices_to_mean": [balance(0), balance(1)],
        });
        writeln!(out, "{report:#}")?;
        return Ok(());
    }
    let has_pawns = shape.material().has_pawns();
    let what = match has_pawns {
        true => "placements of the pawns",
        false => "slices",
    };
    let (material, sizes) = (shape.material(), [memory, alone, sets, plan.checkpoint]);
    let [each, alone, sets, checkpoint] = sizes.map(mebibytes);
    let [sent, by_ply] = [plan.sent, plan.sent / PLIES].map(mebibytes);
    let [white, black] = [0, 1].map(balance);
    writeln!(
        out,
        "{material}: {all} {what} among {processes} processes of {threads} threads"
    )?;
    for (number, process) in plan.processes.iter().enumerate() {
        let memory = mebibytes(process.memory);
        let [white, black] = process.slices;
        let [of_white, of_black] = process.received;
        write!(out, "process {number}: {memory} of memory, {white} {what}")?;
        if !has_pawns {
            write!(
                out,
                " for white's wins and {black} for black's, gets what is lost in {of_white} and {of_black} others"
            )?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "each: up to {each} of memory; one process with all sets in memory: {alone}"
    )?;
    if plan.group.is_some() {
        writeln!(
            out,
            "sets on disk: {sets} in all processes together; a ply reads at most as much, and writes as much"
        )?;
    }
    writeln!(
        out,
        "balance: the most {what} are {white:.2} and {black:.2} times the mean\n\
         sent by all: roughly {sent}, {by_ply} in a ply if there are {PLIES}; checkpoints of up to {checkpoint} in the shared folder"
    )?;
    let busy = plan
        .processes
        .iter()
        .filter(|process| process.slices != [0; 2])
        .count();
    if busy < processes {
        writeln!(out, "only {busy} processes get any {what}: start no more")?;
    }
    Ok(())
}
