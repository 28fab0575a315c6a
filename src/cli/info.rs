//! `tbindex info`: what a file says of itself.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;
use tbindex::store::IndexFile;
use tbindex::{Color, Piece};

use super::args::JsonArg;
use super::output::{grouped, print, print_json};

/// Print the header of an index file
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex info KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = IndexFile::open(&args.file)?;
    let header = file.header();
    let order: String = header.material.index_order().map(Piece::letter).collect();
    if args.json.json {
        return print_json(&json!({
            "file": args.file.display().to_string(),
            "material": header.material.to_string(),
            "pieces": order,
            "numbering": header.numbering.name(),
            "group": header.group.name(),
            "word_bits": header.word_bits,
            "side": header.side.map(Color::name),
            "canonical": header.canonical,
            "sorted": header.sorted,
            "distinct": header.distinct,
            "count": header.count,
            "payload_bytes": header.payload_bytes,
            "blocks": header.block_count,
            "file_bytes": header.file_bytes(),
        }));
    }
    let claims: Vec<&str> = [
        (header.canonical, "canonical"),
        (header.sorted, "sorted"),
        (header.distinct, "distinct"),
    ]
    .into_iter()
    .filter_map(|(claimed, name)| claimed.then_some(name))
    .collect();
    let claims = match claims.is_empty() {
        true => "nothing".to_owned(),
        false => claims.join(", "),
    };
    print(&format!(
        "material      {} (piece 0 first: {order})\n\
         side to move  {}\n\
         numbering     {}\n\
         symmetries    {}\n\
         claims        {claims}\n\
         indices       {} of {} bits\n\
         blocks        {}\n\
         file          {} ({} bytes)\n",
        header.material,
        header.side.map_or("not recorded", Color::name),
        header.numbering,
        header.group,
        grouped(header.count.into()),
        header.word_bits,
        grouped(header.block_count.into()),
        HumanBytes(header.file_bytes()),
        grouped(header.file_bytes().into()),
    ))
}
