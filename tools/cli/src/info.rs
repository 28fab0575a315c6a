//! `tbindex info`: prints a file's header and counts over its indices.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;
use tbindex::Square;
use tbindex::store::Statistics;

use super::args::{JsonArg, MachineArgs, NoMapArg};
use super::files;
use super::output::{grouped, print, print_json};

/// Print the header of an index file, and counts over its indices
///
/// The indices are counted by the square of their leading piece, the white king, and by the size of their
/// orbit under the board's symmetries, where like pieces are told apart. With --header the indices are not
/// read.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex info KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    /// Print the header alone
    #[arg(long)]
    header: bool,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = args.no_map.open(&args.file, args.machine.backend())?;
    let statistics = match args.header {
        true => None,
        false => {
            let threads = args.machine.count();
            Some(files::watched(|watch| file.statistics(threads, watch))?)
        }
    };
    let header = file.header();
    let order: String = header
        .contents
        .material
        .index_order()
        .map(char::from)
        .collect();
    if args.json.json {
        let mut report = json!({
            "file": args.file.display().to_string(),
            "material": header.contents.material.to_string(),
            "pieces": order,
            "numbering": header.contents.numbering.to_string(),
            "group": header.contents.material.group().to_string(),
            "word_bits": header.word as u32,
            "side": header.contents.side.map(|side| side.to_string()),
            "canonical": header.contents.canonical,
            "sorted": header.contents.sorted,
            "distinct": header.contents.distinct,
            "count": header.count,
            "payload_bytes": header.payload_bytes,
            "blocks": header.block_count,
            "file_bytes": header.file_bytes(),
            "compressed": header.compact,
        });
        if let Some(statistics) = &statistics {
            report["leading"] = leading(statistics)
                .map(|(square, count)| (square.to_string(), json!(count)))
                .collect();
            report["orbits"] = orbits(statistics)
                .map(|(size, count)| (size.to_string(), json!(count)))
                .collect();
        }
        return print_json(&report);
    }
    let claims: Vec<&str> = [
        (header.contents.canonical, "canonical"),
        (header.contents.sorted, "sorted"),
        (header.contents.distinct, "distinct"),
    ]
    .into_iter()
    .filter_map(|(claimed, name)| claimed.then_some(name))
    .collect();
    let claims = match claims.is_empty() {
        true => "nothing".to_owned(),
        false => claims.join(", "),
    };
    let mut text = format!(
        "material      {} (piece 0 first: {order})\n\
         side to move  {}\n\
         numbering     {}\n\
         symmetries    {}\n\
         claims        {claims}\n\
         indices       {} of {} bits{}\n\
         blocks        {}\n\
         file          {} ({} bytes)\n",
        header.contents.material,
        (header.contents.side).map_or("not recorded".to_owned(), |side| side.to_string()),
        header.contents.numbering,
        header.contents.material.group(),
        grouped(header.count.into()),
        header.word as u32,
        if header.compact { ", compressed" } else { "" },
        grouped(header.block_count.into()),
        HumanBytes(header.file_bytes()),
        grouped(header.file_bytes().into()),
    );
    if let Some(statistics) = statistics {
        text += "orbits        size: indices\n";
        for (size, count) in orbits(&statistics) {
            text += &format!("  {size}           {}\n", grouped(count.into()));
        }
        text += "leading       square of the white king: indices\n";
        for (square, count) in leading(&statistics) {
            text += &format!("  {square}          {}\n", grouped(count.into()));
        }
    }
    print(&text)
}

/// The squares on which some index has its leading piece, with the counts.
fn leading(statistics: &Statistics) -> impl Iterator<Item = (Square, u64)> {
    Square::all()
        .map(|square| (square, statistics.leading[square.index()]))
        .filter(|&(_, count)| count > 0)
}

/// The orbit sizes that occur, with the counts.
fn orbits(statistics: &Statistics) -> impl Iterator<Item = (usize, u64)> {
    let sizes = statistics.orbits.iter().copied().enumerate();
    sizes.filter(|&(_, count)| count > 0)
}
