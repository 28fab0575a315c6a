//! `tbgen generate`: makes tables in a folder.

mod helpmates;
mod make;
mod report;

use std::path::{Path, PathBuf};

use anyhow::Result;
use tbgen::{Endgame, Metric, Output, Shape, parse_size};
use tbindex::store::Overwrite;

use super::allocator::give_back_at_once;
use super::exported::distances;
use super::machine::MachineArgs;
use super::whole::endgames_up_to;
use super::{metric_parser, metrics, parse_endgame, refuse, shapes_of};
use report::Report;

/// Generates the table of a material and all tables to which captures and promotions lead, or all tables
///
/// Tables that are already in the folder are not made again. Of Syzygy files the checksums are compared before, and of others
/// the beginning and the length: verify checks all of them. A table gets its name when it is complete, so an interruption loses
/// at most the table in work.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tbgen generate KQvKR -o tables --threads 2\n  tbgen generate --all 4 -o tables\n  tbgen generate --all 5 --format syzygy -o syzygy\n  tbgen generate --all 5 --packed --metric dtm -o packed\n  tbgen generate 'K[WD]NvK' -o tables"
)]
pub(crate) struct Args {
    /// The material, such as KQvKR, of 3 to 7 pieces; or with short-range pieces in brackets, such as K[WD]NvK, of 3
    /// to 5. These are given by number, squares or in Betza notation, and black's go down the board
    #[arg(value_parser = parse_endgame, required_unless_present = "all")]
    material: Option<Endgame>,
    /// All tables of 3 to so many pieces, 6 at most, in place of a material
    #[arg(long, value_name = "PIECES", conflicts_with = "material", value_parser = parse_all)]
    all: Option<u8>,
    /// Folder for the tables; created if needed
    #[arg(short, long, value_name = "DIR", required_unless_present = "no_write")]
    output: Option<PathBuf>,
    /// The metric: what the distances count; may be given twice, for tables of dtz and dtm. By default dtz, and dtm with short-range
    /// pieces, which have no other
    #[arg(long, value_parser = metric_parser(3), value_name = "METRIC", value_delimiter = ',')]
    metric: Vec<Metric>,
    /// The files to make
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Format,
    /// Round the distances of Syzygy files as the published ones do; exact ones are stored otherwise. Files that are
    /// there stay, whichever they have: --force makes them again
    #[arg(long)]
    rounded: bool,
    /// Keep packed files, which take a tenth to a fifth of the room, of tables of 3 to 5 pieces by the distance to mate, or with
    /// --metric help of helpmates. Tables that others need are in temporary files meanwhile, beside them or in the folder of
    /// --temp, if they are large
    #[arg(long, conflicts_with_all = ["format", "no_write"])]
    packed: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// The most memory to use for a table, such as 400M. Sets that do not fit are kept in files, if that is possible, and
    /// otherwise refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Folder for temporary files and checkpoints; by default that of the tables
    #[arg(long, value_name = "DIR", conflicts_with = "no_write")]
    temp: Option<PathBuf>,
    /// A file to which each ply adds a line with a JSON object
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Only generate the tables in memory; no files are read or written. With --metric help, large tables that others need
    /// are in temporary files in the system's folder for these
    #[arg(long, conflicts_with = "output")]
    no_write: bool,
    /// Make tables again that are already in the folder
    #[arg(long)]
    force: bool,
    /// Only print what would be made, and what it takes
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_all(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(pieces @ 3..=6) => Ok(pieces),
        Ok(7) => Err("not all tables of 7 pieces can be made, as some have too many placements of pawns: expected 3 to 6, or a material in place of --all".to_owned()),
        _ => Err("expected a number of pieces from 3 to 6".to_owned()),
    }
}

/// The files that tables are kept in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// This generator's own
    #[default]
    Tbgen,
    /// Syzygy files, which engines read; tables are not kept in any other form
    Syzygy,
}

impl Args {
    fn overwrite(&self) -> Overwrite {
        match self.force {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        }
    }
}

/// The metrics whose tables are made in turn: both of helpmates, as tables of one victim lead to those of the other.
fn turns(metrics: &[Metric]) -> impl Iterator<Item = &[Metric]> {
    metrics.chunks(metrics[0].of_smaller().len())
}

/// Shapes by metrics in the order in which their tables are made.
fn in_turn<'s>(
    metrics: &'s [Metric],
    shapes: &'s [Shape],
) -> impl Iterator<Item = (&'s Shape, Metric)> {
    turns(metrics).flat_map(move |metrics| {
        let of_shape = move |shape| metrics.iter().map(move |&metric| (shape, metric));
        shapes.iter().flat_map(of_shape)
    })
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let all: Vec<Endgame> = match args.material {
        Some(endgame) => endgame.needed(),
        None => endgames_up_to(args.all.unwrap_or(3)),
    };
    let is_chess = all.iter().all(|endgame| endgame.piece_set.is_chess());
    let is_help = args.metric.contains(&Metric::HelpWhite);
    let metrics = match is_help {
        true => helpmates::check(args, is_chess, &all)?,
        false => metrics(is_chess, &args.metric)?,
    };
    if args.packed && metrics.contains(&Metric::Dtz) {
        return refuse(
            "packed files have distances to mate or helpmates: expected --metric dtm or help, or --format syzygy",
        );
    }
    let report = Report::new(args, all.len());
    let output = match (args.format, &args.output) {
        (Format::Syzygy, folder) => {
            check_syzygy(args, is_chess, &all)?;
            let folder = folder.as_deref().unwrap_or(Path::new(""));
            Output::Syzygy(folder, distances(args.rounded))
        }
        _ if args.rounded => return refuse("--rounded is for Syzygy files: add --format syzygy"),
        (_, Some(folder)) if args.packed => Output::Packed(folder),
        (_, Some(folder)) => Output::Tables(folder),
        (_, None) => Output::Nothing,
    };
    if !matches!(output, Output::Syzygy(..)) {
        give_back_at_once();
    }
    let shapes = shapes_of(all)?;
    (args.machine.pool()?).install(|| make::make(report, &metrics, shapes, output))
}

/// Refuses what does not go with Syzygy files.
fn check_syzygy(args: &Args, is_chess: bool, all: &[Endgame]) -> Result<()> {
    let large = |endgame: &&Endgame| endgame.material.piece_count() > 5;
    match all.iter().find(large) {
        _ if !is_chess => refuse("there are no Syzygy files of short-range pieces"),
        _ if args.metric.contains(&Metric::Dtm) => {
            refuse("Syzygy files have distances to zeroing only")
        }
        Some(large) => refuse(format!(
            "{large} has more than 5 pieces: no Syzygy files are written of it"
        )),
        None if args.no_write => refuse("--no-write and --format syzygy exclude each other"),
        None => Ok(()),
    }
}
