//! `tbgen export`: writes tables as Syzygy files or packed ones.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use tbgen::{Endgame, Library, Metric, Shape, Sources, check_packed, led_to_by, process_memory};
use tbindex::Material;
use tbindex::store::Overwrite;

use super::bars::Bars;
use super::folder::{
    FolderKind, check_kind, lock_syzygy, make_folder, open_packed, remove_stale, size, tables_in,
    temp_file,
};
use super::machine::{MachineArgs, state_memory};
use super::pack::{check_may_be_packed, pack_table, row_of};
use super::syzygy::distances;
use super::tables::names_of;
use super::{metric_parser, parse_size, print, print_json, refuse, shapes_of};

/// Writes tables as Syzygy files, which engines read, or those by the distance to mate and of helpmates as packed files, which take
/// a tenth to a fifth of the room
///
/// The tables that captures and promotions lead to have to be in the folders, too. Files that are there already are
/// replaced when the new ones are complete.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen export --tables tables --syzygy syzygy\n  tbgen export --tables tables --packed packed --metric dtm"
)]
pub(crate) struct Args {
    /// Folder of the tables, may be repeated: of two files of a table, that in an earlier folder is taken
    #[arg(long, value_name = "DIR", required = true)]
    tables: Vec<PathBuf>,
    /// Folder for Syzygy files; created if needed
    #[arg(long, value_name = "OUT", required_unless_present = "packed")]
    syzygy: Option<PathBuf>,
    /// Folder for packed files, which all commands read; created if needed
    #[arg(long, value_name = "OUT", conflicts_with_all = ["syzygy", "rounded"])]
    packed: Option<PathBuf>,
    /// The metric of the tables that are packed: dtm, the default with helpmates, or helpmates alone
    #[arg(long, value_parser = metric_parser(2), conflicts_with = "syzygy")]
    metric: Option<Metric>,
    /// Read each packed file again, and compare it with its table
    #[arg(long, conflicts_with = "syzygy")]
    check: bool,
    /// Export only this table, not all of the folders; may be repeated
    #[arg(long, value_name = "MATERIAL", value_parser = super::parse_material)]
    table: Vec<Material>,
    /// The most memory to use, such as 4G; work that may need more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Round distances as the published files do; exact ones are stored otherwise
    #[arg(long)]
    rounded: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = match (&args.syzygy, &args.packed) {
        (Some(folder), _) => to_syzygy(args, folder)?,
        (None, Some(folder)) => to_packed(args, folder)?,
        (None, None) => unreachable!("one of them is required"),
    };
    match args.json {
        true => print_json(&json!({ "tables": rows })),
        false => Ok(()),
    }
}

/// The tables of the folders by a metric, or those that are asked for.
fn wanted(args: &Args, metric: Metric) -> Result<Vec<Material>> {
    let all = tables_in(&args.tables, metric)?.into_iter();
    let all = all.filter(|endgame| endgame.piece_set.is_chess());
    let mut all: Vec<Material> = all.map(|endgame| endgame.material).collect();
    if !args.table.is_empty() {
        all = args.table.iter().copied().map(Material::normal).collect();
    }
    Ok(all)
}

fn to_packed(args: &Args, folder: &Path) -> Result<Vec<Json>> {
    let metrics = match args.metric {
        Some(Metric::Dtz) => {
            return refuse(
                "packed files have distances to mate and helpmates: expected --metric dtm",
            );
        }
        Some(metric) => vec![metric],
        None => Metric::ALL[1..].to_vec(),
    };
    let mut tables: Vec<(Endgame, Metric)> = Vec::new();
    for metric in metrics {
        let sources = args.machine.sources(&args.tables, metric);
        for endgame in wanted(args, metric)?.into_iter().map(Endgame::from) {
            // Of tables that are asked for, a missing one is named.
            if args.metric.is_some() || matches!(sources.files(endgame)?, (_, [Some(_), _])) {
                tables.push((endgame, metric));
            }
        }
    }
    if tables.is_empty() {
        bail!(
            "there are no such table files in {}",
            names_of(&args.tables)
        );
    }
    check_kind(folder, FolderKind::Own)?;
    make_folder(folder)?;
    remove_stale(folder)?;
    let shapes = shapes_of(tables.iter().map(|(endgame, _)| *endgame))?;
    check_may_be_packed(&shapes)?;
    let pool = args.machine.pool()?;
    let most = || shapes.iter().map(Shape::pack_memory).max().unwrap_or(0);
    let memory = pool.install(|| process_memory() + most());
    state_memory("export", memory, args.memory)?;
    let bars = Bars::new(tables.len());
    let mut rows = Vec::new();
    for of in tables {
        let begin = Instant::now();
        let bytes = pool.install(|| pack_one(args, folder, &bars, of))?;
        bars.done();
        let (row, line) = row_of(of, bytes, begin.elapsed());
        match args.json {
            true => rows.push(row),
            false => print(&line)?,
        }
    }
    Ok(rows)
}

/// Packs a table of the folders, and returns the bytes of its file.
fn pack_one(
    args: &Args,
    folder: &Path,
    bars: &Bars,
    (endgame, metric): (Endgame, Metric),
) -> Result<u64> {
    let (temp_file, backend) = (temp_file(folder)?, args.machine.backend());
    let sources = Sources {
        temp_file: Some(&temp_file),
        ..args.machine.sources(&args.tables, metric)
    };
    // All helpmates are stored, whatever captures lead to.
    let library = match metric.victim() {
        None => sources.led_to(endgame)?,
        Some(_) => Library::default(),
    };
    let table = sources.table(endgame)?;
    let of = (&table, &library);
    let bytes = pack_table(bars, of, folder, Overwrite::Replace, backend)?;
    if args.check {
        let packed = open_packed(folder, endgame, metric)?;
        check_packed(&packed, &table, &library, backend)?;
    }
    Ok(bytes)
}

fn to_syzygy(args: &Args, folder: &Path) -> Result<Vec<Json>> {
    let materials = wanted(args, Metric::Dtz)?;
    if materials.is_empty() {
        let (extension, folders) = (Metric::Dtz.extension(), names_of(&args.tables));
        bail!("there are no table files (*.{extension}) in {folders}");
    }
    check_kind(folder, FolderKind::Syzygy)?;
    let _lock = lock_syzygy(folder)?;
    let shapes = shapes_of(materials.iter().copied())?;
    let pool = args.machine.pool()?;
    let each = shapes.iter().map(|shape| shape.export_memory(false));
    let memory = pool.install(|| process_memory() + each.max().unwrap_or(0));
    state_memory("export", memory, args.memory)?;
    let bars = Bars::new(materials.len());
    let mut rows = Vec::new();
    let mut library = Library::default();
    for material in materials {
        let begin = Instant::now();
        let paths = pool.install(|| -> Result<[PathBuf; 2]> {
            let sources = args.machine.sources(&args.tables, Metric::Dtz);
            let needed = led_to_by(&material);
            library.retain(|kept| needed.contains(kept));
            for smaller in needed {
                if library.get(&smaller).is_none() {
                    library.insert(sources.put_aside(smaller.into())?);
                }
            }
            let table = sources.put_aside(material.into())?;
            let distances = distances(args.rounded);
            Ok(bars.export(&table, &library, folder, distances, sources.backend)?)
        })?;
        let (wdl, dtz) = (size(&paths[0])?, size(&paths[1])?);
        bars.done();
        let seconds = begin.elapsed().as_secs_f64();
        match args.json {
            true => rows.push(json!({
                "table": material.to_string(),
                "wdl_bytes": wdl,
                "dtz_bytes": dtz,
                "seconds": seconds,
            })),
            false => print(&format!(
                "{material}: {wdl} bytes WDL, {dtz} bytes DTZ ({seconds:.1} s)\n"
            ))?,
        }
    }
    Ok(rows)
}
