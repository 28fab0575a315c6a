//! `tbindex verify`: checks a whole file.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result};
use serde_json::{Value, json};
use tbindex::store::{Header, Part, StoreError};

use super::args::{JsonArg, MachineArgs, NoMapArg, octal};
use super::files;
use super::output::{indices, print, print_json};

/// Read a whole index file and check all that it claims: checksums, range, order, canonical form
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex verify KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let checked = check(args);
    if args.json.json
        && let Err(error) = &checked
        && let Some(fault) = error.downcast_ref()
    {
        // The error itself is returned below, whoever reads this.
        drop(print_json(&damage(&args.file, error, fault)));
    }
    let (header, range) = checked?;
    let range = range.map(|(least, most)| (octal(least.into()), octal(most.into())));
    if args.json.json {
        return print_json(&json!({
            "file": args.file.display().to_string(),
            "ok": true,
            "count": header.count,
            "blocks": header.block_count,
            "bytes": header.file_bytes(),
            "smallest": range.as_ref().map(|r| &r.0),
            "largest": range.as_ref().map(|r| &r.1),
        }));
    }
    let range = range.map_or(String::new(), |(least, most)| {
        format!(" from {least} to {most}")
    });
    print(&format!(
        "{}: {}{range}, all as the header says\n",
        args.file.display(),
        indices(header.count.into())
    ))
}

/// The header of the file, and its smallest and largest index.
fn check(args: &Args) -> Result<(Header, Option<(u64, u64)>)> {
    let file = args.no_map.open(&args.file, args.machine.backend())?;
    let threads = args.machine.count();
    let range = files::watched(|watch| file.verify(threads, watch))?;
    Ok((*file.header(), range))
}

/// The fault of a file and its place: the part of the file, the block, the bytes and the index, as far as
/// each is known.
fn damage(path: &Path, error: &Error, fault: &StoreError) -> Value {
    let (part, block) = match fault.part {
        None => (None, None),
        Some(Part::Header) => (Some("header"), None),
        Some(Part::Table) => (Some("table"), None),
        Some(Part::Block(number)) => (Some("block"), Some(number)),
        Some(Part::Entry(number)) => (Some("entry"), Some(number)),
    };
    json!({
        "file": path.display().to_string(),
        "ok": false,
        "error": format!("{error:#}"),
        "part": part,
        "block": block,
        "start": fault.bytes.map(|(start, _)| start),
        "end": fault.bytes.map(|(_, end)| end),
        "position": fault.position,
    })
}
