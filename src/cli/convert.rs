//! `tbindex convert`: a whole file to the other numbering.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::store::{Contents, Header, IndexFile, IndexWriter};
use tbindex::{Layout, Numbering, Word};

use super::args::{ForceArg, JsonArg, parse_output};
use super::interrupt;
use super::output::{grouped, print, print_json, progress};

/// Write the positions of a file under another numbering, in the same order
///
/// Canonical or sorted under one numbering is in general neither under another, so the new file claims
/// it only if it happens to be true; `reduce --numbering` makes a reduced file of any.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex convert KQvKR-w.tbi -o alternate.tbi --numbering alternate")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "OUT", value_parser = parse_output)]
    output: PathBuf,
    /// Numbering of the new file: natural or alternate
    #[arg(long)]
    numbering: Numbering,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = IndexFile::open(&args.file)?;
    let header = file.header();
    match header.word_bits {
        32 => convert::<u32>(args, header, file.indices()?),
        _ => convert::<u64>(args, header, file.indices()?),
    }
}

fn convert<W: Word>(args: &Args, header: &Header, indices: &[W]) -> Result<()> {
    let layout = Layout::<W>::of_material(&header.material, header.numbering)?;
    let contents = Contents::new(header.material, args.numbering).with_side(header.side);
    let mut writer =
        IndexWriter::<W>::create(&args.output, contents, args.force.overwrite())?.observing();
    interrupt::watch();
    let bar = progress(header.count, "indices");
    let mut converted = Vec::new();
    for part in indices.chunks(1 << 20) {
        interrupt::check()?;
        converted.clear();
        converted.extend(part.iter().map(|&x| layout.convert(args.numbering, x)));
        writer.write(&converted)?;
        bar.inc(part.len() as u64);
    }
    bar.finish_and_clear();
    let header = writer.finish()?;
    if args.json.json {
        return print_json(&json!({
            "count": header.count,
            "numbering": header.numbering.name(),
        }));
    }
    print(&format!(
        "wrote {} indices to {}\n",
        grouped(header.count.into()),
        args.output.display()
    ))
}
