//! `tbindex reduce`: canonical, sorted, distinct.

use std::path::PathBuf;

use anyhow::{Result, bail};
use memmap2::Mmap;
use serde_json::json;
use tbindex::store::{Contents, Header, IndexFile, IndexWriter, reduce};
use tbindex::{Equivalence, Numbering, Word};

use super::args::{ForceArg, JsonArg, parse_output};
use super::output::{grouped, print, print_json};

/// Write the canonical indices of files, sorted, each once
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex reduce raw.tbi more.tbi -o reduced.tbi")]
pub(crate) struct Args {
    /// The index files, all of one material and one side to move
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "OUT", value_parser = parse_output)]
    output: PathBuf,
    /// Numbering of the new file: natural or alternate; the first file's if not given
    #[arg(long)]
    numbering: Option<Numbering>,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let files = args
        .files
        .iter()
        .map(|path| IndexFile::open(path))
        .collect::<Result<Vec<_>, _>>()?;
    let first = files[0].header();
    for file in &files[1..] {
        let header = file.header();
        if (header.material, header.side) != (first.material, first.side) {
            bail!(
                "{} holds {}: expected {}, as {} does",
                file.name().display(),
                describe(header),
                describe(first),
                files[0].name().display()
            );
        }
    }
    match first.word_bits {
        32 => reduce_files::<u32>(args, &files),
        _ => reduce_files::<u64>(args, &files),
    }
}

fn describe(header: &Header) -> String {
    match header.side {
        Some(side) => format!("{} with {side} to move", header.material),
        None => format!("{} with no side to move recorded", header.material),
    }
}

fn reduce_files<W: Word>(args: &Args, files: &[IndexFile<Mmap>]) -> Result<()> {
    let first = files[0].header();
    let numbering = args.numbering.unwrap_or(first.numbering);
    let contents = Contents::new(first.material, numbering).with_side(first.side);
    let same = Equivalence::<W>::of_material(&first.material, numbering)?;
    let mut writer =
        IndexWriter::<W>::create(&args.output, contents.reduced(), args.force.overwrite())?;
    let inputs = files
        .iter()
        .map(|file| Ok((file.header().numbering, file.indices::<W>()?)))
        .collect::<Result<Vec<_>>>()?;
    let read: u64 = files.iter().map(|file| file.header().count).sum();
    let reduced = reduce(&same, &inputs);
    writer.write(&reduced)?;
    let count = writer.finish()?.count;
    if args.json.json {
        return print_json(&json!({ "read": read, "count": count, "numbering": numbering.name() }));
    }
    print(&format!(
        "reduced {} indices to {} in {}\n",
        grouped(read.into()),
        grouped(count.into()),
        args.output.display()
    ))
}
