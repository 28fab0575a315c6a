//! `generate --metric help`: makes tables of helpmates, packed or not.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use tbgen::{Endgame, HelpTables, Longest, Metric, Shape, Table, at_least, depth_first, mebibytes};
use tbindex::Color;
use tbindex::store::check_space;

use super::packed::Missing;
use super::report::say;
use super::{Args, Format};
use crate::folder::{FolderKind, begin as begin_file, check_kind, make_folder, remove_stale, size};
use crate::help::stipulation;
use crate::machine::check_memory;
use crate::signals::stop_flag;
use crate::{print, print_json, refuse, shapes_of};

pub(super) fn make(args: &Args, is_chess: bool, all: &[Endgame]) -> Result<()> {
    let alone = args.metric.len() == 1 && !args.rounded && args.log.is_none();
    if !is_chess || !alone || args.format != Format::default() {
        return refuse(
            "--metric help makes tables of chess pieces in files of tbgen's own, and stands alone, without --log",
        );
    }
    let mut materials: Vec<_> = all.iter().map(|endgame| endgame.material).collect();
    let (mut missing, mut lock) = (None, None);
    match &args.output {
        // In this order less is in temporary files at a time.
        None => materials = depth_first(&materials),
        Some(folder) if args.packed => {
            let metrics = Color::ALL.map(Metric::help);
            let now = || Missing::new(args, folder, all.iter().copied(), &metrics, "help");
            let mut packed = now()?;
            if !args.dry_run {
                lock = packed.lock()?;
                packed = now()?;
            }
            let mut tables = packed.tables.iter();
            if let Some((endgame, _)) = tables.find(|(of, _)| of.material.piece_count() > 5) {
                return refuse(format!("at most 5 pieces are packed: not {endgame}"));
            }
            let needed = packed.needed();
            materials.retain(|&material| needed.contains(&material.into()));
            missing = Some(packed).filter(|packed| !packed.tables.is_empty());
        }
        Some(folder) => check_kind(folder, FolderKind::Own)?,
    }
    let shapes = shapes_of(materials)?;
    let unpacked = missing.as_ref().map(|missing| &missing.unpacked);
    let folder = unpacked.or(args.output.as_ref()).map(PathBuf::as_path);
    let Some(mut made) = make_all(args, folder, &shapes)? else {
        return Ok(());
    };
    if args.packed {
        let rows = missing.map_or(Ok(Vec::new()), |missing| missing.pack())?;
        made["packed"] = rows.into();
    }
    drop(lock);
    match args.json {
        true => print_json(&made),
        false => Ok(()),
    }
}

/// The memory and the bytes of temporary files that the tables of these shapes take.
fn needs(args: &Args, folder: Option<&Path>, shapes: &[Shape]) -> Result<(u64, u64)> {
    let Some(folder) = folder else {
        let temporary = HelpTables::temporary(shapes, false);
        return Ok((HelpTables::memory_of_each(shapes, true, false), temporary));
    };
    // What is in files is read from there. While a table's files are written, its temporary ones are there.
    let mut missing = Vec::new();
    for shape in shapes {
        let files = |victim| Table::files(folder, shape.material(), Metric::help(victim));
        let [[white, _], [black, _]] = [files(Color::White)?, files(Color::Black)?];
        if args.force || white.is_none() || black.is_none() {
            missing.push(shape);
        }
    }
    let files = HelpTables::likely_files(missing.iter().copied());
    let each = missing.into_iter().map(std::slice::from_ref);
    let memory = (each.clone()).map(|shape| HelpTables::memory_of_each(shape, true, false));
    let temporary = each.map(|shape| HelpTables::temporary(shape, false) + files);
    Ok((memory.max().unwrap_or(0), temporary.max().unwrap_or(0)))
}

/// Makes the tables of helpmates of these shapes, each after those that it needs, and prints a line of each unless it is to
/// be JSON. Returns what is in them, or `None` if the call only asks what that takes.
fn make_all(args: &Args, folder: Option<&Path>, shapes: &[Shape]) -> Result<Option<Json>> {
    let begin = Instant::now();
    let pool = args.machine.pool()?;
    let temp = args.temp.as_deref().or(folder);
    let temp = temp.map_or(std::env::temp_dir(), Path::to_owned);
    let (memory, temporary) = pool.install(|| needs(args, folder, shapes))?;
    let (count, taken) = (shapes.len(), mebibytes(memory));
    let mut text = format!("helpmates of {count} tables, up to {taken} of memory");
    if temporary > 0 {
        let (bytes, temp) = (mebibytes(temporary), temp.display());
        text += &format!(", up to about {bytes} in {temp}");
    }
    let needs = json!({
        "tables": count,
        "memory_bytes": memory,
        "temporary_bytes": temporary,
    });
    if say(args, &text, &needs)? {
        return Ok(None);
    }
    check_memory("the work", memory, args.memory)?;
    let mut materials = shapes.iter().map(Shape::material);
    let large = materials.find(|material| material.piece_count() > 5);
    if let Some(material) = large.filter(|_| args.memory.is_none()) {
        return refuse(format!(
            "the helpmates of {material} and what it needs are solved in up to {} of memory: allow it by --memory",
            at_least(memory)
        ));
    }
    if let Some(folder) = folder {
        make_folder(folder)?;
        remove_stale(folder)?;
        make_folder(&temp)?;
    }
    check_space(&temp, temporary, "the files")?;
    let mut tables = HelpTables::with_temp(&temp);
    let mut all = Vec::new();
    pool.install(|| {
        for (number, shape) in shapes.iter().enumerate() {
            if stop_flag().load(Ordering::Relaxed) {
                bail!("interrupted");
            }
            let summary = make_one(args, folder, shape, &mut tables)?;
            if folder.is_none() {
                tables.put_aside(&shape.material(), &shapes[number + 1..])?;
            }
            if !args.json {
                print(&format!("{}\n", text_of(&summary)))?;
            }
            all.push(summary);
        }
        Ok(())
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    if !args.json {
        let memory = at_least(memory);
        print(&format!(
            "{count} tables in {seconds:.1} s, up to {memory} of memory\n"
        ))?;
    }
    Ok(Some(json!({ "tables": all, "seconds": seconds })))
}

/// Makes the table of a shape, unless it is in the folder.
fn make_one(
    args: &Args,
    folder: Option<&Path>,
    shape: &Shape,
    tables: &mut HelpTables,
) -> Result<Json> {
    let material = shape.material();
    // A file that was begun keeps other runs from the table.
    let mut begun = [None, None];
    let mut there = false;
    if let Some(folder) = folder {
        there = !args.force && tables.open_whole(folder, material)?;
        if !there {
            for (begun, victim) in begun.iter_mut().zip(Color::ALL) {
                let path = Table::path(folder, material, Metric::help(victim));
                *begun = begin_file(&path, args.overwrite())?;
            }
            // Another run may have made both meanwhile.
            there = begun.iter().all(Option::is_none) && tables.open_whole(folder, material)?;
        }
    }
    let begin = Instant::now();
    if !there {
        tables.solve(shape, args.machine.options(Metric::HelpWhite))?;
        tbindex::fail_point!("tbgen::helpmates_solved");
    }
    let seconds = begin.elapsed().as_secs_f64();
    let libraries = tables.libraries().each_ref();
    let both = libraries.map(|library| library.get(&material).expect("it was made"));
    let mut bytes = 0;
    let mut summary = summary(both)?;
    if let (Some(folder), false) = (folder, there) {
        for (table, begun) in both.into_iter().zip(begun) {
            let path = Table::path(folder, material, table.metric());
            if let Some(begun) = begun {
                table.write_to(begun, stop_flag())?;
            }
            bytes += size(&path)?;
        }
        tables.open_whole(folder, material)?;
    }
    summary["bytes"] = bytes.into();
    summary["seconds"] = seconds.into();
    Ok(summary)
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
