//! `tbgen export`: writes tables as Syzygy files or packed ones.

use std::path::PathBuf;

use anyhow::{Result, bail};
use serde_json::json;
use tbgen::{
    Endgame, InTurn, Job, Metric, Output, Shape, check_packed, export_memory, led_to_memory,
    pack_memory, process_memory,
};
use tbindex::Material;
use tbindex::store::Overwrite;

use super::bars::Bars;
use super::exported::{distances, enter, row_of};
use super::folder::{open_packed, tables_in};
use super::machine::{MachineArgs, state_memory};
use super::syzygy::memory_again;
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
    #[arg(long, value_parser = metric_parser(3), conflicts_with = "syzygy")]
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
    let (output, metrics) = match (&args.syzygy, &args.packed, args.metric) {
        (Some(folder), ..) => {
            let output = Output::Syzygy(folder, distances(args.rounded));
            (output, vec![Metric::Dtz])
        }
        (None, Some(_), Some(Metric::Dtz)) => {
            return refuse(
                "packed files have distances to mate and helpmates: expected --metric dtm",
            );
        }
        (None, Some(folder), Some(metric)) => {
            (Output::Packed(folder), metric.of_smaller().to_vec())
        }
        (None, Some(folder), None) => (Output::Packed(folder), Metric::ALL[1..].to_vec()),
        (None, None, _) => unreachable!("one of them is required"),
    };
    let mut tables: Vec<(Metric, Vec<Shape>)> = Vec::new();
    for metric in metrics {
        let mut shapes = Vec::new();
        let all = match &args.table[..] {
            [] => tables_in(&args.tables, metric)?,
            wanted => wanted.iter().map(|of| Endgame::from(of.normal())).collect(),
        };
        let all = all.into_iter().filter(|of| of.piece_set.is_chess());
        for shape in shapes_of(all)? {
            let job = args.machine.job(&args.tables, &());
            // Of tables that are asked for, a missing one is named.
            let asked_for = args.packed.is_none() || args.metric.is_some();
            if asked_for || matches!(job.files(shape.endgame(), metric)?, (_, [Some(_), _])) {
                shapes.push(shape);
            }
        }
        if !shapes.is_empty() {
            tables.push((metric, shapes));
        }
    }
    if tables.is_empty() {
        let folders = names_of(&args.tables);
        let files = match args.packed {
            Some(_) => [Metric::Dtm, Metric::HelpWhite, Metric::HelpBlack]
                .map(Metric::extension)
                .join(" or *."),
            None => Metric::Dtz.extension().to_owned(),
        };
        bail!("there are no table files to export (*.{files}) in {folders}");
    }
    let _lock = enter(output, tables.iter().flat_map(|(_, shapes)| shapes), false)?;
    let pool = args.machine.pool()?;
    let memory = |shape: &Shape, metric: Metric| match (output, metric.victim()) {
        (Output::Packed(_), None) => pack_memory(shape) + led_to_memory(shape, metric),
        // All helpmates are stored, whatever captures lead to.
        (Output::Packed(_), Some(_)) => pack_memory(shape),
        _ => export_memory(shape, false),
    };
    let mut most = 0;
    for &(metric, ref shapes) in &tables {
        let own = shapes.iter().map(Shape::endgame);
        let all: Vec<Endgame> = own
            .flat_map(|own| [own.led_to(), vec![own]].concat())
            .collect();
        let job = args.machine.job(&args.tables, &());
        let again = job.solved_again(&all, metric)?;
        let shapes = shapes.iter().map(|shape| memory(shape, metric));
        most = pool.install(|| {
            let again = match again.is_empty() {
                true => process_memory(),
                // They stay while files are made of them.
                false => memory_again(&again, metric, args.packed.is_some()),
            };
            most.max(again + shapes.max().unwrap_or(0))
        });
    }
    state_memory("export", most, args.memory)?;
    let bars = Bars::new(tables.iter().map(|(_, shapes)| shapes.len()).sum());
    let mut rows = Vec::new();
    pool.install(|| {
        for &(metric, ref shapes) in &tables {
            let job = Job {
                output,
                with_others: metric.victim().is_none(),
                temp: args.packed.as_deref(),
                overwrite: Overwrite::Replace,
                ..args.machine.job(&args.tables, &bars)
            };
            job.each(InTurn::in_memory(shapes, &[metric]), |made| {
                bars.done();
                let folder = output.folder().filter(|_| args.check);
                if let Some((folder, (table, library))) = folder.zip(made.table) {
                    let packed = open_packed(folder, made.done.endgame, metric)?;
                    check_packed(&packed, table, library, job.backend)?;
                }
                let (row, line) = row_of(output, &made.done)?;
                match args.json {
                    true => rows.push(row),
                    false => print(&line)?,
                }
                Ok::<_, anyhow::Error>(())
            })?;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    match args.json {
        true => print_json(&json!({ "tables": rows })),
        false => Ok(()),
    }
}
