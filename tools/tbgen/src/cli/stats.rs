//! `tbgen stats`: prints how many positions have each value.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;
use tbgen::{Counting, Outcome, SideStats, Stats, Table, TableFile, needed_by};
use tbindex::Color;

use super::work::{Machine, MachineArgs, make};
use super::{MetricArg, UsageError, parse_material, print};

/// Prints how many positions are won, drawn and lost, the numbers at each distance, and the longest lines
///
/// Positions are counted up to symmetry and the exchange of like pieces.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen stats KQvKR --json")]
pub(crate) struct Args {
    /// A table file, or a material, which is generated in memory
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
    let (table, stats) = pool.install(|| -> Result<(Table, Stats)> {
        let table = table(args)?;
        let counting = if args.ordered {
            Counting::Ordered
        } else {
            Counting::Unordered
        };
        let stats = Stats::of(&table, counting)?;
        Ok((table, stats))
    })?;
    if args.json {
        let mut text = json!({ "material": table.material().to_string() });
        if let (Some(all), Some(sides)) = (text.as_object_mut(), stats.to_json().as_object()) {
            all.extend(sides.clone());
        }
        return print(&format!("{text:#}\n"));
    }
    let [white, black] = &stats.sides;
    print(&format!(
        "{}\n{}{}",
        table.material(),
        side_text(Color::White, white),
        side_text(Color::Black, black)
    ))
}
