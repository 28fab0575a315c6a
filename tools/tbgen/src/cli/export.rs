//! `tbgen export`: writes tables as Syzygy files.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use syzygy_tables::writer::remove_stale;
use tbgen::{Library, Metric, Shape, Table, led_to_by};
use tbindex::Material;

use super::bars::Bars;
use super::folder::{FolderKind, check_kind, make_folder, open_table, tables_in};
use super::machine::{MachineArgs, check_memory};
use super::signals::stop_flag;
use super::syzygy::distances;
use super::{mebibytes, parse_size, print};

/// Writes tables as Syzygy files, which engines read
///
/// The tables that captures and promotions lead to have to be in the folder, too. Files that are there already are
/// replaced when the new ones are complete.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen export tables --syzygy syzygy")]
pub(crate) struct Args {
    /// Folder of the tables
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder for the Syzygy files; created if needed
    #[arg(long, value_name = "OUT")]
    syzygy: PathBuf,
    /// Export only this table, not all of the folder; may be repeated
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
    let materials = match &args.table[..] {
        [] => {
            let all = tables_in(&args.folder, Metric::Dtz)?.into_iter();
            let all = all.filter(|endgame| endgame.piece_set.is_chess());
            all.map(|endgame| endgame.material).collect()
        }
        wanted => wanted.to_vec(),
    };
    if materials.is_empty() {
        let (extension, folder) = (Metric::Dtz.extension(), args.folder.display());
        bail!("there are no table files (*.{extension}) in {folder}");
    }
    check_kind(&args.syzygy, FolderKind::Syzygy)?;
    make_folder(&args.syzygy)?;
    remove_stale(&args.syzygy)?;
    let shapes = materials
        .iter()
        .map(|material| Shape::new(material.normal()));
    let shapes = shapes.collect::<Result<Vec<Shape>, _>>()?;
    let pool = args.machine.pool()?;
    let memory = pool.install(|| shapes.iter().map(|shape| shape.export_memory(false)).max());
    let memory = memory.unwrap_or(0);
    note!(
        "{} tables to export, up to {} of memory",
        shapes.len(),
        mebibytes(memory)
    );
    check_memory("this", memory, args.memory)?;
    let bars = Bars::new(materials.len());
    let mut rows = Vec::new();
    let mut library = Library::default();
    for material in materials {
        let begin = Instant::now();
        let load = |material: &Material| -> Result<Table> {
            let file = open_table(&args.folder, (*material).into(), Metric::Dtz)?;
            Ok(file.load_packed(None, stop_flag())?)
        };
        let paths = pool.install(|| -> Result<[PathBuf; 2]> {
            let needed = led_to_by(&material);
            library.retain(|kept| needed.contains(kept));
            for smaller in needed {
                if library.get(&smaller).is_none() {
                    library.insert(load(&smaller)?);
                }
            }
            let table = load(&material)?;
            let backend = args.machine.backend();
            let distances = distances(args.rounded);
            Ok(bars.export(&table, &library, &args.syzygy, distances, backend)?)
        })?;
        let mut sizes = [0; 2];
        for (size, path) in sizes.iter_mut().zip(&paths) {
            *size = std::fs::metadata(path)
                .with_context(|| format!("can't look at {}", path.display()))?
                .len();
        }
        bars.done();
        let seconds = begin.elapsed().as_secs_f64();
        let [wdl, dtz] = sizes;
        if args.json {
            rows.push(json!({
                "table": material.normal().to_string(),
                "wdl_bytes": wdl,
                "dtz_bytes": dtz,
                "seconds": seconds,
            }));
        } else {
            print(&format!(
                "{}: {wdl} bytes WDL, {dtz} bytes DTZ ({seconds:.1} s)\n",
                material.normal()
            ))?;
        }
    }
    if args.json {
        print(&format!("{:#}\n", json!({ "tables": rows })))?;
    }
    Ok(())
}
