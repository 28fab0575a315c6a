//! `tbindex union`, `intersect`, `difference`.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::store::SetOperation;

use super::args::{CompressArg, ForceArg, JsonArg, MachineArgs, NoMapArg, output_path};
use super::files;
use super::output::{grouped, indices, note, print_json};

/// Write the indices that are in any of several reduced files
///
/// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
/// files. They are streamed, so they may be larger than memory.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex union a.tbi b.tbi c.tbi -o all.tbi")]
pub(crate) struct UnionArgs {
    #[command(flatten)]
    args: Args,
}

/// Write the indices that are in all of several reduced files
///
/// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
/// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
/// its indices are looked for in the other, which is not read whole.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex intersect a.tbi b.tbi -o both.tbi")]
pub(crate) struct IntersectArgs {
    #[command(flatten)]
    args: Args,
}

/// Write the indices that are in the first of several reduced files and in no other
///
/// The files are sorted and distinct, of one material, numbering and side to move; `reduce` makes such
/// files. They are streamed, so they may be larger than memory; where one is much smaller than another,
/// its indices are looked for in the other, which is not read whole.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex difference all.tbi done.tbi -o left.tbi")]
pub(crate) struct DifferenceArgs {
    #[command(flatten)]
    args: Args,
}

#[derive(clap::Args)]
struct Args {
    /// The index files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    output: PathBuf,
    #[command(flatten)]
    compress: CompressArg,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn union(args: &UnionArgs) -> Result<()> {
    run(SetOperation::Union, &args.args)
}

pub(crate) fn intersect(args: &IntersectArgs) -> Result<()> {
    run(SetOperation::Intersection, &args.args)
}

pub(crate) fn difference(args: &DifferenceArgs) -> Result<()> {
    run(SetOperation::Difference, &args.args)
}

fn run(operation: SetOperation, args: &Args) -> Result<()> {
    let backend = args.machine.backend();
    let files = args
        .files
        .iter()
        .map(|path| args.no_map.open(path, backend))
        .collect::<Result<Vec<_>, _>>()?;
    let read: u64 = files.iter().map(|file| file.header().count).sum();
    let (target, threads) = (
        args.compress.target(&args.output, &args.force),
        args.machine.count(),
    );
    let header =
        files::watched(|watch| operation.combine_files_into(&files, &target, threads, watch))?;
    if args.json.json {
        return print_json(&json!({
            "operation": operation.to_string(),
            "files": files.len(),
            "read": read,
            "count": header.count,
            "file_bytes": header.file_bytes(),
        }));
    }
    note(&format!(
        "{operation} of {} in {}: wrote {} to {}\n",
        indices(read.into()),
        match files.len() {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        },
        grouped(header.count.into()),
        args.output.display()
    ));
    Ok(())
}
