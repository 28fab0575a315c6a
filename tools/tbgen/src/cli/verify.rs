//! `tbgen verify`: checks tables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tbgen::{EXTENSION, Library, Sample, Table, TableFile, needed_by, verify_moves};
use tbindex::Material;

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

fn tables_in(folder: &Path) -> Result<Vec<Material>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == EXTENSION) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let material = super::parse_material(&name)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("{} is not named after a material", path.display()))?;
            all.push(material);
        }
    }
    all.sort_by_key(|material| (material.piece_count(), material.to_string()));
    Ok(all)
}

fn load(folder: &Path, material: &Material) -> Result<Table> {
    let path = Table::path(folder, material);
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
    let materials = if args.table.is_empty() {
        tables_in(&args.folder)?
    } else {
        args.table.clone()
    };
    if materials.is_empty() {
        bail!(
            "there are no table files (*.{EXTENSION}) in {}",
            args.folder.display()
        );
    }
    let published = published(args)?;
    let pool = args.machine.pool()?;
    let mut rows = Vec::new();
    let mut library = Library::default();
    for material in materials {
        let begin = Instant::now();
        let (moves, syzygy) = pool.install(|| -> Result<_> {
            // Captures lead to tables with fewer pieces, which are kept for the next tables.
            for smaller in needed_by(&material) {
                if smaller != material.normal() && library.get(&smaller).is_none() {
                    library.insert(load(&args.folder, &smaller)?);
                }
            }
            let table = load(&args.folder, &material)?;
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
            let syzygy = compare(&published, &table, sample, args)?;
            Ok((moves, syzygy))
        })?;
        let seconds = begin.elapsed().as_secs_f64();
        rows.push(json!({
            "table": material.normal().to_string(),
            "positions": moves,
            "syzygy_positions": syzygy,
            "seconds": seconds,
        }));
        if !args.json {
            let moves = moves.map_or("checksums".to_owned(), |n| format!("{n} positions"));
            let syzygy = match (syzygy, &args.syzygy) {
                (Some(n), _) => format!(", {n} as in the Syzygy files"),
                (None, Some(_)) => ", no Syzygy files of it".to_owned(),
                (None, None) => String::new(),
            };
            print(&format!(
                "{material}: {moves} right{syzygy} ({seconds:.1} s)\n"
            ))?;
        }
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "tables": rows })))?;
    }
    Ok(())
}

#[cfg(feature = "syzygy")]
fn published(args: &Args) -> Result<Option<tbgen::Published>> {
    let Some(folder) = &args.syzygy else {
        return Ok(None);
    };
    let (published, files) = tbgen::Published::open(folder)
        .with_context(|| format!("can't read {}", folder.display()))?;
    if files == 0 {
        bail!("there are no Syzygy files in {}", folder.display());
    }
    Ok(Some(published))
}

#[cfg(feature = "syzygy")]
fn compare(
    published: &Option<tbgen::Published>,
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

#[cfg(not(feature = "syzygy"))]
fn published(args: &Args) -> Result<Option<()>> {
    match &args.syzygy {
        Some(_) => bail!("this tbgen was built without its feature `syzygy`"),
        None => Ok(None),
    }
}

#[cfg(not(feature = "syzygy"))]
fn compare(_: &Option<()>, _: &Table, _: Sample, _: &Args) -> Result<Option<u64>> {
    Ok(None)
}
