//! `tbgen verify`: checks tables.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;
use syzygy_tables::TableFile as SyzygyFile;
use tbgen::{
    Check, Endgame, Library, Metric, Published, Sample, Table, in_order, needed_by, verify_moves,
};
use tbindex::Material;
use tbindex::store::Access;

use super::folder::{FolderKind, kind_of, open_table, syzygy_names, tables_in};
use super::short_range::{self, parse_endgame};
use super::syzygy::for_each_solved;
use super::work::{Bars, MachineArgs};
use super::{UsageError, print};

/// Checks tables: checksums, agreement of every value with its moves, agreement with Syzygy files
///
/// Every value must be the one that the position's legal moves imply. These come from a move generator that
/// shares no code with the one that made the table. In a folder of Syzygy files every byte is checked, and every value
/// of 3 to 5 pieces by a table that is solved anew.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen verify tables --syzygy syzygy")]
pub(crate) struct Args {
    /// Folder of the tables, or of Syzygy files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Also compare with the Syzygy files in this folder, if there are any of the same material
    #[arg(long, value_name = "PATH")]
    syzygy: Option<PathBuf>,
    /// Check only this table, not all of the folder; may be repeated
    #[arg(long, value_name = "MATERIAL", value_parser = parse_endgame)]
    table: Vec<Endgame>,
    /// Check one in N positions of tables with 5 pieces
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    one_in: u64,
    /// Don't play moves or solve tables; check only the bytes, and Syzygy files if asked for
    #[arg(long)]
    no_moves: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

fn load(folder: &Path, material: &Material, metric: Metric) -> Result<Table> {
    Ok(open_table(folder, material, metric, Access::Map)?.load()?)
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if kind_of(&args.folder)? == FolderKind::Syzygy {
        return verify_syzygy(args);
    }
    let published = published(args)?;
    let mut rows = Vec::new();
    let (chess, short_range): (Vec<Endgame>, Vec<Endgame>) =
        (args.table.iter()).partition(|endgame| endgame.cast.is_chess());
    let chess: Vec<Material> = chess.iter().map(|endgame| endgame.material).collect();
    for metric in [Metric::Dtz, Metric::Dtm] {
        let there = tables_in(&args.folder, metric)?;
        let materials = match &chess[..] {
            [] if args.table.is_empty() => there,
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
    let short_range = match args.table.is_empty() {
        true => short_range::endgames_in(&args.folder)?,
        false => short_range,
    };
    verify_short_range(args, &short_range, &mut rows)?;
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

/// Checks the tables with short-range pieces.
fn verify_short_range(
    args: &Args,
    endgames: &[Endgame],
    rows: &mut Vec<serde_json::Value>,
) -> Result<()> {
    let pool = args.machine.pool()?;
    let bars = Bars::new(endgames.len());
    for endgame in endgames {
        let begin = Instant::now();
        let sample = match endgame.material.piece_count() {
            5 if args.one_in > 1 => Sample::OneIn(args.one_in),
            _ => Sample::All,
        };
        let moves = bars.check(&endgame.to_string(), sample, |check| {
            pool.install(|| short_range::verify(&args.folder, *endgame, check, !args.no_moves))
        })?;
        bars.done();
        let seconds = begin.elapsed().as_secs_f64();
        let name = endgame.normal().to_string();
        if !args.json {
            let moves = moves.map_or("checksums".to_owned(), |n| format!("{n} positions"));
            print(&format!("{name} (mate): {moves} right ({seconds:.1} s)\n"))?;
        }
        rows.push(json!({
            "table": name,
            "metric": short_range::METRIC.name(),
            "positions": moves,
            "syzygy_positions": null,
            "seconds": seconds,
        }));
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
    let bars = Bars::new(materials.len());
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
                false => {
                    let what = format!("{material}: moves");
                    let count =
                        bars.check(&what, sample, |check| verify_moves(&table, &library, check));
                    Some(count.with_context(|| format!("the table of {material} is wrong"))?)
                }
            };
            let syzygy = match metric {
                Metric::Dtz => {
                    let what = format!("{material}: Syzygy files");
                    bars.check(&what, sample, |check| {
                        compare(published, &table, check, args)
                    })?
                }
                Metric::Dtm => None,
            };
            Ok((moves, syzygy))
        })?;
        bars.done();
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
                (None, Some(_)) => {
                    ", not compared: Syzygy files have no distances to mate".to_owned()
                }
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
    check: Check<'_>,
    args: &Args,
) -> Result<Option<u64>> {
    match (published, &args.syzygy) {
        (Some(published), Some(folder)) if published.has(table, folder) => {
            let count = published
                .verify(table, check)
                .with_context(|| format!("the table of {} is wrong", table.material()))?;
            Ok(Some(count))
        }
        _ => Ok(None),
    }
}

/// Checks a folder of Syzygy files.
fn verify_syzygy(args: &Args) -> Result<()> {
    if args.syzygy.is_some() {
        let message = "--syzygy compares tables of tbgen, and the folder has Syzygy files";
        return Err(UsageError(message.to_owned()).into());
    }
    let names: Vec<String> = match &args.table[..] {
        [] => syzygy_names(&args.folder)?,
        wanted => (wanted.iter())
            .map(|material| material.normal().to_string())
            .collect(),
    };
    let rows = Mutex::new(Vec::new());
    let report = |name: &str, positions: Option<u64>, begin: Instant| -> Result<()> {
        let seconds = begin.elapsed().as_secs_f64();
        let row = json!({ "table": name, "positions": positions, "seconds": seconds });
        (rows.lock().unwrap_or_else(PoisonError::into_inner)).push(row);
        if args.json {
            return Ok(());
        }
        let what = positions.map_or("bytes".to_owned(), |count| format!("{count} positions"));
        print(&format!("{name}: {what} right ({seconds:.1} s)\n"))
    };
    let pool = args.machine.pool()?;
    pool.install(|| -> Result<()> {
        let mut solvable = Vec::new();
        for name in &names {
            let begin = Instant::now();
            let paths = ["rtbw", "rtbz"].map(|end| args.folder.join(format!("{name}.{end}")));
            let there: Vec<_> = paths.iter().filter(|path| path.exists()).collect();
            if there.is_empty() {
                bail!("there are no files of {name} in {}", args.folder.display());
            }
            for path in &there {
                SyzygyFile::open(path)?.verify()?;
            }
            let material = super::parse_material(name).ok();
            let material = material.filter(|material| material.piece_count() <= 5);
            match material {
                Some(material) if there.len() == 2 && !args.no_moves => {
                    solvable.push(material.normal());
                }
                _ => report(name, None, begin)?,
            }
        }
        let (files, _) = Published::open(&args.folder)
            .with_context(|| format!("can't read {}", args.folder.display()))?;
        let mut all: Vec<Material> = solvable.iter().flat_map(needed_by).collect();
        in_order(&mut all);
        all.dedup();
        let bars = Bars::new(all.len());
        let compare = |table: &Table, _: &Library, _: Duration| {
            let begin = Instant::now();
            let material = table.material();
            if !solvable.contains(&material) {
                return Ok(());
            }
            let sample = if material.piece_count() == 5 && args.one_in > 1 {
                Sample::OneIn(args.one_in)
            } else {
                Sample::All
            };
            let what = format!("{material}: files");
            let count = bars.check(&what, sample, |check| files.verify(table, check));
            let count = count.with_context(|| format!("the files of {material} are wrong"))?;
            report(&material.to_string(), Some(count), begin)
        };
        for_each_solved(&all, None, &bars, args.machine.backend(), compare)
    })?;
    if args.json {
        let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        print(&format!("{:#}\n", json!({ "tables": rows })))?;
    }
    Ok(())
}
