//! `tbgen stats`: prints how many positions have each value.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use tbgen::{Counting, Outcome, Published, Shape, SideStats, Stats, Table, TableFile, needed_by};
use tbindex::{Color, Material};

use super::work::{Machine, MachineArgs, make};
use super::{MetricArg, UsageError, parse_material, print};

/// Prints how many positions are won, drawn and lost, the numbers at each distance, and the longest lines
///
/// Positions are counted up to symmetry and the exchange of like pieces. Syzygy files are probed position by position:
/// that takes seconds with three pieces, a minute with four, and hours with five.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen stats KQvKR --json")]
pub(crate) struct Args {
    /// A table file, a Syzygy file with those beside it that it needs, or a material, which is generated in memory
    #[arg(value_name = "FILE|MATERIAL")]
    table: String,
    /// Count like pieces as if they could be told apart
    #[arg(long)]
    ordered: bool,
    /// What the distances of a table that is generated count; a file knows it
    #[arg(long, value_enum, default_value_t)]
    metric: MetricArg,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

fn table(args: &Args) -> Result<Table> {
    let path = Path::new(&args.table);
    if path.exists() {
        return Ok(TableFile::open(path)?.as_it_is());
    }
    let material = parse_material(&args.table).map_err(|error| {
        UsageError(format!(
            "{:?} is not a file, and as a material: {error}",
            args.table
        ))
    })?;
    let all = needed_by(&material);
    let machine = Machine::with(args.machine.backend());
    let pool = args.machine.pool()?;
    let table = pool.install(|| make(&all, None, args.metric.into(), machine, |_| ()))?;
    table.with_context(|| format!("there is no table of {material}"))
}

/// The counts of a Syzygy file, if it is one.
fn syzygy(args: &Args, counting: Counting) -> Result<Option<(Material, Stats)>> {
    let path = Path::new(&args.table);
    let is_one = path
        .extension()
        .is_some_and(|end| end == "rtbw" || end == "rtbz");
    if !is_one || !path.exists() {
        return Ok(None);
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let material = parse_material(&name)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{} can't be counted", path.display()))?
        .normal();
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (files, _) =
        Published::open(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let (stats, exact) = files.stats(&Shape::new(material)?, counting)?;
    if !exact {
        eprintln!(
            "the distances of the file are rounded: where it says n plies there may be n + 1"
        );
    }
    Ok(Some((material, stats)))
}

fn plies(title: &str, counts: &BTreeMap<u16, u64>) -> String {
    let mut text = String::new();
    for (plies, count) in counts {
        text.push_str(&format!("  {title} in {plies:>3}  {count:>12}\n"));
    }
    text
}

fn side_text(color: Color, side: &SideStats) -> String {
    let mut text = format!("{color} to move: {} positions\n", side.total());
    for (name, outcome) in [
        ("wins", Outcome::Win),
        ("cursed wins", Outcome::CursedWin),
        ("draws", Outcome::Draw),
        ("blessed losses", Outcome::BlessedLoss),
        ("losses", Outcome::Loss),
    ] {
        text.push_str(&format!("  {name:<14} {:>12}\n", side.count(outcome)));
    }
    text.push_str(&plies("win ", &side.win_in));
    text.push_str(&plies("loss", &side.loss_in));
    for (name, longest) in ["win", "loss"].iter().zip(&side.longest) {
        if let Some((plies, position)) = longest {
            text.push_str(&format!("  longest {name}: {plies} plies, {position}\n"));
        }
    }
    text
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let pool = args.machine.pool()?;
    let (material, stats) = pool.install(|| -> Result<(Material, Stats)> {
        let counting = if args.ordered {
            Counting::Ordered
        } else {
            Counting::Unordered
        };
        if let Some(found) = syzygy(args, counting)? {
            return Ok(found);
        }
        let table = table(args)?;
        let stats = Stats::of(&table, counting)?;
        Ok((table.material(), stats))
    })?;
    if args.json {
        let mut text = json!({ "material": material.to_string() });
        if let (Some(all), Some(sides)) = (text.as_object_mut(), stats.to_json().as_object()) {
            all.extend(sides.clone());
        }
        return print(&format!("{text:#}\n"));
    }
    let [white, black] = &stats.sides;
    print(&format!(
        "{material}\n{}{}",
        side_text(Color::White, white),
        side_text(Color::Black, black)
    ))
}
