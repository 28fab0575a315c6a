//! `tbindex union`, `intersect`, `difference`.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;
use tbindex::store::{IndexFile, SetOperation};

use super::args::{CompressArg, ForceArg, JsonArg, MachineArgs, MemoryArg, output_path};
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
    memory: MemoryArg,
    #[command(flatten)]
    compress: CompressArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(operation: SetOperation, args: &Args) -> Result<()> {
    let backend = args.machine.backend();
    // The files are read and not mapped, as pages of a map would count as memory.
    let files = args
        .files
        .iter()
        .map(|path| IndexFile::open(path, backend))
        .collect::<Result<Vec<_>, _>>()?;
    let read: u64 = files.iter().map(|file| file.header().count).sum();
    let target = args.compress.target(&args.output, &args.force);
    let (memory, threads) = (args.memory.memory, args.machine.count());
    let plan = operation.plan(&files, memory, threads)?;
    note!(
        "needs at most {} of memory (threads: {})",
        HumanBytes(plan.memory),
        plan.threads
    );
    let header = files::watched(|watch| {
        operation.combine_files_into(&files, &target, memory, threads, watch)
    })?;
    if args.json.json {
        return print_json(&json!({
            "operation": operation.to_string(),
            "files": files.len(),
            "read": read,
            "count": header.count,
            "file_bytes": header.file_bytes(),
            "peak_memory": files::peak_memory(),
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
