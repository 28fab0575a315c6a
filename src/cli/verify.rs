//! `tbindex verify`: the full check of a file.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::json;
use tbindex::store::IndexFile;

use super::args::{JsonArg, NoMapArg, ThreadsArg, octal};
use super::output::{grouped, print, print_json, progress};

/// Read an index file whole and check all it claims: checksums, range, order, canonical form
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex verify KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    no_map: NoMapArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = IndexFile::open_by(&args.file, args.no_map.access())?;
    let bar = progress(file.header().file_bytes(), "bytes");
    let report = file.verify_parallel(args.threads.count(), |bytes| bar.set_position(bytes))?;
    bar.finish_and_clear();
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
        "{}: {} indices{range}, all as the header says\n",
        args.file.display(),
        grouped(report.count.into())
    ))
}
