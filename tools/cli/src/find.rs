//! `tbindex find`: tells whether a file holds an index, and at which place.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::batch::Backend;
use tbindex::{Equivalence, Layout};

use super::args::{JsonArg, NoMapArg, check_index, octal, parse_index};
use super::output::{print, print_json};

/// Look for indices in a sorted file: tell whether it holds each, and how many smaller ones it holds
///
/// The number of smaller indices is the rank. If the file is distinct and holds the index, that is its
/// position. Of plain and of compressed files, only the block table and the blocks that are searched are
/// read, and these are checked. In JSON, the answers are in the array `indices`, also if there is only one.
///
/// That an index is not there is an answer like any other: the exit status is 0.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex find KQvKR-w.tbi 0o270327 0o77507450 --canonical")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    /// The indices, as 0o…, 0x… or decimal
    #[arg(value_parser = parse_index, required = true)]
    indices: Vec<u128>,
    /// Look for the canonical forms of the indices
    #[arg(long)]
    canonical: bool,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = args.no_map.open(&args.file, Backend::detect())?;
    let header = file.header();
    let layout = Layout::<u128>::try_new(
        header.contents.material.piece_count(),
        header.contents.numbering,
    )?;
    let same = Equivalence::<u128>::try_new(header.contents.material, header.contents.numbering)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for &asked in &args.indices {
        check_index(layout, header.contents.material, asked)?;
        let index = match args.canonical {
            true => same.canonical(asked),
            false => asked,
        };
        let word = u64::try_from(index)?;
        file.check_searched(word)?;
        let searched = file.search(word)?;
        let (rank, found) = (searched.unwrap_or_else(|rank| rank), searched.is_ok());
        let answer = if found { "found" } else { "not found" };
        text += &format!("{} {answer}, rank {rank}\n", octal(index));
        rows.push(json!({ "index": octal(index), "found": found, "rank": rank }));
    }
    match args.json.json {
        true => print_json(&json!({ "indices": rows })),
        false => print(&text),
    }
}
