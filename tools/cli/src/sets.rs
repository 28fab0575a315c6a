//! `tbindex union`, `intersect`, `difference`.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::store::SetOperation;

use super::args::{CompressArg, ForceArg, JsonArg, MachineArgs, NoMapArg, output_path};
use super::files;
use super::output::{grouped, indices, print_json};

#[derive(clap::Args)]
pub(crate) struct Args {
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

pub(crate) fn run(operation: SetOperation, args: &Args) -> Result<()> {
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
    note!(
        "{operation} of {} in {}: wrote {} to {}",
        indices(read.into()),
        match files.len() {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        },
        grouped(header.count.into()),
        args.output.display()
    );
    Ok(())
}
