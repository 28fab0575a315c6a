//! What the commands do for endgames with short-range pieces.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use tbgen::{Check, Endgame, Letters, Library, Metric, Plan, Shape, Table, verify_short_range};
use tbindex::Material;
use tbindex::store::Overwrite;

use super::folder::open_table;
use super::work::{Bars, Claim, Done, Machine, claim, plan_for, stop_flag, wait_for};
use super::{MetricArg, UsageError};

/// The one metric that there is.
pub(crate) const METRIC: Metric = Metric::Dtm;

/// Refuses the other metric.
pub(crate) fn check_metric(metrics: &[MetricArg]) -> Result<()> {
    match metrics {
        [] | [MetricArg::Dtm] => Ok(()),
        _ => {
            let message =
                "tables with short-range pieces have distances to mate: expected --metric dtm";
            Err(UsageError(message.to_owned()).into())
        }
    }
}

/// Reads an endgame, with short-range pieces in brackets or without.
pub(crate) fn parse_endgame(text: &str) -> Result<Endgame, String> {
    if text.contains('[') {
        return text
            .parse()
            .map_err(|error: tbgen::EndgameError| error.to_string());
    }
    let material: Material = super::parse_material(text)?;
    let piece_set = tbgen::PieceSet::CHESS;
    Ok(Endgame {
        material,
        piece_set,
    })
}

/// Reads the letters of `--piece`.
pub(crate) fn letters(texts: &[String]) -> Result<Letters> {
    Letters::parse(texts).map_err(|error| UsageError(format!("--piece: {error}")).into())
}

/// Makes the tables of an endgame and of all that captures lead to. If there is a folder, tables that are there are
/// taken from it, and the others are written to it. Returns the last.
pub(crate) fn make(
    endgame: Endgame,
    folder: Option<(&Path, Overwrite)>,
    machine: Machine<'_>,
    mut each: impl FnMut(&Done),
) -> Result<Table> {
    let mut library = Library::default();
    let needed = endgame.needed();
    let bars = Bars::new(needed.len());
    let mut last = None;
    for endgame in needed {
        if let Some(table) = last.take() {
            library.insert(table);
        }
        let mut done = Done::there_already(endgame);
        let mut said = false;
        let (file, there) = loop {
            let Some((folder, overwrite)) = folder else {
                break (None, None);
            };
            let path = Table::path(folder, endgame, METRIC);
            match claim(&path, overwrite)? {
                Claim::Ours(file) => break (Some(file), None),
                Claim::There => break (None, Some(folder)),
                Claim::Theirs => wait_for(&path, &mut said)?,
            }
        };
        let table = match there {
            Some(folder) => open_table(folder, endgame, METRIC)?
                .load()?
                .in_letters(endgame),
            None => {
                let begin = Instant::now();
                let shape = Shape::of_endgame(endgame)?;
                let table = bars.solve(&shape, &library, METRIC, None, None, machine)?;
                done.solved = Some(begin.elapsed());
                if let Some(file) = file {
                    let begin = Instant::now();
                    table.write_to(file, stop_flag())?;
                    done.written = Some(begin.elapsed());
                }
                table
            }
        };
        each(&done);
        bars.done();
        last = Some(table);
    }
    last.context("there is no table to make")
}

/// The shapes of the tables that an endgame needs and that are not in a folder.
pub(crate) fn missing(endgame: Endgame, folder: Option<&Path>, force: bool) -> Result<Vec<Shape>> {
    let there = |endgame: Endgame| {
        folder.is_some_and(|folder| Table::path(folder, endgame, METRIC).exists())
    };
    let needed = endgame.needed().into_iter();
    needed
        .filter(|&endgame| force || !there(endgame))
        .map(|endgame| Ok(Shape::of_endgame(endgame)?))
        .collect()
}

/// The plans of these shapes.
pub(crate) fn plans(shapes: &[Shape], limit: Option<u64>) -> Result<Vec<Plan>> {
    let plans = shapes.iter().map(|shape| plan_for(shape, METRIC, limit));
    plans.collect()
}

/// The endgames with short-range pieces that a folder has tables of, smaller ones first.
pub(crate) fn endgames_in(folder: &Path) -> Result<Vec<Endgame>> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.with_context(|| format!("can't read {}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_table = path
            .extension()
            .is_some_and(|end| end == METRIC.extension());
        if is_table && name.contains('[') {
            let endgame = parse_endgame(&name)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("{} is not named after an endgame", path.display()))?;
            all.push(endgame.normal());
        }
    }
    all.sort_by_key(|endgame| (endgame.material.piece_count(), endgame.to_string()));
    Ok(all)
}

/// Checks a table against its moves, if `with_moves`, and else its checksums alone. Returns the number of positions.
pub(crate) fn verify(
    folder: &Path,
    endgame: Endgame,
    check: Check<'_>,
    with_moves: bool,
) -> Result<Option<u64>> {
    open_table(folder, endgame, METRIC)?.check()?;
    if !with_moves {
        return Ok(None);
    }
    let look_up = |endgame: Endgame| {
        Ok::<_, anyhow::Error>(
            open_table(folder, endgame, METRIC)?
                .as_it_is()
                .in_letters(endgame),
        )
    };
    let table = look_up(endgame.normal())?;
    let mut library = Library::default();
    let mut needed = endgame.needed();
    needed.pop();
    for smaller in needed {
        if smaller.material.piece_count() + 1 == endgame.material.piece_count() {
            library.insert(look_up(smaller)?);
        }
    }
    let checked = verify_short_range(&table, &library, check);
    Ok(Some(checked.context("the table is wrong")?))
}
