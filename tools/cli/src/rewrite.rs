//! `tbindex convert` and `tbindex transform`: rewrite a file index by index.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::store::{Overwrite, Rewrite, Target};
use tbindex::{Numbering, Symmetry};

use super::args::{ForceArg, JsonArg, MachineArgs, NoMapArg, output_path};
use super::files;
use super::output::{note_written, print_json};

/// Write the positions of a file under another numbering, in the same order
///
/// Indices that are canonical or sorted under one numbering are in general neither under another. So the
/// new file claims to be canonical or sorted only if that happens to be true. `reduce --numbering` makes a
/// reduced file of any file.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex convert KQvKR-w.tbi -o alternate.tbi --numbering alternate")]
pub(crate) struct ConvertArgs {
    /// The numbering of the new file: natural or alternate
    #[arg(long)]
    numbering: Numbering,
    #[command(flatten)]
    args: Args,
}

/// Write the images of a file's positions under a symmetry of the board, in the same order
///
/// The new file claims to be canonical or sorted only if it happens to be true. A symmetry that exchanges
/// the ranks keeps a position's value only if there are no pawns; the images are written anyway. They may
/// have pawns on the first or last rank: `decode` prints such positions, and `encode` refuses them.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex transform KQvKR-w.tbi -o mirrored.tbi --symmetry flip_horizontal")]
pub(crate) struct TransformArgs {
    /// The symmetry: identity, flip_horizontal, flip_vertical, rotate_180, flip_diagonal,
    /// flip_anti_diagonal, rotate_90 or rotate_270
    #[arg(long)]
    symmetry: Symmetry,
    #[command(flatten)]
    args: Args,
}

#[derive(clap::Args)]
struct Args {
    /// The index file
    file: PathBuf,
    /// The file to write
    #[arg(
        short, long, value_name = "OUT", value_parser = output_path(),
        required_unless_present = "in_place"
    )]
    output: Option<PathBuf>,
    /// Replace the file itself. The new file is written beside the old one and renamed over it when it is
    /// complete and on disk. If the command is interrupted, one of the two is there whole
    #[arg(long, conflicts_with_all = ["output", "force"])]
    in_place: bool,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn convert(args: &ConvertArgs) -> Result<()> {
    run(Rewrite::Convert(args.numbering), &args.args)
}

pub(crate) fn transform(args: &TransformArgs) -> Result<()> {
    run(Rewrite::Transform(args.symmetry), &args.args)
}

fn run(rewrite: Rewrite, args: &Args) -> Result<()> {
    let file = args.no_map.open(&args.file, args.machine.backend())?;
    let (output, overwrite) = match &args.output {
        Some(output) => (output, args.force.overwrite()),
        None => (&args.file, Overwrite::Replace),
    };
    let (target, threads) = (Target::plain(output, overwrite), args.machine.count());
    let header = files::watched(|watch| rewrite.rewrite_file_into(&file, &target, threads, watch))?;
    if args.json.json {
        return print_json(&json!({
            "count": header.count,
            "numbering": header.contents.numbering.to_string(),
            "canonical": header.contents.canonical,
            "sorted": header.contents.sorted,
            "distinct": header.contents.distinct,
        }));
    }
    note_written(header.count, output);
    Ok(())
}
