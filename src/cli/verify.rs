//! `tbindex verify`: checks a whole file.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result};
use serde_json::{Map, Value, json};
use tbindex::store::{Part, Place, Report, StoreError};

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
        && let Some(place) = error.downcast_ref().map(StoreError::place)
    {
        // The error itself is returned below, as all errors are.
        print_json(&damage(&args.file, error, place))?;
    }
    let report = checked?;
    let range = report
        .range
        .map(|(least, most)| (octal(least.into()), octal(most.into())));
    if args.json.json {
        return print_json(&json!({
            "file": args.file.display().to_string(),
            "ok": true,
            "count": report.count,
            "blocks": report.blocks,
            "bytes": report.bytes,
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
        indices(report.count.into())
    ))
}

fn check(args: &Args) -> Result<Report> {
    let file = args.no_map.open(&args.file, args.machine.backend())?;
    let threads = args.machine.count();
    files::watched(|watch| file.verify(threads, watch))
}

/// The fault of a file and its place: the part of the file, the block, the bytes and the index, as far as
/// each is known.
fn damage(path: &Path, error: &Error, place: Place) -> Value {
    let mut report = Map::new();
    report.insert("file".into(), json!(path.display().to_string()));
    report.insert("ok".into(), json!(false));
    report.insert("error".into(), json!(format!("{error:#}")));
    report.insert("part".into(), json!(place.part.map(Part::name)));
    report.insert("block".into(), json!(place.part.and_then(Part::number)));
    report.insert("start".into(), json!(place.bytes.map(|(start, _)| start)));
    report.insert("end".into(), json!(place.bytes.map(|(_, end)| end)));
    report.insert("position".into(), json!(place.position));
    report.into()
}
