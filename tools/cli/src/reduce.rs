//! `tbindex reduce`: makes one file of canonical, sorted and distinct indices.

use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;
use tbindex::store::{FileWord, IndexFile, Method, Reduction, ReductionPlan, Summary};
use tbindex::{Equivalence, Numbering};

use super::args::{CompressArg, ForceArg, JsonArg, MachineArgs, MemoryArg, output_path};
use super::files;
use super::output::{grouped, indices, print_json};

/// Write the canonical indices of files, sorted and each once
///
/// The command keeps to the memory that it is given, however large the files are. If a bit for every
/// possible canonical index fits in it (32 MiB for five pieces, 64 MiB with pawns), nothing needs to be
/// sorted. Otherwise the indices are sorted; if they are too many, they go to a temporary file first, divided
/// into parts that can be sorted one by one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex reduce raw.tbi more.tbi -o reduced.tbi --memory 512M")]
pub(crate) struct Args {
    /// The index files, all of one material and one side to move
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    output: PathBuf,
    /// The numbering of the new file, natural or alternate; by default that of the first file
    #[arg(long)]
    numbering: Option<Numbering>,
    #[command(flatten)]
    memory: MemoryArg,
    /// The folder for temporary files; by default that of the new file
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
    /// The method: auto, bitmap or sort
    #[arg(long, default_value_t = Method::Auto)]
    method: Method,
    #[command(flatten)]
    compress: CompressArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let backend = args.machine.backend();
    // The files are read and not mapped, as pages of a map would count as memory.
    let files = args
        .files
        .iter()
        .map(|path| IndexFile::open(path, backend))
        .collect::<Result<Vec<_>, _>>()?;
    let first = files[0].header().contents;
    let numbering = args.numbering.unwrap_or(first.numbering);
    let temp = match (&args.temp, args.output.parent()) {
        (Some(temp), _) => temp,
        (None, Some(folder)) if !folder.as_os_str().is_empty() => folder,
        (None, _) => Path::new("."),
    };
    let reduction = Reduction {
        memory: args.memory.memory,
        threads: args.machine.count(),
        method: args.method,
        temp: Some(temp.to_owned()),
        backend,
    };
    let total = Some(files.iter().map(|file| file.header().count).sum());
    let plan = match first.word() {
        FileWord::U32 => {
            reduction.plan::<u32>(&Equivalence::try_new(first.material, numbering)?, total)?
        }
        FileWord::U64 => {
            reduction.plan::<u64>(&Equivalence::try_new(first.material, numbering)?, total)?
        }
    };
    announce(&plan, temp);
    let target = args.compress.target(&args.output, &args.force);
    let (header, summary) =
        files::watched(|watch| reduction.reduce_files_into(&files, numbering, &target, watch))?;
    report(args, header.file_bytes(), &summary, numbering)
}

fn announce(plan: &ReductionPlan, temp: &Path) {
    note!(
        "needs at most {} of memory and {} for temporary files in {} (method {}, threads: {})",
        HumanBytes(plan.memory),
        HumanBytes(plan.temp_bytes),
        temp.display(),
        plan.method,
        plan.threads
    );
}

fn report(args: &Args, file_bytes: u64, summary: &Summary, numbering: Numbering) -> Result<()> {
    if args.json.json {
        return print_json(&json!({
            "read": summary.read,
            "count": summary.count,
            "numbering": numbering.to_string(),
            "method": summary.method.to_string(),
            "runs": summary.runs,
            "temp_bytes": summary.temp_bytes,
            "file_bytes": file_bytes,
            "peak_memory": files::peak_memory(),
        }));
    }
    note!(
        "reduced {} to {} in {}",
        indices(summary.read.into()),
        grouped(summary.count.into()),
        args.output.display()
    );
    Ok(())
}
