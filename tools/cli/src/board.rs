//! `tbindex board`: prints a numbering as a picture.

use anyhow::Result;
use serde_json::json;
use tbindex::Square;

use super::args::{JsonArg, NumberingArg};
use super::output::{print, print_json};

/// Print a numbering of the squares as an 8×8 board of octal codes
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex board --numbering alternate")]
pub(crate) struct Args {
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let numbering = args.numbering.numbering;
    if !args.json.json {
        return print(&numbering.picture());
    }
    let codes: serde_json::Map<_, _> = Square::all()
        .map(|square| {
            let code = format!("0o{:02o}", numbering.code(square));
            (square.to_string(), json!(code))
        })
        .collect();
    print_json(&json!({ "numbering": numbering.to_string(), "codes": codes }))
}
