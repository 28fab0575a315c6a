//! `tbgen verify`: checks tables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tbgen::{Library, Metric, Published, Sample, Table, TableFile, verify_moves};
use tbindex::Material;

use super::folder::tables_in;
use super::print;
use super::work::MachineArgs;

/// Checks tables: checksums, agreement of every value with its moves, agreement with Syzygy files
///
/// Every value must be the one that the position's legal moves imply. These come from a move generator that
/// shares no code with the one that made the table.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen verify tables --syzygy syzygy")]
pub(crate) struct Args {
    /// Folder of the tables
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also compare with the Syzygy files in this folder, if there are any of the same material
    #[arg(long, value_name = "PATH")]
    syzygy: Option<PathBuf>,
    /// Check only this table, not all of the folder; may be repeated
    #[arg(long, value_name = "MATERIAL", value_parser = super::parse_material)]
    table: Vec<Material>,
    /// Check one in N positions of tables with 5 pieces
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    one_in: u64,
    /// Don't play moves; check only checksums, and Syzygy files if asked for
    #[arg(long)]
    no_moves: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

fn load(folder: &Path, material: &Material, metric: Metric) -> Result<Table> {
    let path = Table::path(folder, material, metric);
    let table = TableFile::open(&path)?.load()?;
    if table.material() != material.normal() {
        bail!(
            "{}: this is the table of {}",
            path.display(),
            table.material()
        );
    }
    Ok(table)
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let published = published(args)?;
    let mut rows = Vec::new();
    for metric in [Metric::Dtz, Metric::Dtm] {
        let there = tables_in(&args.folder, metric)?;
        let materials = match &args.table[..] {
            [] => there,
            // Without a table of either metric the file that is missing is named.
            wanted if metric == Metric::Dtz && tables_in(&args.folder, Metric::Dtm)?.is_empty() => {
                wanted.to_vec()
            }
            wanted => (wanted.iter().copied())
                .filter(|material| there.contains(&material.normal()))
                .collect(),
        };
        verify_tables(args, metric, &materials, &published, &mut rows)?;
    }
    if rows.is_empty() {
        bail!(
            "there are no such table files (*.{} or *.{}) in {}",
            Metric::Dtz.extension(),
            Metric::Dtm.extension(),
            args.folder.display()
        );
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "tables": rows })))?;
    }
    Ok(())
}

/// Checks the tables of one metric.
fn verify_tables(
    args: &Args,
    metric: Metric,
    materials: &[Material],
    published: &Option<Published>,
    rows: &mut Vec<serde_json::Value>,
) -> Result<()> {
    let pool = args.machine.pool()?;
    let mut library = Library::default();
    for &material in materials {
        let begin = Instant::now();
        let (moves, syzygy) = pool.install(|| -> Result<_> {
            // Captures and promotions lead to tables that may be kept for the next ones.
            library.retain(|kept| kept.piece_count() < 5);
            for (_, smaller) in material.conversions() {
                let smaller = smaller.normal();
                let needed = !args.no_moves && smaller.piece_count() > 2;
                if needed && library.get(&smaller).is_none() {
                    library.insert(load(&args.folder, &smaller, metric)?);
                }
            }
            let table = load(&args.folder, &material, metric)?;
            let sample = if material.piece_count() == 5 && args.one_in > 1 {
                Sample::OneIn(args.one_in)
            } else {
                Sample::All
            };
            let moves = match args.no_moves {
                true => None,
                false => Some(
                    verify_moves(&table, &library, sample)
                        .with_context(|| format!("the table of {material} is wrong"))?,
                ),
            };
            let syzygy = match metric {
                Metric::Dtz => compare(published, &table, sample, args)?,
                Metric::Dtm => None,
            };
            Ok((moves, syzygy))
        })?;
        let seconds = begin.elapsed().as_secs_f64();
        rows.push(json!({
            "table": material.normal().to_string(),
            "metric": metric.name(),
            "positions": moves,
            "syzygy_positions": syzygy,
            "seconds": seconds,
        }));
        if !args.json {
            let moves = moves.map_or("checksums".to_owned(), |n| format!("{n} positions"));
            let syzygy = match (syzygy, &args.syzygy) {
                (Some(n), _) => format!(", {n} as in the Syzygy files"),
                (None, Some(_)) if metric == Metric::Dtz => ", no Syzygy files of it".to_owned(),
                _ => String::new(),
            };
            let of = if metric == Metric::Dtm { " (mate)" } else { "" };
            print(&format!(
                "{material}{of}: {moves} right{syzygy} ({seconds:.1} s)\n"
            ))?;
        }
    }
    Ok(())
}

fn published(args: &Args) -> Result<Option<Published>> {
    let Some(folder) = &args.syzygy else {
        return Ok(None);
    };
    let (published, files) =
        Published::open(folder).with_context(|| format!("can't read {}", folder.display()))?;
    if files == 0 {
        bail!("there are no Syzygy files in {}", folder.display());
    }
    Ok(Some(published))
}

fn compare(
    published: &Option<Published>,
    table: &Table,
    sample: Sample,
    args: &Args,
) -> Result<Option<u64>> {
    match (published, &args.syzygy) {
        (Some(published), Some(folder)) if published.has(table, folder) => {
            let count = published
                .verify(table, sample)
                .with_context(|| format!("the table of {} is wrong", table.material()))?;
            Ok(Some(count))
        }
        _ => Ok(None),
    }
}
