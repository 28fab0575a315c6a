//! `tbindex fairy pieces`: lists the pieces that have names.

use anyhow::Result;
use serde_json::json;
use tbindex::fairy::NAMED;

use crate::args::JsonArg;
use crate::output::{print, print_json};

/// List the pieces that have names, which all commands take: name and Betza notation
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex fairy pieces")]
pub(crate) struct Args {
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.json.json {
        let pieces = NAMED.map(|(name, betza)| json!({ "name": name, "betza": betza }));
        return print_json(&json!({ "pieces": pieces }));
    }
    let lines = NAMED.map(|(name, betza)| format!("{name:<16} {betza}\n"));
    print(&lines.concat())
}
